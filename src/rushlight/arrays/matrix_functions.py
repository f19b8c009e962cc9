"""Matrix functions that need more than one call of LAPACK."""

from __future__ import annotations

import functools
import math

import numpy as np

from rushlight.arrays.solving import solve
from rushlight.arrays.spectra import eigh, eigvalsh, svd, svdvals

# ---- exponential

# By the size of a real element: the degree of numerator and denominator, and the largest norm it is used for (Higham,
# "The scaling and squaring method for the matrix exponential revisited", 2005).
PADE = {4: (7, 3.925724783138660), 8: (13, 5.371920351148152)}
ROWS = 64  # up to this size, float32 is computed in double precision: it costs little, and is most exact


def matrix_exponential(array):
    """The exponentials of square matrices: Pade approximants after scaling by a power of 2, then repeated squaring."""
    if array.shape[-1] <= 1:
        return np.exp(array)
    if not array.size:
        return array.copy()
    if array.real.itemsize < 8 and array.shape[-1] <= ROWS:
        return matrix_exponential(array.astype(np.result_type(array, np.float64))).astype(array.dtype)
    degree, limit = PADE[array.real.itemsize]
    largest = abs(array).sum(-2).max(-1)
    squarings = np.maximum(np.frexp(largest / limit)[1], 0)
    most = int(squarings.max())
    small = array * np.ldexp(largest.dtype.type(1), -squarings)[..., None, None] if most else array
    result, _ = solve(*_fraction(small, _coefficients(degree, array.dtype)))
    for step in range(most):
        unfinished = squarings > step
        if unfinished.all():
            result = result @ result
        else:
            result[unfinished] = result[unfinished] @ result[unfinished]
    return result


@functools.cache
def _coefficients(degree: int, dtype: np.dtype):
    """Coefficients of the odd and even powers of a matrix in the numerator, up to A^7 and beyond.

    Powers beyond are multiplied by A^6 once more, so that 1, A^2, A^4, A^6 are the only powers computed.
    """
    coefficients = np.zeros(16)
    for power in range(degree + 1):
        coefficients[power] = math.comb(degree, power) * math.factorial(2 * degree - power) / math.factorial(2 * degree)
    odd, even = coefficients[1::2], coefficients[::2]
    near = np.stack((odd[:4], even[:4]))
    far = np.stack((odd[3:7], even[3:7])) * np.array([0, 1, 1, 1])
    return near.astype(dtype), far.astype(dtype) if degree > 7 else None


def _fraction(A, coefficients) -> tuple:
    """The denominator and the numerator of the approximant: even powers minus odd ones, and their sum."""
    near, far = coefficients
    powers = np.empty((4, *A.shape), A.dtype)
    powers[0] = np.eye(A.shape[-1])
    np.matmul(A, A, powers[1])
    np.matmul(powers[1], powers[1], powers[2])
    np.matmul(powers[1], powers[2], powers[3])
    flat = powers.reshape(4, -1)
    sums = (near @ flat).reshape(2, *A.shape)
    if far is not None:
        sums += powers[3] @ (far @ flat).reshape(2, *A.shape)
    odd, even = A @ sums[0], sums[1]
    return even - odd, even + odd


# ---- pseudo-inverses


def pseudo_inverse(array, atol, rtol, hermitian: bool):
    """The pseudo-inverses of matrices: inverses with 0 for the inverses of negligible singular values."""
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
    """The number of singular values of each matrix that are not negligible."""
    if not array.size:
        return np.zeros(array.shape[:-2], np.int64)
    values = np.abs(eigvalsh(array, "L")) if hermitian else svdvals(array)
    return np.count_nonzero(_kept(array, values, atol, rtol), -1)


def _kept(array, values, atol, rtol):
    """Whether singular values exceed both tolerances: an absolute one, and one relative to the largest value.

    By default, the relative one is eps times the longer side of the matrix.
    """
    if rtol is None:
        rtol = np.float64(np.finfo(values.dtype).eps) * max(array.shape[-2:])
        rtol = rtol if atol is None else np.where(atol > 0, 0, rtol)
    floor, part = (np.expand_dims(np.float64(0 if tolerance is None else tolerance), -1) for tolerance in (atol, rtol))
    return values > np.maximum(floor, part * values.max(-1, keepdims=True))
