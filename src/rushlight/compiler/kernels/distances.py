"""Distances of all pairs of points, without holding their differences; what of a matrix is above its diagonal."""

import math

import numpy as np

from rushlight.compiler.kernels.replacing import packed, replaces, word_of
from rushlight.compiler.kernels.vectors import LANES, load, multiply_add, spread, store
from rushlight.compiler.language import clear, copy, larger, offset, sqrt
from rushlight.compiler.native import Element, float32, int64, native, pointer
from rushlight.compiler.parallel import parallel_for
from rushlight.compiler.sizes import GRAIN, LARGE, PLACED

T = Element("T")
A = Element("A")  # a vector of differences
ACROSS = 4 * LANES  # points of the second set at a time


@native(inlined=True)
def squared(difference: A, so_far: A) -> A:
    return multiply_add(difference, difference, so_far)


@native(inlined=True)
def added(difference: A, so_far: A) -> A:
    return so_far + abs(difference)


@native(inlined=True)
def farthest(difference: A, so_far: A) -> A:
    return larger(so_far, abs(difference))


@native
def roots(line: pointer(float32), count: int64):
    for i in range(0, count, LANES):
        store(line, i, sqrt(load(line, i)))


@native
def as_they_are(line: pointer(float32), count: int64):
    """Nothing is left to be done."""


def pairs(joined, finished):
    """The kernel of distances in one norm: how the difference along a dimension joins others, and what comes after."""

    @native
    def distances_of_rows(
        points: pointer(float32), turned: pointer(float32), out: pointer(float32), depth: int64, columns: int64,
        first: int64, last: int64,
    ):  # fmt: skip
        for row in range(first, last):
            point, line = offset(points, row * depth), offset(out, row * columns)
            for column in range(0, columns, ACROSS):
                a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
                for each in range(depth):
                    x, at = spread(point[each]), each * columns + column
                    a = joined(x - load(turned, at), a)
                    b = joined(x - load(turned, at + LANES), b)
                    c = joined(x - load(turned, at + 2 * LANES), c)
                    d = joined(x - load(turned, at + 3 * LANES), d)
                store(line, column, a)
                store(line, column + LANES, b)
                store(line, column + 2 * LANES, c)
                store(line, column + 3 * LANES, d)
            finished(line, columns)

    @native(light=True)
    def all_pairs(
        points: pointer(float32), turned: pointer(float32), out: pointer(float32), rows: int64, depth: int64,
        columns: int64, grain: int64,
    ):  # fmt: skip
        """out (rows, columns) of points (rows, depth) and turned (depth, columns), where columns are whole ACROSS."""
        parallel_for(distances_of_rows, rows, grain, points, turned, out, depth, columns)

    return all_pairs


KERNELS = {1: pairs(added, as_they_are), 2: pairs(squared, roots), math.inf: pairs(farthest, as_they_are)}


@replaces("distances", "distances", sized=None)
def distances(first, second, order, passing_nan=False):
    if (
        order not in KERNELS
        or first.ndim != 2
        or second.ndim != 2
        or first.dtype != np.float32
        or second.dtype != np.float32
    ):
        return None
    (rows, depth), columns = first.shape, second.shape[0]
    if rows * columns * depth < LARGE or not (rows and columns and depth):
        return None
    wide = -(-columns // ACROSS) * ACROSS
    turned, out = np.zeros((depth, wide), np.float32), np.empty((rows, wide), np.float32)
    turned[:, :columns] = second.T
    KERNELS[order].machine()(packed(first), turned, out, rows, depth, wide, max(1, LARGE // (wide * depth)))
    if passing_nan and order == math.inf and np.isnan(out).any():
        return None  # a maximum that keeps NaN is the kernel's
    return out if wide == columns else np.ascontiguousarray(out[:, :columns])


# ---- above a diagonal


@native
def rows_above(out: pointer(T), array: pointer(T), size: int64, begin: int64, end: int64):
    for row in range(begin, end):
        above = size - row - 1
        copy(offset(out, row * (2 * size - row - 1) // 2), offset(array, row * size + row + 1), above)


@native
def rows_filled(out: pointer(T), array: pointer(T), size: int64, begin: int64, end: int64):
    for row in range(begin, end):
        above, line = size - row - 1, offset(out, row * size)
        clear(line, row + 1)
        copy(offset(line, row + 1), offset(array, row * (2 * size - row - 1) // 2), above)


@native(light=True)
def all_above(out: pointer(T), array: pointer(T), size: int64, filled: int64, grain: int64):
    if filled != 0:
        parallel_for(rows_filled, size, grain, out, array, size)
    else:
        parallel_for(rows_above, size, grain, out, array, size)


@replaces("distances", "above_diagonal", least=PLACED)
def above_diagonal(array):
    kind, size = word_of(array), len(array)
    if type(array) is not np.ndarray or kind is None:
        return None
    out = np.empty(size * (size - 1) // 2, array.dtype)
    all_above.machine(kind)(out, packed(array), size, False, max(1, GRAIN // size))
    return out


@replaces("distances", "filled_above_diagonal", least=PLACED)
def filled_above_diagonal(array, size):
    kind = word_of(array)
    if type(array) is not np.ndarray or kind is None:
        return None
    out = np.empty((size, size), array.dtype)
    all_above.machine(kind)(out, packed(array), size, True, max(1, GRAIN // size))
    return out
