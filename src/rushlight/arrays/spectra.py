"""Eigenvalues and singular values of stacks of matrices, by NumPy, which says when they do not converge."""

from __future__ import annotations

import functools
import warnings

import numpy as np

from rushlight.arrays.lapack import linalg
from rushlight.core.errors import LinAlgError


def eigh(array, triangle: str) -> tuple:
    """The eigenvalues, rising, and eigenvectors of Hermitian matrices, of which one triangle is looked at."""
    return tuple(_converged("linalg.eigh", array, np.linalg.eigh, triangle))


def eigvalsh(array, triangle: str):
    """The eigenvalues of Hermitian matrices, rising."""
    return _converged("linalg.eigh", array, np.linalg.eigvalsh, triangle)


def eig(array) -> tuple:
    """The eigenvalues and eigenvectors of square matrices, complex always."""
    values, vectors = _converged("linalg.eig", array, np.linalg.eig)
    return _complex(values), _complex(vectors)


def eigvals(array):
    """The eigenvalues of square matrices, complex always."""
    return _complex(_converged("linalg.eig", array, np.linalg.eigvals))


def svd(array, full: bool) -> tuple:
    """U, the singular values, falling, and the adjoint of V."""
    return tuple(_converged("linalg.svd", array, np.linalg.svd, full))


def svdvals(array):
    """The singular values, falling."""
    return _converged("linalg.svd", array, np.linalg.svd, False, False)


def _complex(array):
    return array if array.dtype.kind == "c" else array.astype(array.dtype.char.upper())


def _converged(name: str, array, function, *arguments):
    if name == "linalg.eig" and not np.isfinite(array).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    try:
        return function(array, *arguments)
    except np.linalg.LinAlgError:
        raise _not_converged(name, array) from None


def _not_converged(name: str, array) -> LinAlgError:
    finite = np.isfinite(array).all((-2, -1))
    place = "" if array.ndim == 2 or finite.all() else f"(Batch element {int(np.argmin(finite.ravel()))}): "
    if name == "linalg.svd" and not finite.all():
        return LinAlgError(
            f"{name}: {place}The algorithm failed to converge because the input matrix contained non-finite values."
        )
    what = "singular values" if name == "linalg.svd" else "eigenvalues"
    error = LinAlgError(
        f"{name}: {place}The algorithm failed to converge because the input matrix is ill-conditioned or has too many "
        f"repeated {what}."
    )
    error.add_note("Look for inf and NaN in the input first: not torch.isfinite(A).all().")
    return error


def lobpcg(array, start, metric, preconditioner, largest: bool, niter: int, tol: float) -> tuple:
    """A few eigenpairs of `A x = lambda B x` for symmetric matrices, as many as `start` has columns."""
    batch, (size, count) = start.shape[:-2], start.shape[-2:]
    values, vectors = np.zeros((*batch, count), array.dtype), np.zeros(start.shape, array.dtype)
    for place in np.ndindex(batch):
        matrix, B, inverse = (None if each is None else each[place] for each in (array, metric, preconditioner))
        limit = tol * float(np.linalg.norm(matrix))
        if size < 5 * count:  # too few rows for steps in three directions
            found = _all_pairs(matrix, B, largest)
        else:
            steps = niter if niter >= 0 else 100 * size
            with warnings.catch_warnings(action="ignore"):  # that `niter` was reached, which PyTorch does not say
                found = _sparse().lobpcg(matrix, start[place], B, inverse, tol=limit, maxiter=steps, largest=largest)
        values[place], vectors[place] = found[0][:count], found[1][:, :count]
    return values, vectors


def _all_pairs(matrix, metric, largest: bool) -> tuple:
    values, vectors = linalg().eigh(matrix, metric)
    return (values[::-1], vectors[:, ::-1]) if largest else (values, vectors)


@functools.cache
def _sparse():
    import scipy.sparse.linalg

    return scipy.sparse.linalg
