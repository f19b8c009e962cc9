"""`A = L D L^T` of symmetric matrices, D with blocks of one and two, as LAPACK packs and permutes it.

LAPACK's own solver with these factors is not in every SciPy. What it does is little: Golub and Van Loan, "Matrix
computations", section 4.4.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.lapack import INT32, by_matrix, routine


def ldl(array, hermitian: bool) -> tuple:
    """L and D in one matrix, LAPACK's pivots, and the first zero of D, else 0."""
    size = array.shape[-1]
    factorize = routine("hetrf" if hermitian and array.dtype.kind == "c" else "sytrf", array.dtype.char)
    if not size:
        return array.copy(), np.zeros(array.shape[:-1], INT32), np.zeros(array.shape[:-2], INT32)

    def factors(each):
        found, pivots, info = factorize(each, lower=1)
        return np.tril(found), pivots, info

    return by_matrix(factors, (array,), (array.shape[-2:], array.dtype), ((size,), INT32), ((), INT32))


def ldl_solve(factors, pivots, array, hermitian: bool):
    """The solutions X of `A X = B`, given what `ldl` made of A."""
    (found,) = by_matrix(
        lambda matrix, row, right: (_solved(matrix, row[0], right.copy(), hermitian),),
        (factors, pivots[..., None, :], array),
        (array.shape[-2:], array.dtype),
    )
    return found


def _solved(packed, pivots, right, hermitian: bool):
    """One solution, in the memory of the right side."""
    blocks = list(_blocks(pivots))
    for start, end, other in blocks:
        _exchange(right, end - 1, other)
        right[end:] -= packed[end:, start:end] @ right[start:end]
        right[start:end] = _inverse(_block(packed, start, end, hermitian)) @ right[start:end]
    for start, end, other in reversed(blocks):
        below = packed[end:, start:end]
        right[start:end] -= (below.conj() if hermitian else below).T @ right[end:]
        _exchange(right, end - 1, other)
    return right


def _blocks(pivots):
    """Where each block of D begins and ends, and the row that its last one was exchanged with."""
    start = 0
    while start < len(pivots):
        end = start + (1 if pivots[start] > 0 else 2)
        yield start, end, abs(int(pivots[start])) - 1
        start = end


def _block(packed, start: int, end: int, hermitian: bool):
    """One block of D, of which the lower triangle is stored."""
    low = packed[start:end, start:end]
    above = np.tril(low, -1).T
    return np.tril(low) + (above.conj() if hermitian else above)


def _inverse(block):
    """The inverse of a block of one or two; infinite, not refused, where there is none."""
    if len(block) == 1:
        return 1 / block
    (a, b), (c, d) = block
    return np.array([[d, -b], [-c, a]]) / (a * d - b * c)


def _exchange(array, row: int, other: int) -> None:
    array[[row, other]] = array[[other, row]]
