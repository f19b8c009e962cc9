"""Elementwise transforms."""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import TensorOrFloat
from rushlight.core.dtype import finfo
from rushlight.core.tensor import Tensor
from rushlight.create.filled import full_like
from rushlight.distributions import constraints
from rushlight.distributions._transform import Transform
from rushlight.distributions.utils import _sum_rightmost, broadcast_all, lazy_property


class _Increasing(Transform):
    """An increasing transform of the real numbers without parameters: two of one class are equal."""

    domain = constraints.real
    bijective = True
    sign = +1

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, type(self))


class ExpTransform(_Increasing):
    """`y = exp(x)`."""

    codomain = constraints.positive

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


def inside_unit(values):
    """Clamps values to the open interval (0, 1), by the resolution of their dtype."""
    limits = finfo(values.dtype)
    return values.clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_Increasing):
    """`y = 1 / (1 + exp(-x))`, clamped away from 0 and 1."""

    codomain = constraints.unit_interval

    def _call(self, x):
        return inside_unit(F.sigmoid(x))

    def _inverse(self, y):
        y = inside_unit(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(_Increasing):
    """`y = log(1 + exp(x))`."""

    codomain = constraints.positive

    def _call(self, x):
        return F.softplus(x)

    def _inverse(self, y):
        return (-F.expm1(-y)).log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -F.softplus(-x)


class TanhTransform(_Increasing):
    """`y = tanh(x)`; a result of exactly 1 has an inverse only in the cache."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # log(1 - tanh(x)^2) = log(4) - 2 log(exp(x) + exp(-x)), without cancellation
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(Transform):
    """`y = |x|`; the inverse returns the nonnegative argument."""

    domain = constraints.real
    codomain = constraints.positive

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, AbsTransform)

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class PowerTransform(Transform):
    """`y = x ** exponent` of positive numbers."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: TensorOrFloat, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _constructor_arguments(self):
        return (self.exponent,)

    @lazy_property
    def sign(self):
        return self.exponent.sign()

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PowerTransform) and bool((self.exponent == other.exponent).all())  # type: ignore[attr-defined]

    def _call(self, x):
        return x**self.exponent

    def _inverse(self, y):
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return F.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


def _same(a, b) -> bool:
    return bool(a == b if isinstance(a, Number) and isinstance(b, Number) else (a == b).all())


class AffineTransform(Transform):
    """`y = loc + scale * x`, for events with `event_dim` dimensions."""

    bijective = True
    loc: Any
    scale: Any

    def __init__(self, loc: TensorOrFloat, scale: TensorOrFloat, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    def _constructor_arguments(self):
        return self.loc, self.scale, self._event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    def __eq__(self, other: Any) -> bool:
        same_kind = isinstance(other, AffineTransform)
        return same_kind and _same(self.loc, other.loc) and _same(self.scale, other.scale)

    @property
    def sign(self) -> Any:
        scale = self.scale
        return scale.sign() if isinstance(scale, Tensor) else (scale > 0) - (scale < 0)

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        number = isinstance(self.scale, Number)
        stretched = full_like(x, math.log(abs(self.scale))) if number else self.scale.abs().log()
        return _sum_rightmost(stretched, self._event_dim).expand(x.shape[: x.ndim - self._event_dim])

    def forward_shape(self, shape: Any) -> Any:
        return F.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """The cumulative distribution function: the result is uniform if the argument has that distribution."""

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def _constructor_arguments(self):
        return (self.distribution,)

    @property
    def domain(self):
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
