"""The half-Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.tensor import Tensor
from rushlight.create.filled import full_like
from rushlight.distributions._half import Half
from rushlight.distributions.cauchy import Cauchy

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """The absolute value of a Cauchy variable with median 0."""

    def __init__(self, scale: TensorOrFloat, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(HalfCauchy, _instance))

    @property
    def mean(self) -> Tensor:
        return full_like(self.scale, math.inf)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance
