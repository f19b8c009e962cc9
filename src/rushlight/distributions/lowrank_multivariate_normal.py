"""The multivariate normal distribution with covariance of diagonal plus low rank."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import eye
from rushlight.distributions import constraints
from rushlight.distributions._factored import divided, log_diagonal, squares, times_vectors
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with mean `loc` and covariance `cov_factor @ cov_factor.T + cov_diag`.

    For vectors of size n and a factor of m columns it costs n m^2 instead of n^3, by the matrix inversion lemma
    (Woodbury) and the matrix determinant lemma; the small matrix in both is the capacitance.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        _check_shapes(loc, cov_factor, cov_diag)
        try:
            loc_, self.cov_factor, diag_ = F.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = loc_[..., 0], diag_[..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        scaled = cov_factor.mT / cov_diag.unsqueeze(-2)  # (..., m, n)
        identity = eye(cov_factor.shape[-1], dtype=cov_factor.dtype, device=cov_factor.device)
        self._capacitance_tril = F.linalg_cholesky(scaled @ cov_factor + identity)
        super().__init__(self.loc.shape[:-1], loc.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(LowRankMultivariateNormal, _instance)
        shape = (*batch_shape, *self._event_shape)
        new.loc, new.cov_diag = self.loc.expand(shape), self.cov_diag.expand(shape)
        new.cov_factor = self.cov_factor.expand((*shape, -1))
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))
        return new._expanded_from(self, batch_shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self):
        """The diagonal of the covariance matrix."""
        variance = (self._unbroadcasted_cov_factor**2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._batch_shape + self._event_shape)

    def _in_batch(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape * 2)

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance matrix."""
        # With the diagonal factored out no eigenvalue is below 1: Rasmussen and Williams, Gaussian Processes, 3.4.3
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        identity = eye(self._event_shape[0], dtype=root.dtype, device=root.device)
        return self._in_batch(root * F.linalg_cholesky(scaled @ scaled.mT + identity))

    @lazy_property
    def covariance_matrix(self):
        """The full covariance matrix."""
        factor = self._unbroadcasted_cov_factor
        return self._in_batch(factor @ factor.mT + F.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance matrix."""
        part = self._part_of_factor()
        return self._in_batch(F.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - part.mT @ part)

    def _part_of_factor(self):
        """A matrix (..., m, n) whose square is the inverse diagonal minus the precision matrix."""
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        return divided(self._capacitance_tril, scaled)

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        for_factor = _standard_normal((*shape[:-1], self.cov_factor.shape[-1]), self.loc.dtype, self.loc.device)
        for_diagonal = _standard_normal(shape, self.loc.dtype, self.loc.device)
        moved = times_vectors(self._unbroadcasted_cov_factor, for_factor)
        return self.loc + moved + self._unbroadcasted_cov_diag.sqrt() * for_diagonal

    @property
    def _log_det(self):
        return 2 * log_diagonal(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    @property
    def _roots(self):
        """Returns matrices whose products with their transposes add up to the covariance matrix."""
        return self._unbroadcasted_cov_factor, F.diag_embed(self._unbroadcasted_cov_diag.sqrt())

    def _relative(self, root):
        """Returns the trace of the precision matrix times `root @ root.mT`."""
        diagonal_term = squares(root / self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1))
        return diagonal_term - squares(self._part_of_factor() @ root)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        distance = self._relative((value - self.loc).unsqueeze(-1))
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det + distance)

    def entropy(self) -> Tensor:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det)
        return entropy.expand(self._batch_shape)


def _check_shapes(loc, cov_factor, cov_diag) -> None:
    if loc.ndim < 1:
        raise ValueError("loc must be at least one-dimensional.")
    event_shape = loc.shape[-1:]
    if cov_factor.ndim < 2:
        raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
    if cov_factor.shape[-2:-1] != event_shape:
        raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
    if cov_diag.shape[-1:] != event_shape:
        raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
