"""Base of distributions with a matrix given as itself, its inverse or its Cholesky factor."""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.create.filled import eye
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import lazy_property

NAMES = ("covariance_matrix", "precision_matrix", "scale_tril")
ONE_OF_THREE = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."


class Factored(Distribution):
    """A distribution with `covariance_matrix`, `precision_matrix` and `scale_tril`, of which one is given.

    `_unbroadcasted_scale_tril` is computed once; the others at their first use.
    """

    def _keep_matrix(self, name, matrix, batch_shape) -> None:
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))

    def _factorize(self, name, matrix) -> None:
        if name == "scale_tril":
            factor = matrix
        else:
            factor = F.linalg_cholesky(matrix) if name == "covariance_matrix" else _factor_of_inverse(matrix)
        self._unbroadcasted_scale_tril = factor

    def _expand_matrices(self, new, batch_shape) -> None:
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        size = self._event_shape[-1]
        for name in NAMES:
            if name in vars(self):
                setattr(new, name, vars(self)[name].expand((*batch_shape, size, size)))

    def _in_batch(self, matrix):
        return matrix.expand((*self._batch_shape, *matrix.shape[-2:]))

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance matrix."""
        return self._in_batch(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """The covariance matrix."""
        return self._in_batch(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance matrix."""
        return self._in_batch(F.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def _half_log_det(self):
        return log_diagonal(self._unbroadcasted_scale_tril)


def log_diagonal(matrix):
    """Returns the sum of the logarithms of the diagonal."""
    return matrix.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def only_matrix(*matrices) -> tuple:
    """Returns the name and value of the only matrix that is not None; (None, None) if there is not exactly one."""
    present = [(name, matrix) for name, matrix in zip(NAMES, matrices, strict=True) if matrix is not None]
    return present[0] if len(present) == 1 else (None, None)


def _factor_of_inverse(precision):
    """Returns the Cholesky factor L of the inverse: factor the flipped matrix, flip the result, and invert it."""
    flipped = F.linalg_cholesky(precision.flip((-2, -1)))
    inverse = flipped.flip((-2, -1)).mT
    identity = eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return F.linalg_solve_triangular(inverse, identity.expand(inverse.shape), upper=False)


def times_vectors(matrix, vectors):
    """Returns the products of matrices and vectors."""
    return (matrix @ vectors.unsqueeze(-1)).squeeze(-1)


def divided(factor, matrix):
    """Returns `factor^-1 @ matrix` for a lower triangular factor, broadcast over batches."""
    return F.linalg_solve_triangular(factor, matrix, upper=False)


def squares(matrix):
    """Returns the sums of squares of the elements of matrices."""
    return (matrix**2).sum((-2, -1))
