"""Batches of many small matrices: each step of an algorithm processes the whole batch in a few calls of NumPy.

A call of LAPACK takes 2 us and more for each matrix; here one element of a thousand matrices takes less than 1 us. A
stack is transposed to planes, (rows, columns, matrices), so that the batch is contiguous. Pivots are LAPACK's: the
first of the largest, where the size of a complex number is `|re| + |im|`.
"""

from __future__ import annotations

import math

import numpy as np

INT32 = np.dtype(np.int32)  # LAPACK's integer type
SIDE = 16  # for larger matrices, one call each is faster
MATRICES_PER_ROW = 4  # for fewer matrices, too
MULTITUDE = 300  # minimum number of tiny matrices for which this is faster than NumPy's loops in C


def are_many(stack) -> bool:
    """Whether processing all matrices of a non-empty stack at once is faster."""
    *batch, rows, columns = stack.shape
    return rows <= SIDE and columns <= SIDE and math.prod(batch) >= MATRICES_PER_ROW * rows


def are_tiny(stack, side: int = 4) -> bool:
    """Whether that is faster even than NumPy's own loop over a batch, for matrices of up to `side` rows and columns."""
    return 0 < stack.size and max(stack.shape[-2:]) <= side and math.prod(stack.shape[:-2]) >= MULTITUDE


def planes(stack):
    """Transposes a stack to planes, one per matrix element: (rows, columns, matrices), copied."""
    rows, columns = stack.shape[-2:]
    return stack.reshape(-1, rows * columns).T.copy().reshape(rows, columns, -1)


def stacked(planes_, batch: tuple):
    """Transposes planes back to a stack of matrices, or of vectors."""
    *shape, count = planes_.shape
    return planes_.reshape(-1, count).T.copy().reshape(*batch, *shape)


def identity(shape: tuple, dtype):
    """Planes of identity matrices."""
    result, diagonal = np.zeros(shape, dtype), np.arange(min(shape[:2]))
    result[diagonal, diagonal] = 1
    return result


# ---- triangular factors


def lu(array) -> tuple:
    """Returns the same as `lapack.lu`."""
    batch, work = array.shape[:-2], planes(array)
    pivots, info = eliminate(work, min(array.shape[-2:]))
    return stacked(work, batch), stacked(pivots, batch), info.reshape(batch)


def solve(a, b) -> tuple:
    """Returns the same as `solving.solve`, for as many matrices as right sides."""
    batch, size = a.shape[:-2], a.shape[-1]
    work = planes(np.concatenate((a, b), -1))
    _, info = eliminate(work, size)
    substitute(work[:, :size], work[:, size:], True, False)
    return stacked(work[:, size:], batch), info.reshape(batch)


def eliminate(work, count: int) -> tuple:
    """Replaces matrices by L and U, with `count` columns of L; returns the pivots, and the first zero pivot."""
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
    """The sizes by which LAPACK compares numbers."""
    return abs(numbers.real) + abs(numbers.imag) if numbers.dtype.kind == "c" else abs(numbers)


def exchange(work, row: int, other_rows) -> None:
    """Swaps a row of each matrix with another one, which differs between matrices."""
    old_row = work[row].copy()
    indices = other_rows * old_row.size + np.arange(old_row.size).reshape(old_row.shape)
    flat = work.reshape(-1)
    work[row] = flat.take(indices)
    flat[indices] = old_row


def solve_triangular(a, b, upper: bool, left: bool, unit: bool):
    """Returns the same as `solving.solve_triangular`, for as many triangular matrices as right sides."""
    batch, work, triangle = b.shape[:-2], planes(b), planes(a)
    if left:
        substitute(triangle, work, upper, unit)
    else:  # solve the transposed system
        substitute(np.swapaxes(triangle, 0, 1), np.swapaxes(work, 0, 1), not upper, unit)
    return stacked(work, batch)


def substitute(a, b, upper: bool, unit: bool) -> None:
    """Replaces b by the solution X of `a X = b`."""
    rows = range(len(a))
    for row in reversed(rows) if upper else rows:
        if not unit:
            b[row] /= a[row, row]
        rest = slice(row) if upper else slice(row + 1, None)
        b[rest] -= a[rest, row, None] * b[row]


def cholesky(array, upper: bool):
    """Returns the triangular factors of `lapack.cholesky`; None if a pivot is not positive."""
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
    """Returns the same as `lapack.cholesky_inverse`."""
    lower = planes(np.swapaxes(factor, -1, -2).conj() if upper else factor)
    count = len(lower)
    work, result = identity(lower.shape, lower.dtype), np.zeros_like(lower)
    substitute(lower, work, False, False)
    for row in range(count):
        part = work[row, : row + 1]
        result[: row + 1, : row + 1] += part.conj()[:, None] * part
    diagonal = np.arange(count)
    result[diagonal, diagonal] = result[diagonal, diagonal].real
    zero = lower[diagonal, diagonal] == 0
    info = np.where(zero.any(0), zero.argmax(0) + 1, 0).astype(INT32)
    return stacked(result, factor.shape[:-2]), info.reshape(factor.shape[:-2])


