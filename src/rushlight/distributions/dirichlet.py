"""The Dirichlet distribution."""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import _gamma_draws, constraints
from rushlight.distributions.exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """Positive numbers that sum to 1 along the last dimension, with density `prod(value ** (concentration - 1))`."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _parameter_names = ("concentration",)
    concentration: Tensor

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        inner = above / above.sum(-1, keepdim=True)
        # With all concentrations below 1 the density is largest in the corners: returns the first one
        corner = F.one_hot(inner.argmax(-1), self._event_shape[-1]).to(inner)
        return F.where((self.concentration < 1).all(-1, keepdim=True), corner, inner)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        return _gamma_draws.reparameterized(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        normalizer = F.lgamma(self.concentration).sum(-1) - F.lgamma(self.concentration.sum(-1))
        return F.xlogy(self.concentration - 1.0, value).sum(-1) - normalizer

    def entropy(self) -> Tensor:
        categories, total = self.concentration.shape[-1], self.concentration.sum(-1)
        return (
            F.lgamma(self.concentration).sum(-1)
            - F.lgamma(total)
            - (categories - total) * F.digamma(total)
            - ((self.concentration - 1.0) * F.digamma(self.concentration)).sum(-1)
        )

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return F.lgamma(x).sum(-1) - F.lgamma(x.sum(-1))
