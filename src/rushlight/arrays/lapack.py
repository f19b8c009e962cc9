"""LAPACK's routines on stacks of matrices: those that NumPy has not, matrix by matrix through SciPy.

Many small matrices at once are `small_matrices`' business. SciPy is imported with the first call. Matrices stand in the
last two dimensions; what stands before them is the batch.
"""

from __future__ import annotations

import functools
import sys

import numpy as np

from rushlight.arrays import small_matrices
from rushlight.arrays.small_matrices import INT32, are_many, are_tiny
from rushlight.arrays.threads import tell_blas

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
LARGE = 128  # rows from where on SciPy's LAPACK is the quicker one, whose kernels are newer
WORTH = 1 << 29  # products of numbers during which that saves half of what its import takes, 0.1 s
BLOCK = 64  # columns that LAPACK works on at a time where there is room for them
UNITARY = {"orgqr": "ungqr", "ormqr": "unmqr"}  # what orthogonal routines are called for complex numbers


@functools.cache
def linalg():
    """`scipy.linalg`, whose BLAS is not NumPy's, and has to be told by itself how many threads there may be."""
    import scipy.linalg

    tell_blas(scipy)
    return scipy.linalg


@functools.cache
def routine(name: str, letter: str):
    """A routine of LAPACK or BLAS for the dtype with NumPy's letter."""
    blas, lapack = linalg().blas, linalg().lapack
    full = LETTERS[letter] + (UNITARY.get(name, name) if letter in "FD" else name)
    return getattr(lapack if hasattr(lapack, full) else blas, full)


class Asked:
    """How many products of numbers NumPy's LAPACK has been asked for that SciPy's would have been quicker at."""

    def __init__(self):
        self.products = 0


ASKED = Asked()


def is_better(array) -> bool:
    """Whether SciPy's LAPACK is asked although NumPy has the routine: if it is there, or worth its import."""
    if array.shape[-1] < LARGE or not array.size:
        return False
    ASKED.products += array.size * array.shape[-1]
    return "scipy.linalg" in sys.modules or ASKED.products >= WORTH


def by_matrix(function, arrays, *results) -> tuple:
    """What a function of the matrices of some stacks makes of each: `results` are pairs (shape, dtype) for one."""
    batch = arrays[0].shape[:-2]
    found = tuple(np.zeros((*batch, *shape), kind) for shape, kind in results)
    for place in np.ndindex(batch):
        made = function(*(each[place] for each in arrays))
        for whole, part in zip(found, made, strict=True):
            whole[place] = part
    return found


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
    # A NaN passes LAPACK's test for a positive pivot.
    strange = np.isnan(np.diagonal(factor, 0, -2, -1).real)
    info = np.where(strange.any(-1), strange.argmax(-1) + 1, 0) if size else np.zeros(array.shape[:-2])
    return factor, np.asarray(info, INT32)


def _cholesky_each(array, upper: bool) -> tuple:
    potrf = routine("potrf", array.dtype.char)

    def factors(each):
        # Of the transpose, which lies in Fortran's order, the other factor is the transpose
        found, info = potrf(each.T, lower=upper, clean=1)
        return found.T, info

    return by_matrix(factors, (array,), (array.shape[-2:], array.dtype), ((), INT32))


def inverses(array) -> tuple:
    """The inverse of each matrix, and the first zero pivot, else 0."""
    factor, invert = routine("getrf", array.dtype.char), routine("getri", array.dtype.char)

    def inverse(each):
        found, pivots, info = factor(each.T)
        return (found if info else invert(found, pivots, lwork=BLOCK * len(each))[0]).T, info

    return by_matrix(inverse, (array,), (array.shape[-2:], array.dtype), ((), INT32))


def cholesky_inverse(factor, upper: bool) -> tuple:
    """The inverse of each matrix of which this is the Cholesky factor, and the first zero on its diagonal, else 0."""
    if not factor.size:
        return factor.copy(), np.zeros(factor.shape[:-2], INT32)
    if are_many(factor):
        return small_matrices.cholesky_inverse(factor, upper)
    potri, low = routine("potri", factor.dtype.char), not upper

    def inverse(each):
        found, info = potri(each, lower=low)
        half = np.tril(found) if low else np.triu(found)
        rest = (np.tril(found, -1) if low else np.triu(found, 1)).conj().T
        return half + rest, info

    return by_matrix(inverse, (factor,), (factor.shape[-2:], factor.dtype), ((), INT32))


