"""Base of the half-normal and the half-Cauchy distribution: absolute values of symmetric distributions."""

from __future__ import annotations

import math

from rushlight._generated import functions as F
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros_like
from rushlight.create.from_data import as_tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.transforms import AbsTransform


class Half(TransformedDistribution):
    """The absolute value of a random variable whose distribution is symmetric around 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, both_sides: Distribution, validate_args: bool | None = None) -> None:
        super().__init__(both_sides, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Tensor:
        """The scale of the symmetric distribution."""
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.scale)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        value = as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return F.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        self._check_value(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
