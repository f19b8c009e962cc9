"""Many small matrices, all at once: each step of an algorithm is taken by the whole batch, as a few calls of NumPy.

A call of LAPACK takes 2 us and more for each matrix; here one element of a thousand matrices takes less than 1 us. A
stack is turned into planes for it, (rows, columns, matrices), so that neighbours in memory belong together. Pivots are
LAPACK's: the first of the largest, where a complex number counts as `|re| + |im|`.
"""

from __future__ import annotations

import math

import numpy as np

INT32 = np.dtype(np.int32)  # what LAPACK counts in
SIDE = 16  # of larger matrices a call each is quicker
MATRICES_PER_ROW = 4  # of fewer matrices, too
TINY = 4  # rows up to which so many matrices are also quicker than by NumPy's loops in C
MULTITUDE = 300


def are_many(stack) -> bool:
    """Whether what is done to the matrices of a stack that has elements is done quicker to all at once."""
    *batch, rows, columns = stack.shape
    return rows <= SIDE and columns <= SIDE and math.prod(batch) >= MATRICES_PER_ROW * rows


def are_tiny(stack) -> bool:
    """Whether that is so even beside NumPy's own loop over a batch."""
    return max(stack.shape[-2:]) <= TINY and math.prod(stack.shape[:-2]) >= MULTITUDE


def planes(stack):
    """The elements of a stack by their place in the matrix: (rows, columns, matrices), in memory of their own."""
    rows, columns = stack.shape[-2:]
    return stack.reshape(-1, rows * columns).T.copy().reshape(rows, columns, -1)


def stacked(found, batch: tuple):
    """The stack of matrices, or of vectors, with these planes."""
    *shape, count = found.shape
    return found.reshape(-1, count).T.copy().reshape(*batch, *shape)


# ---- triangular factors


def lu(array) -> tuple:
    """What `lapack.lu` returns."""
    batch, work = array.shape[:-2], planes(array)
    pivots, info = eliminate(work, min(array.shape[-2:]))
    return stacked(work, batch), stacked(pivots, batch), info.reshape(batch)


def solve(a, b) -> tuple:
    """What `solving.solve` returns, for as many matrices as right sides."""
    batch, size = a.shape[:-2], a.shape[-1]
    work = planes(np.concatenate((a, b), -1))
    _, info = eliminate(work, size)
    substitute(work[:, :size], work[:, size:], True, False)
    return stacked(work[:, size:], batch), info.reshape(batch)


def eliminate(work, count: int) -> tuple:
    """Puts L and U in the place of matrices, so many columns of L; the pivots, and the number of the first zero."""
    pivots, info = np.empty((count, work.shape[-1]), INT32), np.zeros(work.shape[-1], INT32)
    for step in range(count):
        rest = work[step + 1 :]
        if len(rest):
            chosen = sizes(work[step:, step]).argmax(0) + step
            exchange(work, step, chosen)
            pivots[step] = chosen
        else:
            pivots[step] = step
        pivot = work[step, step]
        zero = pivot == 0
        if zero.any():
            info[zero & (info == 0)] = step + 1
            pivot = np.where(zero, 1, pivot)
        rest[:, step] /= pivot
        rest[:, step + 1 :] -= rest[:, step, None] * work[step, step + 1 :]
    return pivots + 1, info


def sizes(numbers):
    """How large LAPACK takes numbers for."""
    return abs(numbers.real) + abs(numbers.imag) if numbers.dtype.kind == "c" else abs(numbers)


def exchange(work, row: int, others) -> None:
    """Exchanges a row of each matrix with another one, not the same in all of them."""
    held = work[row].copy()
    places = others * held.size + np.arange(held.size).reshape(held.shape)
    flat = work.reshape(-1)
    work[row] = flat.take(places)
    flat[places] = held


def solve_triangular(a, b, upper: bool, left: bool, unit: bool):
    """What `solving.solve_triangular` returns, for as many triangular matrices as right sides."""
    batch, work, triangle = b.shape[:-2], planes(b), planes(a)
    if left:
        substitute(triangle, work, upper, unit)
    else:  # the transposes, the other way round
        substitute(np.swapaxes(triangle, 0, 1), np.swapaxes(work, 0, 1), not upper, unit)
    return stacked(work, batch)


def substitute(a, b, upper: bool, unit: bool) -> None:
    """Puts the solution X of `a X = b` in the place of b."""
    rows = range(len(a))
    for row in reversed(rows) if upper else rows:
        if not unit:
            b[row] /= a[row, row]
        rest = slice(row) if upper else slice(row + 1, None)
        b[rest] -= a[rest, row, None] * b[row]


def cholesky(array, upper: bool):
    """The triangular factors that `lapack.cholesky` returns; None where one has an end."""
    work = planes(np.swapaxes(array, -1, -2).conj() if upper else array)
    for step in range(len(work)):
        pivot = work[step, step].real
        if not (pivot > 0).all():
            return None
        work[step:, step] /= np.sqrt(pivot)
        work[step, step + 1 :] = 0
        rest = work[step + 1 :]
        rest[:, step + 1 :] -= rest[:, step, None] * rest[:, step].conj()
    return stacked(np.swapaxes(work, 0, 1).conj() if upper else work, array.shape[:-2])


def cholesky_inverse(factor, upper: bool) -> tuple:
    """What `lapack.cholesky_inverse` returns."""
    lower = planes(np.swapaxes(factor, -1, -2).conj() if upper else factor)
    count = len(lower)
    work, found = identity(lower.shape, lower.dtype), np.zeros_like(lower)
    substitute(lower, work, False, False)
    for row in range(count):
        part = work[row, : row + 1]
        found[: row + 1, : row + 1] += part.conj()[:, None] * part
    diagonal = np.arange(count)
    found[diagonal, diagonal] = found[diagonal, diagonal].real
    zero = lower[diagonal, diagonal] == 0
    info = np.where(zero.any(0), zero.argmax(0) + 1, 0).astype(INT32)
    return stacked(found, factor.shape[:-2]), info.reshape(factor.shape[:-2])


def identity(shape: tuple, kind):
    """Planes of matrices with ones on the diagonal, zeros elsewhere."""
    found, diagonal = np.zeros(shape, kind), np.arange(min(shape[:2]))
    found[diagonal, diagonal] = 1
    return found


# ---- reflections


def householder_product(array, factors):
    """What `lapack.householder_product` returns."""
    vectors = planes(array)
    found = identity(vectors.shape, vectors.dtype)
    reflect(vectors, planes(factors[..., None, :])[0], found, False)
    return stacked(found, array.shape[:-2])


def ormqr(array, factors, other, left: bool, transpose: bool):
    """What `lapack.ormqr` returns."""
    vectors, factors, work = planes(array), planes(factors[..., None, :])[0], planes(other)
    if left:
        reflect(vectors, factors, work, transpose)
    else:  # the transposes, the other way round
        reflect(vectors.conj(), factors.conj(), np.swapaxes(work, 0, 1), not transpose)
    return stacked(work, other.shape[:-2])


def reflect(vectors, factors, other, transpose: bool) -> None:
    """Multiplies other matrices by the product of the reflections, or by its adjoint."""
    steps = range(len(factors))
    for step in steps if transpose else reversed(steps):
        vector = vectors[step:, step, None]
        vector[0] = 1
        part = other[step:]
        along = (vector.conj() * part).sum(0)
        along *= factors[step].conj() if transpose else factors[step]
        part -= vector * along
