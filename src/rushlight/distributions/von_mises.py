"""The von Mises distribution."""

from __future__ import annotations

import math

from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import float64
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._von_mises_draws import drawn_angles
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
            angles = drawn_angles(self._extended_shape(sample_shape), self.concentration.to(float64))
            return _wrapped(angles + self.loc.to(float64)).to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        # log(i0(c)) = log(i0e(c)) + c does not overflow
        normalizer = math.log(2 * math.pi) + F.special_i0e(self.concentration).log() + self.concentration
        return self.concentration * F.cos(value - self.loc) - normalizer


def _wrapped(angles):
    return (angles + math.pi) % (2 * math.pi) - math.pi
