"""The gamma distribution."""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import finfo
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import as_tensor
from rushlight.distributions import constraints
from rushlight.distributions._gamma_draws import _standard_gamma
from rushlight.distributions.exp_family import ExponentialFamily

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """The gamma distribution with shape `concentration` and inverse scale `rate`."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _parameter_names = ("concentration", "rate")
    concentration: Tensor
    rate: Tensor
    _mean_carrier_measure = 0

    def __init__(self, concentration: TensorOrFloat, rate: TensorOrFloat, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, concentration=concentration, rate=rate)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate**2

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        drawn.detach().clamp_(min=finfo(drawn.dtype).tiny)  # without recording it
        return drawn

    def log_prob(self, value: Tensor) -> Tensor:
        value = as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._check_value(value)
        shape, rate = self.concentration, self.rate
        return F.xlogy(shape, rate) + F.xlogy(shape - 1, value) - rate * value - F.lgamma(shape)

    def cdf(self, value: Tensor) -> Tensor:
        self._check_value(value)
        return F.special_gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - self.rate.log() + F.lgamma(shape) + (1.0 - shape) * F.digamma(shape)

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return F.lgamma(x + 1) + (x + 1) * F.log(-y.reciprocal())
