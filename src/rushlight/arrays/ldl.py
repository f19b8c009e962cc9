"""`A = L D L^T` of symmetric matrices, D with blocks of size one and two, packed and permuted as by LAPACK.

LAPACK's own solver for these factors is not in every SciPy; see Golub and Van Loan, "Matrix computations", section 4.4.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.lapack import INT32, by_matrix, routine
from rushlight.arrays.small_matrices import exchange, planes, stacked


def ldl(array, hermitian: bool) -> tuple:
    """Returns L and D in one matrix, LAPACK's pivots, and the index of the first zero of D, else 0."""
    if not array.shape[-1]:
        return array.copy(), np.zeros(array.shape[:-1], INT32), np.zeros(array.shape[:-2], INT32)
    return factored(array, "hetrf" if hermitian and array.dtype.kind == "c" else "sytrf")


def factored(array, name: str) -> tuple:
    """Returns the same, by LAPACK's routine of this name."""
    size, factorize = array.shape[-1], routine(name, array.dtype.char)

    def factors(matrix):
        packed, pivots, info = factorize(matrix, lower=1)
        return np.tril(packed), pivots, info

    return by_matrix(factors, (array,), (array.shape[-2:], array.dtype), ((size,), INT32), ((), INT32))


def ldl_solve(factors, pivots, array, hermitian: bool):
    """Solves `A X = B` with the factors from `ldl`, for all matrices of a batch at once, row by row."""
    if not array.size:
        return array.copy()
    packed, right, pivots = planes(factors), planes(array), planes(pivots[..., None])[:, 0].astype(np.int64)
    first = _first_of_two(pivots)
    diagonal, off_diagonal = np.arange(len(packed)), np.arange(len(packed) - 1)
    below = np.where(first[:-1], packed[off_diagonal + 1, off_diagonal], 0)
    packed[off_diagonal + 1, off_diagonal] -= below
    above = below.conj() if hermitian else below
    for row in diagonal:
        _exchange(right, row, pivots, first)
        right[row + 1 :] -= packed[row + 1 :, row, None] * right[row]
        right[row] /= np.where(pivots[row] > 0, packed[row, row], 1)
        if row and first[row - 1].any():
            _divide(right[row - 1 : row + 1], packed, row, below[row - 1], above[row - 1], first[row - 1])
    adjoint = packed.conj() if hermitian else packed
    for row in reversed(diagonal):
        right[row] -= (adjoint[row + 1 :, row, None] * right[row + 1 :]).sum(0)
        _exchange(right, row, pivots, first)
    return stacked(right, array.shape[:-2])


def _first_of_two(pivots):
    """Returns where a block of size two begins: it has negative pivots."""
    begins = pivots < 0
    for row in range(1, len(begins)):
        begins[row] &= ~begins[row - 1]
    begins[-1] = False
    return begins


def _exchange(right, row: int, pivots, first) -> None:
    """Swaps the last row of the block that begins at `row`, if one does, with its pivot row."""
    alone = pivots[row] > 0
    if alone.any():
        exchange(right, row, np.where(alone, pivots[row] - 1, row))
    if first[row].any():
        exchange(right, row + 1, np.where(first[row], -pivots[row] - 1, row + 1))


def _divide(rows, packed, end: int, below, above, where) -> None:
    """Solves for two rows with blocks of size two, in place; gives infinities for singular blocks."""
    one, two = packed[end - 1, end - 1], packed[end, end]
    size = one * two - below * above
    upper, lower = (two * rows[0] - above * rows[1]) / size, (one * rows[1] - below * rows[0]) / size
    np.copyto(rows, (upper, lower), where=where)
