"""Linear equations, inverses and determinants on the device: nothing waits for a zero pivot."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.lapack import first
from rushlight.arrays.small_matrices import INT32
from rushlight.core.tables import xp


def solve(a, b):
    """Returns `x` with `a @ x = b` for square matrices, and for each the index of its first zero pivot, else 0."""
    own, batch = a.shape[:-2], np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if not a.size or not b.size:
        return np.zeros((*batch, *b.shape[-2:]), b.dtype), np.zeros(own, INT32)
    solvers = np.linalg.solvers
    factors, right = solvers.columns(a), solvers.columns(np.broadcast_to(b, (*batch, *b.shape[-2:])))
    pivots, info = solvers.getrf(factors)
    size = a.shape[-1]
    if len(factors) == 1:
        solvers.getrs(factors, pivots, right.reshape(1, -1, size))
    else:
        if len(factors) < len(right):
            factors = solvers.rows(np.broadcast_to(factors.reshape(*own, size, size), (*batch, size, size)))
            pivots = solvers.vectors(np.broadcast_to(pivots.reshape(*own, size), (*batch, size)))
        solvers.getrs(factors, pivots, right)
    return solvers.matrices(right, batch), info.reshape(own)


def inverse(array):
    """Returns the inverses of square matrices, and for each the index of its first zero pivot, else 0."""
    return solve(array, np.broadcast_to(np.eye(array.shape[-1], dtype=array.dtype), array.shape))


def solve_triangular(a, b, upper: bool, left: bool, unit: bool):
    """Returns `x` with `a @ x = b`, or `x @ a = b` unless `left`; reads one triangle of `a`, no diagonal if `unit`."""
    own, batch = a.shape[:-2], np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = *batch, *b.shape[-2:]
    if not math.prod(shape):
        return np.empty(shape, b.dtype)
    solvers = np.linalg.solvers
    right = solvers.rows(np.broadcast_to(b, shape))
    if math.prod(own) > 1:
        a = np.broadcast_to(a, (*batch, *a.shape[-2:]))
    elif not left:  # all rows are right sides of one matrix
        right = right.reshape(1, -1, shape[-1])
    # Rows of a matrix are columns of its transpose, so that no order changes: x.T @ a.T = b.T
    solvers.trsm(solvers.rows(a), right, left=not left, lower=upper, unit=unit)
    return right.reshape(shape)


# ---- least squares


def least_squares(a, b, rcond: float, driver: str):
    """Returns the minimum-norm least-squares solution; for each `a` the rank, singular values, LAPACK's code.

    "gels" is by reflections and assumes full rank, the other drivers are by singular values.
    """
    own, count = a.shape[:-2], min(a.shape[-2:])
    batch = np.broadcast_shapes(own, b.shape[:-2])
    rank, singular, info = np.zeros(own, np.int64), np.zeros((*own, count), a.real.dtype), np.zeros(own, INT32)
    if not a.size or not b.size:
        return np.zeros((*batch, a.shape[-1], b.shape[-1]), a.dtype), rank, singular, info
    if driver == "gels":
        x, info = of_full_rank(a, b, batch)
        return x, rank + count, singular, info
    left, singular, right = np.linalg.svd(a, False)
    kept = singular > rcond * singular[..., :1]
    inverses = np.where(kept, 1 / np.where(kept, singular, 1), 0)[..., None]
    x = adjoint(right) @ (inverses.astype(singular.dtype) * (adjoint(left) @ b))
    return x, np.count_nonzero(kept, -1), singular if driver != "gelsy" else np.zeros_like(singular), info


def of_full_rank(a, b, batch: tuple) -> tuple:
    """Returns the solution by reflections, and for each `a` the first zero on the diagonal of R, else 0."""
    rows, columns = a.shape[-2:]
    packed, factors = xp.geqrf(a if rows >= columns else adjoint(a))
    triangle = packed[..., : min(rows, columns), :]
    info = first(np.diagonal(triangle, 0, -2, -1) == 0)
    packed = np.broadcast_to(packed, (*batch, *packed.shape[-2:]))
    factors = np.broadcast_to(factors, (*batch, factors.shape[-1]))
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    if rows >= columns:
        pulled = xp.ormqr(packed, factors, b, True, True)[..., :columns, :]
        return solve_triangular(triangle, pulled, True, True, False), info
    half = solve_triangular(adjoint(triangle), b, False, True, False)
    rest = np.zeros((*batch, columns - rows, b.shape[-1]), b.dtype)
    return xp.ormqr(packed, factors, np.concatenate((half, rest), -2), True, False), info


def adjoint(array):
    """Returns the conjugate transposes of matrices."""
    return np.swapaxes(array, -1, -2).conj()


# ---- determinants


def determinant(array):
    """Returns the determinants of square matrices, 1 for matrices without elements."""
    if not array.size:
        return np.ones(array.shape[:-2], array.dtype)
    diagonal, sign, is_zero = pivoted(array)
    result = np.prod(diagonal, -1) * sign
    return spoiled(array, np.where(is_zero, array.dtype.type(0), result))


def log_determinant(array):
    """Returns the signs of the determinants of square matrices, and the logarithms of their absolute values."""
    batch, real = array.shape[:-2], array.real.dtype
    if not array.size:
        return np.ones(batch, array.dtype), np.zeros(batch, real)
    diagonal, sign, is_zero = pivoted(array)
    sizes = np.abs(diagonal)
    phase = np.where(is_zero, array.dtype.type(0), np.prod(diagonal / sizes, -1) * sign)
    size = np.where(is_zero, real.type(-math.inf), np.add.reduce(np.log(sizes), -1))
    return phase, spoiled(array, size)


def pivoted(array) -> tuple:
    """Returns the pivots of square matrices, the signs of their row exchanges, and whether a pivot is zero."""
    stack = np.linalg.solvers.columns(array)
    swaps, info = np.linalg.solvers.getrf(stack)
    exchanged = np.count_nonzero(swaps != np.arange(1, array.shape[-1] + 1, dtype=INT32), -1)
    sign = (1 - 2 * (exchanged % 2)).astype(array.real.dtype)
    batch = array.shape[:-2]
    diagonal = np.ascontiguousarray(np.diagonal(stack, 0, 1, 2)).reshape(*batch, -1)
    return diagonal, sign.reshape(batch), (info != 0).reshape(batch)


def spoiled(array, result):
    """Replaces results by nan for matrices with a nan: a factorization that stops at a zero pivot does not see it."""
    return np.where(np.isnan(array).any((-2, -1)), result.dtype.type(math.nan), result)
