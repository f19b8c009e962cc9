"""The Cauchy distribution."""

from __future__ import annotations

import math

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import full
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The Cauchy, or Lorentz, distribution of median `loc` and half width at half maximum `scale`. It has no mean."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _parameter_names = ("loc", "scale")
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: TensorOrFloat, scale: TensorOrFloat, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, loc=loc, scale=scale)

    def _filled(self, number):
        return full(self._extended_shape(), number, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mean(self) -> Tensor:
        return self._filled(math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._filled(math.inf)

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        return self.loc + self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        self._check_value(value)
        return F.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return F.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()
