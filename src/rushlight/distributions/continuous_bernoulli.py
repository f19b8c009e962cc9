"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.random import rand
from rushlight.distributions import constraints
from rushlight.distributions._probs_or_logits import ProbsOrLogits
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """A number in [0, 1] with density `probs ** value * (1 - probs) ** (1 - value)`, normalized.

    For `probs` within `lims`, around 1/2, where the formulas divide zero by zero, Taylor series are used.
    Loaiza-Ganem and Cunningham, The continuous Bernoulli, 2019, https://arxiv.org/abs/1907.06845.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _parameter_names = ("probs", "logits")
    logits: Tensor
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: TensorOrFloat | None = None,
        logits: TensorOrFloat | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._choose(probs, logits)
        if probs is not None:
            if validate_args is not None and not constraints.unit_interval.check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self.param_shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._lims = self._lims
        return new

    @lazy_property
    def probs(self):
        """The probabilities of `logits`, neither 0 nor 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _stable(self):
        """Returns where the formulas hold, and the probabilities, replaced by the lower limit elsewhere."""
        outside = (self.probs <= self._lims[0]) | (self.probs > self._lims[1])
        return outside, F.where(outside, self.probs, self._lims[0])

    def _cont_bern_log_norm(self):
        outside, probs = self._stable()
        below = F.where(probs <= 0.5, probs, 0.0)
        above = F.where(probs >= 0.5, probs, 1.0)
        difference = F.where(probs <= 0.5, F.log1p(-2.0 * below), F.log(2.0 * above - 1.0))
        exact = F.log((F.log1p(-probs) - probs.log()).abs()) - difference
        square = (self.probs - 0.5) ** 2
        return F.where(outside, exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * square) * square)

    @property
    def mean(self) -> Tensor:
        outside, probs = self._stable()
        exact = probs / (2.0 * probs - 1.0) + 1.0 / (F.log1p(-probs) - probs.log())
        off = self.probs - 0.5
        return F.where(outside, exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * off**2) * off)

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    @property
    def variance(self) -> Tensor:
        outside, probs = self._stable()
        spread = probs * (probs - 1.0) / (1.0 - 2.0 * probs) ** 2
        exact = spread + 1.0 / (F.log1p(-probs) - probs.log()) ** 2
        square = (self.probs - 0.5) ** 2
        return F.where(outside, exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * square) * square)

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        chance = -F.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return chance + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        self._check_value(value)
        outside, probs = self._stable()
        exact = (probs**value * (1.0 - probs) ** (1.0 - value) + probs - 1.0) / (2.0 * probs - 1.0)
        inner = F.where(outside, exact, value)
        return F.where(value <= 0.0, 0.0, F.where(value >= 1.0, 1.0, inner))

    def icdf(self, value: Tensor) -> Tensor:
        outside, probs = self._stable()
        failing = F.log1p(-probs)
        exact = (F.log1p(-probs + value * (2.0 * probs - 1.0)) - failing) / (probs.log() - failing)
        return F.where(outside, exact, value)

    def entropy(self) -> Tensor:
        failing = F.log1p(-self.probs)
        return self.mean * (failing - self.probs.log()) - self._cont_bern_log_norm() - failing

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        natural = F.where(outside, x, self._lims[0] - 0.5)
        exact = F.log(F.expm1(natural).abs()) - F.log(natural.abs())
        return F.where(outside, exact, 0.5 * x + x**2 / 24.0 - x**4 / 2880.0)
