"""Euclidean distances of all pairs of points, each the root of a sum of squared differences, without holding them."""

import numpy as np

from rushlight.compiler.kernels.replacing import packed, replaces
from rushlight.compiler.kernels.vectors import LANES, load, multiply_add, spread, store
from rushlight.compiler.language import offset, sqrt
from rushlight.compiler.native import float32, int64, native, pointer
from rushlight.compiler.parallel import parallel_for
from rushlight.compiler.sizes import LARGE

ACROSS = 4 * LANES  # points of the second set at a time


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
                p, q = x - load(turned, at), x - load(turned, at + LANES)
                r, s = x - load(turned, at + 2 * LANES), x - load(turned, at + 3 * LANES)
                a, b, c, d = multiply_add(p, p, a), multiply_add(q, q, b), multiply_add(r, r, c), multiply_add(s, s, d)
            store(line, column, a)
            store(line, column + LANES, b)
            store(line, column + 2 * LANES, c)
            store(line, column + 3 * LANES, d)
        roots(line, columns)


@native
def roots(line: pointer(float32), count: int64):
    for i in range(0, count, LANES):
        store(line, i, sqrt(load(line, i)))


@native(light=True)
def euclidean(
    points: pointer(float32), turned: pointer(float32), out: pointer(float32), rows: int64, depth: int64,
    columns: int64, grain: int64,
):  # fmt: skip
    """out (rows, columns) of points (rows, depth) and turned (depth, columns), where columns are whole ACROSS."""
    parallel_for(distances_of_rows, rows, grain, points, turned, out, depth, columns)


@replaces("distances", "distances", sized=None)
def distances(first, second, order):
    if order != 2 or first.ndim != 2 or second.ndim != 2 or first.dtype != np.float32 or second.dtype != np.float32:
        return None
    (rows, depth), columns = first.shape, second.shape[0]
    if rows * columns * depth < LARGE or not (rows and columns and depth):
        return None
    wide = -(-columns // ACROSS) * ACROSS
    turned, out = np.zeros((depth, wide), np.float32), np.empty((rows, wide), np.float32)
    turned[:, :columns] = second.T
    euclidean.machine()(packed(first), turned, out, rows, depth, wide, max(1, LARGE // (wide * depth)))
    return out if wide == columns else np.ascontiguousarray(out[:, :columns])
