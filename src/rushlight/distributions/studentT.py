"""Student's t-distribution."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's distribution with `df` degrees of freedom: a normal variable over the root of a mean square."""

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _parameter_names = ("df", "loc", "scale")
    df: Tensor
    loc: Tensor
    scale: Tensor

    def __init__(
        self, df: TensorOrFloat, loc: TensorOrFloat = 0.0, scale: TensorOrFloat = 1.0, validate_args: bool | None = None
    ) -> None:
        self._chi2 = Chi2(broadcast_all(df, loc, scale)[0])
        self._broadcast(validate_args, df=df, loc=loc, scale=scale)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._chi2 = self._chi2.expand(batch_shape)
        return new

    @property
    def mean(self) -> Tensor:
        return F.where(self.df > 1, self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        beyond_two = F.where(self.df > 2, self.scale**2 * self.df / (self.df - 2), math.inf)
        return F.where(self.df > 1, beyond_two, math.nan)

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        normal = _standard_normal(self._extended_shape(sample_shape), self.df.dtype, self.df.device)
        squares = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * normal * F.rsqrt(squares / self.df)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        standard = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + F.lgamma(0.5 * self.df)
            - F.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * F.log1p(standard**2.0 / self.df) - normalizer

    def entropy(self) -> Tensor:
        half, above = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = math.lgamma(0.5) + F.lgamma(half) - F.lgamma(above)
        return self.scale.log() + above * (F.digamma(above) - F.digamma(half)) + 0.5 * self.df.log() + log_beta
