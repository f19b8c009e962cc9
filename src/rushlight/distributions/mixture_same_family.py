"""Mixtures of distributions of one family."""

from __future__ import annotations

from typing import Any

from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Shape
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture of the distributions along the last batch dimension of `component_distribution`.

    `mixture_distribution` is a `Categorical` of the component probabilities.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Categorical, MixtureSameFamily, Normal
    >>> MixtureSameFamily(Categorical(torch.ones(2)), Normal(torch.tensor([-1.0, 3.0]), torch.ones(2))).mean
    tensor(1.)
    """

    arg_constraints: dict[str, constraints.Constraint] = {}

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        _check_fit(mixture_distribution, component_distribution)
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        shape, event_shape = component_distribution.batch_shape[:-1], component_distribution.event_shape
        super().__init__(shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        components = self._component_distribution.batch_shape[-1]
        new._component_distribution = self._component_distribution.expand((*batch_shape, components))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return new._expanded_from(self, batch_shape)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution of the components."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components, along the last batch dimension."""
        return self._component_distribution

    @property
    def _along(self):
        """The dimension of the components in their moments and samples."""
        return -1 - len(self._event_shape)

    def _mixed(self, values):
        """Returns the mean of the components' values, weighted by their probabilities."""
        probs = self._mixture_distribution.probs
        probs = probs.reshape(probs.shape + (1,) * len(self._event_shape))
        return (probs * values).sum(self._along)

    @property
    def mean(self) -> Tensor:
        return self._mixed(self._component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        within = self._component_distribution.variance
        between = (self._component_distribution.mean - self.mean.unsqueeze(self._along)) ** 2
        return self._mixed(within) + self._mixed(between)

    def cdf(self, x: Tensor) -> Tensor:
        return (self._component_distribution.cdf(x.unsqueeze(self._along)) * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x):
        self._check_value(x)
        log_prob = self._component_distribution.log_prob(x.unsqueeze(self._along))  # (..., component)
        return (log_prob + F.log_softmax(self._mixture_distribution.logits, -1)).logsumexp(-1)

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        with no_grad():
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            dim = len(sample_shape) + len(self._batch_shape)
            chosen = chosen.reshape(chosen.shape + (1,) * (1 + len(self._event_shape)))
            return drawn.gather(dim, chosen.expand((*chosen.shape[: dim + 1], *self._event_shape))).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"


def _check_fit(mixture, component) -> None:
    shape, expected = mixture.batch_shape, component.batch_shape[:-1]
    if any(a != b and 1 not in (a, b) for a, b in zip(reversed(shape), reversed(expected), strict=False)):
        raise ValueError(
            f"`mixture_distribution.batch_shape` ({shape}) is not "
            f"compatible with `component_distribution.batch_shape`({expected})"
        )
    categories, components = mixture.param_shape[-1], component.batch_shape[-1]
    if categories != components:
        raise ValueError(
            f"`mixture_distribution component` ({categories}) does not"
            f" equal `component_distribution.batch_shape[-1]` ({components})"
        )