# ---- reflections


def geqrf(array) -> tuple:
    """Returns the same as `lapack.geqrf`."""
    batch, work = array.shape[:-2], planes(array)
    factors = triangularize(work)
    return stacked(work, batch), stacked(factors, batch)


def qr(array, columns: int) -> tuple:
    """Returns `columns` columns of Q, and as many rows of R."""
    batch, work = array.shape[:-2], planes(array)
    factors = triangularize(work)
    q = identity((len(work), columns, work.shape[-1]), work.dtype)
    reflect(work, factors, q, False)
    return stacked(q, batch), np.triu(stacked(work[:columns], batch))


def triangularize(work):
    """Replaces matrices by R and the vectors of the reflections; returns the factors."""
    count = min(work.shape[:2])
    factors = np.empty((count, work.shape[-1]), work.dtype)
    for step in range(count):
        head, tail, rest = work[step, step], work[step + 1 :, step], work[step:, step + 1 :]
        end = -np.copysign(lengths(work[step:, step]), head.real)
        still = ~tail.any(0) & (head.imag == 0)  # a column that is zero below its head is unchanged
        end[still] = 1
        factors[step] = (end - head) / end
        factors[step, still] = 0
        tail /= np.where(still, 1, head - end)
        end[still] = head.real[still]
        head[...] = 1
        turn(work[step:, step, None], factors[step].conj(), rest)
        head[...] = end
    return factors


def lengths(columns):
    """The lengths of columns, computed without overflow of squares."""
    sizes = abs(columns)
    largest = sizes.max(0)
    sizes /= np.where(largest == 0, 1, largest)
    return np.sqrt((sizes * sizes).sum(0)) * largest


def turn(vector, factor, other) -> None:
    """Multiplies other matrices by one reflection, in place."""
    along = (vector.conj() * other).sum(0)
    along *= factor
    other -= vector * along


def householder_product(array, factors):
    """Returns the same as `lapack.householder_product`."""
    vectors = planes(array)
    result = identity(vectors.shape, vectors.dtype)
    reflect(vectors, planes(factors[..., None, :])[0], result, False)
    return stacked(result, array.shape[:-2])


def ormqr(array, factors, other, left: bool, transpose: bool):
    """Returns the same as `lapack.ormqr`."""
    vectors, factors, work = planes(array), planes(factors[..., None, :])[0], planes(other)
    if left:
        reflect(vectors, factors, work, transpose)
    else:  # use the transposed product
        reflect(vectors.conj(), factors.conj(), np.swapaxes(work, 0, 1), not transpose)
    return stacked(work, other.shape[:-2])


def reflect(vectors, factors, other, transpose: bool) -> None:
    """Multiplies other matrices by the product of the reflections, or by its adjoint, in place."""
    steps = range(len(factors))
    for step in steps if transpose else reversed(steps):
        vector, factor = vectors[step:, step, None], factors[step]
        head = vector[0].copy()
        vector[0] = 1
        turn(vector, factor.conj() if transpose else factor, other[step:])
        vector[0] = head


def least_squares(a, b, rcond: float) -> tuple:
    """Returns the minimum-norm least-squares solution of `a X = b`, and which matrices certainly have full rank.

    Those are the matrices where no singular value can be below `rcond` times another: the product of the norms of a
    matrix and of its inverse is an upper bound of their quotients.
    """
    batch, wide, right = b.shape[:-2], a.shape[-2] < a.shape[-1], planes(b)
    work = planes(np.swapaxes(a, -1, -2).conj() if wide else a)
    rows, count, width = len(work), work.shape[1], right.shape[1]
    length = lengths(work.reshape(rows * count, -1))
    factors = triangularize(work)
    if not wide:
        reflect(work, factors, right, True)
    solution = np.concatenate((right[:count], identity(work[:count].shape, work.dtype)), 1)
    triangle = work[:count]
    substitute(np.swapaxes(triangle, 0, 1).conj() if wide else triangle, solution, not wide, False)
    solution, inverse = solution[:, :width], solution[:, width:]
    if wide:
        solution = np.concatenate((solution, np.zeros((rows - count, *solution.shape[1:]), solution.dtype)))
        reflect(work, factors, solution, False)
    certain = length * lengths(inverse.reshape(count * count, -1)) * rcond < 0.5
    return stacked(solution, batch), certain.reshape(batch)
