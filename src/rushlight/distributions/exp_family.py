"""`ExponentialFamily`: entropy and divergences from the log normalizer."""

from __future__ import annotations

from rushlight.autograd.gradients import grad
from rushlight.core.tensor import Tensor
from rushlight.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions of density `exp(<t(x), theta> - F(theta) + k(x))`, theta the natural parameters.

    The entropy is the log normalizer F, minus the product of theta and its gradient, minus the mean of k: Nielsen and
    Nock, Entropies and Cross-entropies of Exponential Families, 2010.
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def _normalized(self):
        """Returns the natural parameters as leaves, their log normalizer, and its gradients."""
        leaves = [parameter.detach().requires_grad_() for parameter in self._natural_params]
        normalizer = self._log_normalizer(*leaves)
        return leaves, normalizer, grad(normalizer.sum(), leaves, create_graph=True)

    def entropy(self) -> Tensor:
        leaves, result, slopes = self._normalized()
        for leaf, slope in zip(leaves, slopes, strict=True):
            result = result - (leaf * slope).reshape(self._batch_shape + (-1,)).sum(-1)
        return result - self._mean_carrier_measure
