"""The geometric distribution."""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import finfo
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros_like
from rushlight.distributions import constraints
from rushlight.distributions._probs_or_logits import ProbsOrLogits
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.utils import broadcast_all

__all__ = ["Geometric"]


class Geometric(ProbsOrLogits):
    """The number of failures before the first success of probability `probs`."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    _parameter_names = ("probs", "logits")
    probs: Tensor
    logits: Tensor

    def __init__(
        self, probs: TensorOrFloat | None = None, logits: TensorOrFloat | None = None, validate_args: bool | None = None
    ) -> None:
        self._choose(probs, logits)
        super().__init__(self.param_shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) "
                f"of distribution {self!r} to be positive but found invalid values:\n"
                f"{self.probs.detach()[~(self.probs > 0)]}"
            )

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        with no_grad():
            drawn = self.probs.new_empty(self._extended_shape(sample_shape))
            drawn.uniform_(finfo(self.probs.dtype).tiny, 1)
            return (drawn.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        value, probs = broadcast_all(value, self.probs)
        # If every trial succeeds, zero failures are certain: 0 * log(0) counts as 0
        failing = F.where((probs == 1) & (value == 0), 0, probs)
        return value * (-failing).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
