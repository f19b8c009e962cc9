"""The von Mises distribution."""

from __future__ import annotations

import math

from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import bool as boolean
from rushlight.core.dtype import float64
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty, zeros
from rushlight.create.random import rand
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import lazy_property

__all__ = ["VonMises"]


class VonMises(Distribution):
    """The circular normal distribution: angles with density `exp(concentration * cos(value - loc))`, normalized."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    _parameter_names = ("loc", "concentration")
    loc: Tensor
    concentration: Tensor

    def __init__(self, loc: TensorOrFloat, concentration: TensorOrFloat, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, loc=loc, concentration=concentration)

    @property
    def mean(self) -> Tensor:
        """The mean direction."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self):
        """The circular variance: one minus the length of the mean direction vector."""
        return 1 - F.special_i1e(self.concentration) / F.special_i0e(self.concentration)

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        with no_grad():
            # In float64, because a float32 rejection loop can hang at small concentrations
            angles = self._drawn(self._extended_shape(sample_shape), self.concentration.to(float64))
            return _wrapped(angles + self.loc.to(float64)).to(self.loc.dtype)

    def _drawn(self, shape, concentration):
        """Draws angles around 0, by rejection from a wrapped Cauchy distribution (Best and Fisher, 1979)."""
        spread = _cauchy_spread(concentration)
        angles = empty(shape, dtype=float64, device=self.loc.device)
        done = zeros(shape, dtype=boolean, device=self.loc.device)
        while not done.all():
            first, second, third = rand((3, *shape), dtype=float64, device=self.loc.device).unbind()
            direction = (math.pi * first).cos()
            proposed = (1 + spread * direction) / (spread + direction)
            excess = concentration * (spread - proposed)
            accept = (excess * (2 - excess) - second > 0) | ((excess / second).log() + 1 - excess >= 0)
            angles = F.where(accept, (third - 0.5).sign() * proposed.acos(), angles)
            done = done | accept
        return angles

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        # log(i0(c)) = log(i0e(c)) + c does not overflow
        normalizer = math.log(2 * math.pi) + F.special_i0e(self.concentration).log() + self.concentration
        return self.concentration * F.cos(value - self.loc) - normalizer


def _cauchy_spread(concentration):
    root = 1 + (1 + 4 * concentration**2).sqrt()
    rho = (root - (2 * root).sqrt()) / (2 * concentration)
    # Second-order expansion where the difference is lost in rounding
    return F.where(concentration < 1e-5, 1 / concentration + concentration, (1 + rho**2) / (2 * rho))


def _wrapped(angles):
    return (angles + math.pi) % (2 * math.pi) - math.pi
