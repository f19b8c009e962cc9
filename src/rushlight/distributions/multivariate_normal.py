"""The multivariate normal distribution."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._factored import ONE_OF_THREE, Factored, divided, only_matrix, squares, times_vectors
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.utils import _standard_normal

__all__ = ["MultivariateNormal"]


class MultivariateNormal(Factored):
    """Normal vectors with mean `loc`; the covariance is given as itself, its inverse or its Cholesky factor.

    Raises ValueError unless exactly one of the three is given; the factor needs no computation.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = only_matrix(covariance_matrix, precision_matrix, scale_tril)
        if name is None:
            raise ValueError(ONE_OF_THREE)
        if matrix.ndim < 2:
            shown = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{shown} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = F.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self._keep_matrix(name, matrix, batch_shape)
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._factorize(name, matrix)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MultivariateNormal, _instance)
        new.loc = self.loc.expand((*batch_shape, *self._event_shape))
        self._expand_matrices(new, batch_shape)
        return new._expanded_from(self, batch_shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return (self._unbroadcasted_scale_tril**2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        normal = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + times_vectors(self._unbroadcasted_scale_tril, normal)

    @property
    def _log_det(self):
        return 2 * self._half_log_det

    @property
    def _roots(self):
        """Returns matrices whose products with their transposes add up to the covariance matrix."""
        return (self._unbroadcasted_scale_tril,)

    def _relative(self, root):
        """Returns the trace of the precision matrix times `root @ root.mT`."""
        return squares(divided(self._unbroadcasted_scale_tril, root))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        distance = self._relative((value - self.loc).unsqueeze(-1))  # the squared Mahalanobis distance
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det

    def entropy(self) -> Tensor:
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det
        return entropy.expand(self._batch_shape)
