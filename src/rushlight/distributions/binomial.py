"""The binomial distribution."""

from __future__ import annotations

from typing import Any

from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.random import binomial
from rushlight.create.ranges import arange
from rushlight.distributions import constraints
from rushlight.distributions._probs_or_logits import ProbsOrLogits
from rushlight.distributions.distribution import Distribution as Distribution

__all__ = ["Binomial"]


class Binomial(ProbsOrLogits):
    """The number of successes in `total_count` trials of probability `probs`."""

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    _parameter_names = ("total_count", "probs", "logits")
    total_count: Tensor
    probs: Tensor
    logits: Tensor

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: TensorOrFloat | None = None,
        logits: TensorOrFloat | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._choose(probs, logits, total_count=total_count)
        super().__init__(self.param_shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return F.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        trials = self.total_count
        choices = F.lgamma(trials + 1) - F.lgamma(value + 1) - F.lgamma(trials - value + 1)
        # log(1 + exp(logits)) without overflow
        normalizer = trials * (positive_part(self.logits) + F.log1p(F.exp(-self.logits.abs())))
        return value * self.logits + choices - normalizer

    def _trials(self, method):
        trials = int(self.total_count.max())
        if self.total_count.min() != trials:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        return trials

    def entropy(self) -> Tensor:
        self._trials("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        trials = self._trials("enumerate_support")
        return self._along_first(arange(1 + trials, dtype=self._param.dtype, device=self._param.device), expand)


def positive_part(x: Tensor) -> Tensor:
    """Returns `x.clamp(min=0)`, whose derivative at 0 is 1/2."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2
