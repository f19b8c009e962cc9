"""Functions of matrices that are more than one call of LAPACK."""

from __future__ import annotations

import functools
import math

import numpy as np

from rushlight.arrays.solving import solve
from rushlight.arrays.spectra import eigh, eigvalsh, svd, svdvals

# ---- exponential

# By the bytes of a real number: the degree of numerator and denominator, and how large a matrix may be for it (Higham,
# "The scaling and squaring method for the matrix exponential revisited", 2005).
PADE = {4: (7, 3.925724783138660), 8: (13, 5.371920351148152)}
ROWS = 64  # up to which double precision takes little longer: then only PyTorch's rounding parts us from PyTorch


def matrix_exponential(array):
    """The exponentials of square matrices: Pade approximants of them divided by a power of 2, squared as often."""
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
    found, _ = solve(*_fraction(small, _coefficients(degree, array.dtype)))
    for step in range(most):
        again = squarings > step
        if again.all():
            found = found @ found
        else:
            found[again] = found[again] @ found[again]
    return found


@functools.cache
def _coefficients(degree: int, kind: np.dtype):
    """Those of the powers of a matrix in the numerator of its exponential: of odd and even ones, up to A^7 and beyond.

    Those that are beyond are multiplied by A^6 once more, so that 1, A^2, A^4, A^6 are all the powers there are.
    """
    found = np.zeros(16)
    for power in range(degree + 1):
        found[power] = math.comb(degree, power) * math.factorial(2 * degree - power) / math.factorial(2 * degree)
    odd, even = found[1::2], found[::2]
    near = np.stack((odd[:4], even[:4]))
    far = np.stack((odd[3:7], even[3:7])) * [0, 1, 1, 1]
    return near.astype(kind), far.astype(kind) if degree > 7 else None


def _fraction(A, coefficients) -> tuple:
    """The denominator and the numerator of the approximant: even powers less odd ones, and their sum."""
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
