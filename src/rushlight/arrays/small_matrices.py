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
MULTITUDE = 300  # that are so small as to be done quicker than by NumPy's loops in C


def are_many(stack) -> bool:
    """Whether what is done to the matrices of a stack that has elements is done quicker to all at once."""
    *batch, rows, columns = stack.shape
    return rows <= SIDE and columns <= SIDE and math.prod(batch) >= MATRICES_PER_ROW * rows


def are_tiny(stack, side: int = 4) -> bool:
    """Whether that is so even beside NumPy's own loop over a batch, of matrices of up to so many rows and columns."""
    return 0 < stack.size and max(stack.shape[-2:]) <= side and math.prod(stack.shape[:-2]) >= MULTITUDE


def planes(stack):
    """The elements of a stack by their place in the matrix: (rows, columns, matrices), in memory of their own."""
    rows, columns = stack.shape[-2:]
    return stack.reshape(-1, rows * columns).T.copy().reshape(rows, columns, -1)


def stacked(found, batch: tuple):
    """The stack of matrices, or of vectors, with these planes."""
    *shape, count = found.shape
    return found.reshape(-1, count).T.copy().reshape(*batch, *shape)


def identity(shape: tuple, kind):
    """Planes of matrices with ones on the diagonal, zeros elsewhere."""
    found, diagonal = np.zeros(shape, kind), np.arange(min(shape[:2]))
    found[diagonal, diagonal] = 1
    return found


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


# ---- reflections


def geqrf(array) -> tuple:
    """What `lapack.geqrf` returns."""
    batch, work = array.shape[:-2], planes(array)
    factors = triangularize(work)
    return stacked(work, batch), stacked(factors, batch)


def qr(array, columns: int) -> tuple:
    """So many columns of Q, and as many rows of R."""
    batch, work = array.shape[:-2], planes(array)
    factors = triangularize(work)
    found = identity((len(work), columns, work.shape[-1]), work.dtype)
    reflect(work, factors, found, False)
    return stacked(found, batch), np.triu(stacked(work[:columns], batch))


def triangularize(work):
    """Puts R over the vectors of the reflections in the place of matrices; the factors."""
    count = min(work.shape[:2])
    factors = np.empty((count, work.shape[-1]), work.dtype)
    for step in range(count):
        head, tail, rest = work[step, step], work[step + 1 :, step], work[step:, step + 1 :]
        end = -np.copysign(lengths(work[step:, step]), head.real)
        still = ~tail.any(0) & (head.imag == 0)  # a column that is one number already is left as it is
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
    """The lengths of columns, whose squares may be more than there are numbers for."""
    sizes = abs(columns)
    largest = sizes.max(0)
    sizes /= np.where(largest == 0, 1, largest)
    return np.sqrt((sizes * sizes).sum(0)) * largest


def turn(vector, factor, other) -> None:
    """Multiplies other matrices by one reflection."""
    along = (vector.conj() * other).sum(0)
    along *= factor
    other -= vector * along


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
        vector, factor = vectors[step:, step, None], factors[step]
        head = vector[0].copy()
        vector[0] = 1
        turn(vector, factor.conj() if transpose else factor, other[step:])
        vector[0] = head


def least_squares(a, b, rcond: float) -> tuple:
    """The shortest X that makes `a X - b` shortest, and for which matrices that is certain: those of full rank.

    Certain are those of which no singular value can be `rcond` times another: the product of the lengths of a matrix
    and of its inverse is no less than any quotient of theirs.
    """
    batch, wide, right = b.shape[:-2], a.shape[-2] < a.shape[-1], planes(b)
    work = planes(np.swapaxes(a, -1, -2).conj() if wide else a)
    rows, count, width = len(work), work.shape[1], right.shape[1]
    length = lengths(work.reshape(rows * count, -1))
    factors = triangularize(work)
    if not wide:
        reflect(work, factors, right, True)
    found = np.concatenate((right[:count], identity(work[:count].shape, work.dtype)), 1)
    triangle = work[:count]
    substitute(np.swapaxes(triangle, 0, 1).conj() if wide else triangle, found, not wide, False)
    found, inverse = found[:, :width], found[:, width:]
    if wide:
        found = np.concatenate((found, np.zeros((rows - count, *found.shape[1:]), found.dtype)))
        reflect(work, factors, found, False)
    certain = length * lengths(inverse.reshape(count * count, -1)) * rcond < 0.5
    return stacked(found, batch), certain.reshape(batch)
