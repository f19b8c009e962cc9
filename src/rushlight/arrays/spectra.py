"""Eigenvalues and singular values of stacks of matrices, by NumPy, with PyTorch's errors."""

from __future__ import annotations

import functools
import warnings

import numpy as np

from rushlight.arrays.lapack import linalg
from rushlight.core.errors import LinAlgError


def eigh(array, triangle: str) -> tuple:
    """The eigenvalues, ascending, and eigenvectors of Hermitian matrices, read from one triangle."""
    return tuple(_converged("linalg.eigh", array, np.linalg.eigh, triangle))


def eigvalsh(array, triangle: str):
    """The eigenvalues of Hermitian matrices, ascending."""
    return _converged("linalg.eigh", array, np.linalg.eigvalsh, triangle)


def eig(array) -> tuple:
    """The eigenvalues and eigenvectors of square matrices, always complex."""
    values, vectors = _converged("linalg.eig", array, np.linalg.eig)
    return _complex(values), _complex(vectors)


def eigvals(array):
    """The eigenvalues of square matrices, always complex."""
    return _complex(_converged("linalg.eig", array, np.linalg.eigvals))


def svd(array, full: bool) -> tuple:
    """U, the singular values, descending, and the adjoint of V."""
    return tuple(_converged("linalg.svd", array, np.linalg.svd, full))


def svdvals(array):
    """The singular values, descending."""
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
    for index in np.ndindex(batch):
        matrix, B, inverse = (None if x is None else x[index] for x in (array, metric, preconditioner))
        limit = tol * float(np.linalg.norm(matrix))
        if size < 5 * count:  # too few rows for steps in three directions
            pairs = _all_pairs(matrix, B, largest)
        else:
            steps = niter if niter >= 0 else 100 * size
            with warnings.catch_warnings(action="ignore"):  # PyTorch does not warn that `niter` was reached
                pairs = _sparse().lobpcg(matrix, start[index], B, inverse, tol=limit, maxiter=steps, largest=largest)
        values[index], vectors[index] = pairs[0][:count], pairs[1][:, :count]
    return values, vectors


def _all_pairs(matrix, metric, largest: bool) -> tuple:
    values, vectors = linalg().eigh(matrix, metric)
    return (values[::-1], vectors[:, ::-1]) if largest else (values, vectors)


@functools.cache
def _sparse():
    import scipy.sparse.linalg

    return scipy.sparse.linalg