def lu(array) -> tuple:
    """Both triangular factors in one matrix, the rows swapped (counted from 1), and the first zero pivot, else 0."""
    batch, count = array.shape[:-2], min(array.shape[-2:])
    if not array.size:
        return array.copy(), np.zeros((*batch, count), INT32), np.zeros(batch, INT32)
    if are_many(array):
        return small_matrices.lu(array)
    getrf = routine("getrf", array.dtype.char)

    def factors(each):
        found, pivots, info = getrf(each)
        return found, pivots + 1, info

    return by_matrix(factors, (array,), (array.shape[-2:], array.dtype), ((count,), INT32), ((), INT32))


TOGETHER = 256  # matrices whose rows are swapped all at once; of fewer, Python's own numbers are swapped sooner


def permutations(pivots, size: int, kind):
    """The matrices P of `A = P L U` for the rows swapped one after the other."""
    batch, places = pivots.shape[:-1], np.arange(size)
    if not pivots.size:
        return np.broadcast_to(np.eye(size, dtype=kind), (*batch, size, size)).copy()
    each = pivots.reshape(-1, pivots.shape[-1]).astype(np.int64) - 1
    if len(each) < TOGETHER:
        rows = np.array([exchanged(swaps, size) for swaps in each.tolist()])
        return (places[:, None] == rows[:, None]).astype(kind).reshape(*batch, size, size)
    rows = np.repeat(places[:, None, None], len(each), -1)
    for step, others in enumerate(each.T):
        small_matrices.exchange(rows, step, others)
    return small_matrices.stacked(places[:, None, None] == rows[:, 0], batch).astype(kind)


def exchanged(swaps: list[int], size: int) -> list[int]:
    """The numbers of rows, each of which has been swapped in turn."""
    rows = list(range(size))
    for row, other in enumerate(swaps):
        rows[row], rows[other] = rows[other], rows[row]
    return rows


# ---- reflections

REFLECTED = 8  # rows and columns of small matrices up to which NumPy's loop takes longer


def qr(array, mode: str) -> tuple:
    """Q and R; an empty Q in the mode "r"."""
    if mode == "r":
        return np.zeros(0, array.dtype), np.linalg.qr(array, "r")
    if are_tiny(array, REFLECTED):
        return small_matrices.qr(array, array.shape[-2] if mode == "complete" else min(array.shape[-2:]))
    return tuple(np.linalg.qr(array, mode))


def geqrf(array) -> tuple:
    """R over the vectors of the reflections whose product is Q, and their factors."""
    if are_tiny(array, REFLECTED):
        return small_matrices.geqrf(array)
    packed, factors = np.linalg.qr(array, "raw")
    return np.swapaxes(packed, -1, -2), factors


def householder_product(array, factors):
    """The first columns of the product of the reflections that `geqrf` made."""
    *batch, _, columns = array.shape
    count = factors.shape[-1]
    if not array.size or not count:
        return np.broadcast_to(np.eye(*array.shape[-2:], dtype=array.dtype), array.shape).copy()
    if are_many(array):
        return small_matrices.householder_product(array, factors)
    generate = routine("orgqr", array.dtype.char)
    (found,) = by_matrix(
        lambda each, row: (generate(each, row[0], lwork=32 * columns)[0],),
        (array, factors[..., None, :]),
        (array.shape[-2:], array.dtype),
    )
    return found


def ormqr(array, factors, other, left: bool, transpose: bool):
    """The product of all reflections that `geqrf` made, or of their adjoints, with other matrices."""
    count = factors.shape[-1]
    if not other.size or not count:
        return other.copy()
    if are_many(array) and are_many(other):
        return small_matrices.ormqr(array, factors, other, left, transpose)
    multiply = routine("ormqr", array.dtype.char)
    adjoint = "C" if array.dtype.kind == "c" else "T"
    side, way = "L" if left else "R", adjoint if transpose else "N"
    work = 32 * max(other.shape[-2:])
    (found,) = by_matrix(
        lambda each, row, right: (multiply(side, way, each[:, :count], row[0], right, work)[0],),
        (array, factors[..., None, :], other),
        (other.shape[-2:], other.dtype),
    )
    return found
