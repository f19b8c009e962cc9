"""LAPACK's routines on stacks of matrices; those that NumPy lacks are called matrix by matrix through SciPy.

`small_matrices` handles batches of many small matrices. SciPy is imported on first use. Matrices are in the last two
dimensions; the leading dimensions are the batch.
"""

from __future__ import annotations

import functools
import sys

import numpy as np

from rushlight.arrays import small_matrices
from rushlight.arrays.small_matrices import INT32, are_many, are_tiny
from rushlight.arrays.threads import set_blas_threads

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
LARGE = 128  # rows from which SciPy's LAPACK, with newer kernels, is faster
WORTH = 1 << 29  # multiplications after which that has saved half of SciPy's import time, 0.1 s
BLOCK = 64  # columns that LAPACK processes at a time if it has the workspace
UNITARY = {"orgqr": "ungqr", "ormqr": "unmqr"}  # names of the orthogonal routines for complex dtypes


@functools.cache
def linalg():
    """Imports `scipy.linalg`, whose BLAS is not NumPy's and needs its own number of threads."""
    import scipy.linalg

    set_blas_threads(scipy)
    return scipy.linalg


@functools.cache
def routine(name: str, letter: str):
    """Returns a routine of LAPACK or BLAS for the dtype with NumPy's letter."""
    blas, lapack = linalg().blas, linalg().lapack
    full = LETTERS[letter] + (UNITARY.get(name, name) if letter in "FD" else name)
    return getattr(lapack if hasattr(lapack, full) else blas, full)


class SlowProducts:
    """Counts multiplications done by NumPy's LAPACK for which SciPy's would have been faster."""

    def __init__(self):
        self.products = 0


SLOW_PRODUCTS = SlowProducts()


def is_better(array) -> bool:
    """Whether to use SciPy's LAPACK although NumPy has the routine: if it is loaded, or importing it pays off."""
    if array.shape[-1] < LARGE or not array.size:
        return False
    SLOW_PRODUCTS.products += array.size * array.shape[-1]
    return "scipy.linalg" in sys.modules or SLOW_PRODUCTS.products >= WORTH


def by_matrix(function, arrays, *results) -> tuple:
    """Applies a function to each matrix of some stacks: `results` are pairs (shape, dtype) for one matrix."""
    batch = arrays[0].shape[:-2]
    outputs = tuple(np.zeros((*batch, *shape), dtype) for shape, dtype in results)
    for index in np.ndindex(batch):
        parts = function(*(stack[index] for stack in arrays))
        for output, part in zip(outputs, parts, strict=True):
            output[index] = part
    return outputs


# ---- factors


def cholesky(array, upper: bool) -> tuple:
    """The triangular factor of each positive-definite matrix, and the order of the first minor that is not, else 0."""
    if are_tiny(array) and (factor := small_matrices.cholesky(array, upper)) is not None:
        return factor, np.zeros(array.shape[:-2], INT32)
    if is_better(array):
        factor, info = _cholesky_each(array, upper)
        if info.any():
            return factor, info
    else:
        try:
            factor = np.linalg.cholesky(array, upper=upper)
        except np.linalg.LinAlgError:
            return _cholesky_each(array, upper)
    size = array.shape[-1]
    # NaN passes LAPACK's test for a positive pivot.
    is_nan = np.isnan(np.diagonal(factor, 0, -2, -1).real)
    return factor, first(is_nan) if size else np.zeros(array.shape[:-2], INT32)


def first(marks):
    """The number of the first mark that is true in the last dimension, counted from 1, or 0."""
    return np.where(marks.any(-1), marks.argmax(-1) + 1, 0).astype(INT32)


def _cholesky_each(array, upper: bool) -> tuple:
    potrf = routine("potrf", array.dtype.char)

    def factors(matrix):
        # The transpose is in Fortran order; its other factor is the transpose of this one
        packed, info = potrf(matrix.T, lower=upper, clean=1)
        return packed.T, info

    return by_matrix(factors, (array,), (array.shape[-2:], array.dtype), ((), INT32))


def inverses(array) -> tuple:
    """The inverse of each matrix, and the first zero pivot, else 0."""
    factor, invert = routine("getrf", array.dtype.char), routine("getri", array.dtype.char)

    def inverse(matrix):
        packed, pivots, info = factor(matrix.T)
        return (packed if info else invert(packed, pivots, lwork=BLOCK * len(matrix))[0]).T, info

    return by_matrix(inverse, (array,), (array.shape[-2:], array.dtype), ((), INT32))


