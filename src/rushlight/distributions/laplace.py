"""The Laplace distribution."""

from __future__ import annotations

import math

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import finfo
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution

__all__ = ["Laplace"]


class Laplace(Distribution):
    """The Laplace distribution: exponential with mean `scale` on both sides of `loc`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _parameter_names = ("loc", "scale")
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: TensorOrFloat, scale: TensorOrFloat, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, loc=loc, scale=scale)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return math.sqrt(2) * self.scale

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale**2

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        # From the open interval, so that both results are finite
        drawn = self.loc.new_empty(self._extended_shape(sample_shape))
        drawn.uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * drawn.sign() * F.log1p(-drawn.abs())

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        self._check_value(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * F.expm1(-away.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        away = value - 0.5
        return self.loc - self.scale * away.sign() * F.log1p(-2 * away.abs())

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
