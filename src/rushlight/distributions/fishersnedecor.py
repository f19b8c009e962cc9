"""The F-distribution (Fisher-Snedecor)."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import finfo
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.utils import broadcast_all

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The ratio of two mean squares of independent normal variables, `df1` and `df2` of them."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _parameter_names = ("df1", "df2")
    df1: Tensor
    df2: Tensor

    def __init__(self, df1: TensorOrFloat, df2: TensorOrFloat, validate_args: bool | None = None) -> None:
        one, two = broadcast_all(df1, df2)
        self._gamma1, self._gamma2 = Gamma(one * 0.5, one), Gamma(two * 0.5, two)
        self._broadcast(validate_args, df1=df1, df2=df2)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._gamma1, new._gamma2 = self._gamma1.expand(batch_shape), self._gamma2.expand(batch_shape)
        return new

    @property
    def mean(self) -> Tensor:
        df2 = _above(self.df2, 2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return F.where(self.df1 > 2, mode, math.nan)

    @property
    def variance(self) -> Tensor:
        df1, df2 = self.df1, _above(self.df2, 4)
        return 2 * df2**2 * (df1 + df2 - 2) / (df1 * (df2 - 2) ** 2 * (df2 - 4))

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        above, below = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        tiny = finfo(below.dtype).tiny
        below.detach().clamp_(min=tiny)
        ratio = above / below
        ratio.detach().clamp_(min=tiny)
        return ratio

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        normalizer = F.lgamma(half1) + F.lgamma(half2) - F.lgamma(half1 + half2)
        power = half1 * ratio.log() + (half1 - 1) * F.log(value)
        return power - normalizer - (half1 + half2) * F.log1p(ratio * value)


def _above(values, bound):
    """Returns the values, nan where they are not above a bound: the moment does not exist."""
    return F.where(values > bound, values, math.nan)
