"""The generalized Pareto distribution."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros_like
from rushlight.create.random import rand
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The distribution of values above `loc`: exponential for concentration 0, heavier-tailed above 0, bounded below 0.

    Formulas: https://en.wikipedia.org/wiki/Generalized_Pareto_distribution
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _parameter_names = ("loc", "scale", "concentration")
    loc: Tensor
    scale: Tensor
    concentration: Tensor

    def __init__(
        self, loc: TensorOrFloat, scale: TensorOrFloat, concentration: TensorOrFloat, validate_args: bool | None = None
    ) -> None:
        self._broadcast(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        shape = self.concentration
        return constraints.interval(self.loc, F.where(shape < 0, self.loc - self.scale / shape, math.inf))

    @property
    def mean(self) -> Tensor:
        shape = self.concentration
        finite = F.where(shape < 1, shape, 0.5)
        return F.where(shape < 1, self.loc + self.scale / (1 - finite), math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        shape = self.concentration
        finite = F.where(shape < 0.5, shape, 0.25)
        return F.where(shape < 0.5, self.scale**2 / ((1 - finite) ** 2 * (1 - 2 * finite)), math.nan)

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def _shapes(self):
        """Returns where the distribution is exponential, and the concentration, replaced by 1 there, as a divisor."""
        exponential = F.isclose(self.concentration, zeros_like(self.concentration))
        return exponential, F.where(exponential, 1.0, self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        standard = (value - self.loc) / self.scale
        exponential, shape = self._shapes()
        power = 1 / shape + 1
        # Uniform for concentration -1, up to the bound, where the logarithm is infinite
        bent = F.where(power == 0, 0.0, power * F.log1p(shape * standard))
        return -self.scale.log() - F.where(exponential, standard, bent)

    def log_survival_function(self, value: Tensor):
        """Returns the logarithm of the probability of values above `value`."""
        self._check_value(value)
        standard = (value - self.loc) / self.scale
        exponential, shape = self._shapes()
        return -F.where(exponential, standard, F.log1p(shape * standard) / shape)

    def log_cdf(self, value: Tensor):
        """Returns the logarithm of `cdf`."""
        return F.log1p(-self.log_survival_function(value).exp())

    def cdf(self, value: Tensor) -> Tensor:
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        exponential, shape = self._shapes()
        log_survival = F.log1p(-value)
        bent = self.loc + self.scale / shape * F.expm1(-shape * log_survival)
        return F.where(exponential, self.loc - self.scale * log_survival, bent)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1