def cholesky_inverse(factor, upper: bool) -> tuple:
    """The inverse of each matrix given its Cholesky factor, and the first zero on the diagonal, else 0."""
    if not factor.size:
        return factor.copy(), np.zeros(factor.shape[:-2], INT32)
    if are_many(factor):
        return small_matrices.cholesky_inverse(factor, upper)
    potri, low = routine("potri", factor.dtype.char), not upper

    def inverse(matrix):
        packed, info = potri(matrix, lower=low)
        half = np.tril(packed) if low else np.triu(packed)
        rest = (np.tril(packed, -1) if low else np.triu(packed, 1)).conj().T
        return half + rest, info

    return by_matrix(inverse, (factor,), (factor.shape[-2:], factor.dtype), ((), INT32))


def lu(array) -> tuple:
    """Both triangular factors in one matrix, the row swaps (counted from 1), and the first zero pivot, else 0."""
    batch, count = array.shape[:-2], min(array.shape[-2:])
    if not array.size:
        return array.copy(), np.zeros((*batch, count), INT32), np.zeros(batch, INT32)
    if are_many(array):
        return small_matrices.lu(array)
    getrf = routine("getrf", array.dtype.char)

    def factors(matrix):
        packed, pivots, info = getrf(matrix)
        return packed, pivots + 1, info

    return by_matrix(factors, (array,), (array.shape[-2:], array.dtype), ((count,), INT32), ((), INT32))


TOGETHER = 256  # matrices whose rows are swapped all at once; for fewer, swapping Python lists is faster


def permutations(pivots, size: int, dtype):
    """The matrices P of `A = P L U` for successive row swaps."""
    batch, columns = pivots.shape[:-1], np.arange(size)
    if not pivots.size:
        return np.broadcast_to(np.eye(size, dtype=dtype), (*batch, size, size)).copy()
    all_swaps = pivots.reshape(-1, pivots.shape[-1]).astype(np.int64) - 1
    if len(all_swaps) < TOGETHER:
        rows = np.array([exchanged(swaps, size) for swaps in all_swaps.tolist()])
        return (columns[:, None] == rows[:, None]).astype(dtype).reshape(*batch, size, size)
    rows = np.repeat(columns[:, None, None], len(all_swaps), -1)
    for step, rows_swapped in enumerate(all_swaps.T):
        small_matrices.exchange(rows, step, rows_swapped)
    return small_matrices.stacked(columns[:, None, None] == rows[:, 0], batch).astype(dtype)


def exchanged(swaps: list[int], size: int) -> list[int]:
    """Returns the row numbers after successive swaps."""
    rows = list(range(size))
    for row, other in enumerate(swaps):
        rows[row], rows[other] = rows[other], rows[row]
    return rows


# ---- reflections

REFLECTED = 8  # size of small matrices up to which NumPy's loop takes longer


def qr(array, mode: str) -> tuple:
    """Q and R; an empty Q in the mode "r"."""
    if mode == "r":
        return np.zeros(0, array.dtype), np.linalg.qr(array, "r")
    if are_tiny(array, REFLECTED):
        return small_matrices.qr(array, array.shape[-2] if mode == "complete" else min(array.shape[-2:]))
    return tuple(np.linalg.qr(array, mode))


def geqrf(array) -> tuple:
    """R above the vectors of the reflections whose product is Q, and their factors."""
    if are_tiny(array, REFLECTED):
        return small_matrices.geqrf(array)
    packed, factors = np.linalg.qr(array, "raw")
    return np.swapaxes(packed, -1, -2), factors


def householder_product(array, factors):
    """The first columns of the product of the reflections from `geqrf`."""
    *batch, _, columns = array.shape
    count = factors.shape[-1]
    if not array.size or not count:
        return np.broadcast_to(np.eye(*array.shape[-2:], dtype=array.dtype), array.shape).copy()
    if are_many(array):
        return small_matrices.householder_product(array, factors)
    generate = routine("orgqr", array.dtype.char)
    (q,) = by_matrix(
        lambda matrix, row: (generate(matrix, row[0], lwork=32 * columns)[0],),
        (array, factors[..., None, :]),
        (array.shape[-2:], array.dtype),
    )
    return q


def ormqr(array, factors, other, left: bool, transpose: bool):
    """The product of all reflections from `geqrf`, or of their adjoints, with other matrices."""
    count = factors.shape[-1]
    if not other.size or not count:
        return other.copy()
    if are_many(array) and are_many(other):
        return small_matrices.ormqr(array, factors, other, left, transpose)
    multiply = routine("ormqr", array.dtype.char)
    adjoint = "C" if array.dtype.kind == "c" else "T"
    side, trans = "L" if left else "R", adjoint if transpose else "N"
    work = 32 * max(other.shape[-2:])
    (product_,) = by_matrix(
        lambda matrix, row, right: (multiply(side, trans, matrix[:, :count], row[0], right, work)[0],),
        (array, factors[..., None, :], other),
        (other.shape[-2:], other.dtype),
    )
    return product_
