"""The uniform distribution."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.random import rand
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution

__all__ = ["Uniform"]


class Uniform(Distribution):
    """The uniform distribution over `[low, high)`."""

    has_rsample = True
    _parameter_names = ("low", "high")
    low: Tensor
    high: Tensor

    def __init__(self, low: TensorOrFloat, high: TensorOrFloat, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, low=low, high=high)

    @property
    def arg_constraints(self) -> Any:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / math.sqrt(12)

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        drawn = rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        inside = (self.low <= value) & (value < self.high)
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        self._check_value(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()
