"""The negative binomial distribution."""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.random import poisson
from rushlight.distributions import constraints
from rushlight.distributions._probs_or_logits import ProbsOrLogits
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.utils import lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbsOrLogits):
    """The number of successes of probability `probs` before `total_count` failures, which may be fractional.

    It is a Poisson variable whose rate has a gamma distribution.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _parameter_names = ("total_count", "probs", "logits")
    total_count: Tensor
    probs: Tensor
    logits: Tensor

    def __init__(
        self,
        total_count: Tensor | int,
        probs: TensorOrFloat | None = None,
        logits: TensorOrFloat | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._choose(probs, logits, total_count=total_count)
        super().__init__(self.param_shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / F.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self):
        return Gamma(self.total_count, F.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        total = self.total_count
        weight = total * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        log_combinations = F.lgamma(total + value) - F.lgamma(1.0 + value) - F.lgamma(total)
        # With zero failures there is one way to have zero successes
        return weight + F.where(total + value == 0.0, 0.0, log_combinations)
