"""The table of traps."""

from rushlight.explain.watch.trap import Trap
from rushlight.explain.watch.traps.broadcast_loss import BroadcastLoss
from rushlight.explain.watch.traps.collected_losses import CollectedLosses
from rushlight.explain.watch.traps.copied_loss import CopiedLoss
from rushlight.explain.watch.traps.data_written import DataWritten
from rushlight.explain.watch.traps.dead_relu import DeadRelu
from rushlight.explain.watch.traps.discarded_result import DiscardedResult
from rushlight.explain.watch.traps.frozen_moved import FrozenMoved
from rushlight.explain.watch.traps.grad_switched_on import GradSwitchedOn
from rushlight.explain.watch.traps.gradient_weights import GradientWeights
from rushlight.explain.watch.traps.growing_graph import GrowingGraph
from rushlight.explain.watch.traps.growing_loss import GrowingLoss
from rushlight.explain.watch.traps.kept_on_ctx import KeptOnCtx
from rushlight.explain.watch.traps.leaf_overwritten import LeafOverwritten
from rushlight.explain.watch.traps.log_softmax_twice import LogSoftmaxTwice
from rushlight.explain.watch.traps.nan import NotANumber
from rushlight.explain.watch.traps.needless_retain_graph import NeedlessRetainGraph
from rushlight.explain.watch.traps.never_gradient import NeverGradient
from rushlight.explain.watch.traps.no_zero_grad import NoZeroGrad
from rushlight.explain.watch.traps.not_in_optimizer import NotInOptimizer
from rushlight.explain.watch.traps.numpy_source_written import NumpySourceWritten
from rushlight.explain.watch.traps.probabilities_as_log import ProbabilitiesAsLog
from rushlight.explain.watch.traps.repeated_worker_numbers import RepeatedWorkerNumbers
from rushlight.explain.watch.traps.replaced_parameters import ReplacedParameters
from rushlight.explain.watch.traps.reshape_permutes import ReshapePermutes
from rushlight.explain.watch.traps.shared_array_written import SharedArrayWritten
from rushlight.explain.watch.traps.shared_copy import SharedCopy
from rushlight.explain.watch.traps.shared_state_dict import SharedStateDict
from rushlight.explain.watch.traps.shuffled_apart import ShuffledApart
from rushlight.explain.watch.traps.sigmoid_before_logits import SigmoidBeforeLogits
from rushlight.explain.watch.traps.softmax_before_cross_entropy import SoftmaxBeforeCrossEntropy
from rushlight.explain.watch.traps.softmax_dim import SoftmaxDim
from rushlight.explain.watch.traps.step_without_gradients import StepWithoutGradients
from rushlight.explain.watch.traps.training_in_eval_mode import TrainingInEvalMode
from rushlight.explain.watch.traps.unregistered_layers import UnregisteredLayers
from rushlight.explain.watch.traps.validation_in_training_mode import ValidationInTrainingMode
from rushlight.explain.watch.traps.validation_with_graphs import ValidationWithGraphs
from rushlight.explain.watch.traps.waits_in_loop import WaitsInLoop

TRAPS: tuple[type[Trap], ...] = (
    # the loop
    NoZeroGrad, StepWithoutGradients, CollectedLosses, GrowingGraph, NeedlessRetainGraph,
    # parameters: of several traps, the first that explains an untrained parameter reports it
    UnregisteredLayers, ReplacedParameters, NotInOptimizer, NeverGradient, FrozenMoved, LeafOverwritten,
    # the mode
    ValidationInTrainingMode, TrainingInEvalMode, ValidationWithGraphs,
    # the loss
    NotANumber, GrowingLoss, BroadcastLoss, SoftmaxBeforeCrossEntropy, LogSoftmaxTwice, ProbabilitiesAsLog,
    SigmoidBeforeLogits, SoftmaxDim, GradientWeights, KeptOnCtx, DeadRelu, ReshapePermutes, GradSwitchedOn, CopiedLoss,
    # memory and data
    DataWritten, SharedArrayWritten, NumpySourceWritten, SharedCopy, SharedStateDict, DiscardedResult,
    RepeatedWorkerNumbers, ShuffledApart,
    # the GPU
    WaitsInLoop,
)  # fmt: skip
