"""Which functions of ours change nothing: they may be made twice, or not at all."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from rushlight.autograd.function import Function
from rushlight.autograd.gradients import grad
from rushlight.capture.calls import A_TENSOR
from rushlight.core.origin import PACKAGE
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS

# Methods of tensors whose results follow from shape, strides and dtype.
META_METHODS = frozenset(
    """
    size dim ndimension numel nelement stride is_contiguous is_floating_point is_complex element_size get_device
    __len__ is_signed dense_dim sparse_dim is_conj is_neg type
    """.split()
)
MODES = frozenset("no_grad enable_grad inference_mode set_grad_enabled autocast".split())  # what they change, they undo
DRAWS = frozenset(
    """
    dropout alpha_dropout feature_dropout feature_alpha_dropout dropout1d dropout2d dropout3d rrelu bernoulli
    multinomial
    fractional_max_pool2d fractional_max_pool3d fractional_max_pool2d_with_indices
    fractional_max_pool3d_with_indices normal rand randn randint randperm rand_like randn_like randint_like poisson
    binomial gumbel_softmax
    """.split()
)
DROPOUTS = frozenset(
    "dropout alpha_dropout feature_dropout feature_alpha_dropout dropout1d dropout2d dropout3d".split()
)
NORMS = frozenset(("batch_norm", "instance_norm"))  # they write running statistics
WRITERS = frozenset(("embedding_bag", "multi_head_attention_forward"))
PURE_FOLDERS = tuple(
    [f"{PACKAGE}{folder}" for folder in ("_generated/", "declarations/", "nn/functional/", "nn/utils/rnn", "func/")]
)
PURE_PROTOCOL = frozenset(("__getitem__", "__len__", "__bool__", "__float__", "__int__", "__index__", "item", "tolist"))


def is_pure(function: Any, args: list, kwargs: dict) -> bool:
    """Whether a call changes nothing that the program can see: an operator without `out=`, and no draw."""
    name = getattr(function, "__name__", "")
    if name in ("__enter__", "__exit__", "again"):
        return type(args[0]).__name__ in MODES
    if "out" in kwargs or name in DRAWS or is_in_place(function, args, kwargs):
        return False
    if name.endswith("_") and not name.endswith("__"):
        return False
    if name == "scaled_dot_product_attention":
        return not kwargs.get("dropout_p") and (len(args) < 5 or not args[4])
    if name == "embedding":
        return (len(args) < 4 or args[3] is None) and kwargs.get("max_norm") is None
    if name in META_METHODS or name in PURE_PROTOCOL or function is APPLY:
        return True
    if name in ("setitem", "__setitem__") or (name.startswith("__i") and name != "__invert__") or name in NORMS:
        return False
    if getattr(function, "declaration", None) is not None or (name in OPS and function is OPS[name].function):
        return True
    if isinstance(function, FunctionType) and function.__code__.co_filename.startswith(PURE_FOLDERS):
        return name not in WRITERS
    if isinstance(function, type):
        return not issubclass(function, Tensor) and name != "set_grad_enabled"  # which changes the mode at once
    return name in PURE or name in QUESTIONS


APPLY = vars(Function)["apply"].__func__
PURE = frozenset(
    """
    zeros ones full empty eye arange linspace logspace zeros_like ones_like full_like empty_like tensor as_tensor
    scalar_tensor contiguous to type cpu float double half bfloat16 int long bool detach new_zeros new_ones new_full
    new_empty new_tensor linear scaled_dot_product_attention softmax log_softmax gelu relu cross_entropy mse_loss
    l1_loss nll_loss binary_cross_entropy binary_cross_entropy_with_logits layer_norm rms_norm group_norm conv1d conv2d
    conv3d max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d pad interpolate one_hot normalize
    checkpoint silu elu leaky_relu softplus hardtanh smooth_l1_loss huber_loss kl_div cosine_similarity is_grad_enabled
    is_inference_mode_enabled get_default_dtype is_tensor is_inference storage_offset save_for_backward
    mark_non_differentiable set_materialize_grads
    """.split()
)
# Questions about the library and its state, which a replay calls again.
QUESTIONS = frozenset(
    """
    is_available is_initialized is_built device_count current_device get_rank get_world_size get_backend
    is_autocast_enabled is_autocast_cpu_enabled is_autocast_cache_enabled is_autocast_available get_autocast_dtype
    get_autocast_cpu_dtype get_autocast_gpu_dtype get_default_device get_float32_matmul_precision get_num_threads
    are_deterministic_algorithms_enabled is_deterministic_algorithms_warn_only_enabled get_deterministic_debug_mode
    is_anomaly_enabled is_warn_always_enabled is_scripting is_tracing is_fx_tracing is_in_onnx_export is_storage
    promote_types result_type can_cast calculate_gain _calculate_correct_fan
    _calculate_fan_in_and_fan_out is_same_size is_nonzero
    """.split()
)


SETTERS = frozenset("setitem iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor".split())


def is_in_place(function: Any, args: list, kwargs: dict) -> bool:
    """Whether a call writes to its first argument because `inplace` is true."""
    position = position_in_place(function)
    return bool(kwargs.get("inplace")) or (position is not None and position < len(args) and bool(args[position]))


def position_in_place(function: Any) -> int | None:
    """Returns the position of the parameter `inplace` of a function of Python, None if it has none."""
    code = getattr(function, "__code__", None)
    names = () if code is None else code.co_varnames[: code.co_argcount]
    return names.index("inplace") if "inplace" in names else None


def writes_tensor(function: Any, kinds: list) -> bool:
    """Whether a call writes the elements of its first argument, a tensor, and does nothing else."""
    name = getattr(function, "__name__", "")
    if function is grad:
        return True  # it frees a graph
    if not kinds or kinds[0] != A_TENSOR or name in UNLIKE_WRITES:
        return False
    if name in NORMS or name in DROPOUTS or name in ("scaled_dot_product_attention", "multi_head_attention_forward"):
        return True
    if position_in_place(function) is not None and name not in DRAWS:
        return True
    if name in SETTERS or name == "zero_":
        return True
    return name.endswith("_") and not name.endswith("__") and name[:-1] in OPS


# In-place methods that change more than elements, or draw.
UNLIKE_WRITES = frozenset(
    """
    requires_grad_ detach_ resize_ resize_as_ set_ squeeze_ unsqueeze_ t_ transpose_ swapaxes_ swapdims_ as_strided_
    rename_ share_memory_ apply_ map_ map2_ dropout_ rrelu_ bernoulli_ uniform_ normal_ random_ exponential_ geometric_
    cauchy_ log_normal_
    """.split()
)
