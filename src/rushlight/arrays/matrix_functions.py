"""Functions of matrices that are more than one call of LAPACK; SciPy is imported with the first exponential."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.lapack import linalg
from rushlight.arrays.spectra import eigh, eigvalsh, svd, svdvals
from rushlight.arrays.threads import alone

SMALL = 128  # rows of matrices whose products one thread has done before others have been woken


def matrix_exponential(array):
    """The exponentials of square matrices."""
    import scipy

    if not array.size:
        return array.copy()
    expm = linalg().expm
    return alone(scipy, expm, array) if array.shape[-1] <= SMALL else expm(array)


def pseudo_inverse(array, atol, rtol, hermitian: bool):
    """The inverses of matrices, but with 0 for the inverses of negligible singular values."""
    if not array.size:
        return np.swapaxes(array, -1, -2).copy()
    if hermitian:
        values, left = eigh(array, "L")
        right = np.swapaxes(left.conj(), -1, -2)
    else:
        left, values, right = svd(array, False)
    kept = _kept(array, np.abs(values), atol, rtol)
    inverses = np.where(kept, 1 / np.where(kept, values, 1), 0).astype(values.dtype)
    return (np.swapaxes(right.conj(), -1, -2) * inverses[..., None, :]) @ np.swapaxes(left.conj(), -1, -2)


def rank(array, atol, rtol, hermitian: bool):
    """How many singular values of each matrix are not negligible."""
    if not array.size:
        return np.zeros(array.shape[:-2], np.int64)
    values = np.abs(eigvalsh(array, "L")) if hermitian else svdvals(array)
    return np.count_nonzero(_kept(array, values, atol, rtol), -1)


def _kept(array, values, atol, rtol):
    """Which singular values exceed both tolerances: an absolute one, and one as a part of the largest value.

    If none is given, the relative one is eps times the longer side of the matrix.
    """
    if rtol is None:
        rtol = np.float64(np.finfo(values.dtype).eps) * max(array.shape[-2:])
        rtol = rtol if atol is None else np.where(atol > 0, 0, rtol)
    floor, part = (np.expand_dims(np.float64(0 if each is None else each), -1) for each in (atol, rtol))
    return values > np.maximum(floor, part * values.max(-1, keepdims=True))
