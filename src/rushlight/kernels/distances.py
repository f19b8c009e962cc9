"""Pairwise distances of points and their gradients, without storing differences; the upper triangle of a matrix."""

import math

import numpy as np

from rushlight.core.policy import GRAIN, LARGE, PLACED, REDUCED, Warmup
from rushlight.kernels.arguments import number_of, packed, word_of
from rushlight.kernels.vectors import LANES, load, multiply_add, select, splat, store
from rushlight.lower.language import clear, copy, larger, offset, sqrt
from rushlight.lower.native import Element, float32, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
A = Element("A")  # a vector of differences
ACROSS = 4 * LANES  # points of the second set per step
TOGETHER = 8  # rows per thread at least, so that loading the others to the first cache pays off
WARMUP = Warmup(passes=8)


@native(inlined=True)
def squared(difference: A, so_far: A) -> A:
    return multiply_add(difference, difference, so_far)


@native(inlined=True)
def added(difference: A, so_far: A) -> A:
    return so_far + abs(difference)


@native(inlined=True)
def farthest(difference: A, so_far: A) -> A:
    return larger(so_far, abs(difference))


@native(inlined=True)
def root(sum: A) -> A:
    return sqrt(sum)


@native(inlined=True)
def itself(sum: A) -> A:
    return sum


def pairs(joined, finished):
    """Returns the kernel for one norm: `joined` accumulates a difference, `finished` ends the sum."""

    @native
    def distances_of_rows(
        points: pointer(T), packed_points: pointer(T), out: pointer(T), depth: int64, columns: int64,
        first: int64, last: int64,
    ):  # fmt: skip
        """Computes two rows at a time, to hide the latency of additions; a last odd row is computed twice."""
        for column in range(0, columns, ACROSS):
            strip = offset(packed_points, column * depth)
            for row in range(first, last, 2):
                more = min(row + 1, last - 1) - row
                point, line = offset(points, row * depth), offset(out, row * columns + column)
                other, below = offset(point, more * depth), offset(line, more * columns)
                a, b, c, d = splat(T(0)), splat(T(0)), splat(T(0)), splat(T(0))
                e, f, g, h = a, a, a, a
                for axis in range(depth):
                    x, y, strip_row = splat(point[axis]), splat(other[axis]), offset(strip, axis * ACROSS)
                    a, e = joined(x - load(strip_row, 0), a), joined(y - load(strip_row, 0), e)
                    b, f = joined(x - load(strip_row, LANES), b), joined(y - load(strip_row, LANES), f)
                    c, g = joined(x - load(strip_row, 2 * LANES), c), joined(y - load(strip_row, 2 * LANES), g)
                    d, h = joined(x - load(strip_row, 3 * LANES), d), joined(y - load(strip_row, 3 * LANES), h)
                store(line, 0, finished(a))
                store(line, LANES, finished(b))
                store(line, 2 * LANES, finished(c))
                store(line, 3 * LANES, finished(d))
                store(below, 0, finished(e))
                store(below, LANES, finished(f))
                store(below, 2 * LANES, finished(g))
                store(below, 3 * LANES, finished(h))

    @native(light=True)
    def all_pairs(
        points: pointer(T), packed_points: pointer(T), out: pointer(T), rows: int64, depth: int64,
        columns: int64, grain: int64,
    ):  # fmt: skip
        """Computes out (rows, columns) of points (rows, depth) and packed (columns / ACROSS, depth, ACROSS); parallel
        over rows.
        """
        parallel_for(distances_of_rows, rows, grain, points, packed_points, out, depth, columns)

    return all_pairs


KERNELS = {1: pairs(added, itself), 2: pairs(squared, root), math.inf: pairs(farthest, itself)}


@kernel_of("distances", sized=None)
def distances(first, second, order, passing_nan=False):
    dtype = number_of(first)
    if order not in KERNELS or first.dtype != second.dtype or dtype not in (float32, float64):
        return None
    (rows, depth), columns = first.shape[-2:], second.shape[-2]
    work = rows * columns * depth
    if work < REDUCED or not WARMUP.pays_off(work):
        return None
    if first.ndim > 2 or second.ndim > 2:
        result = by_batches(of_matrices, (first, second), (rows, columns), order)
    else:
        result = of_matrices(first, second, order)
    # The maximum does not propagate NaN in this kernel.
    return None if passing_nan and order == math.inf and np.isnan(result).any() else result


def of_matrices(first, second, order):
    """Returns the distances for one pair of large matrices."""
    (rows, depth), columns = first.shape, second.shape[0]
    wide = -(-columns // ACROSS) * ACROSS
    whole, out = second, np.empty((rows, wide), first.dtype)
    if wide != columns:
        whole = np.zeros((wide, depth), first.dtype)
        whole[:columns] = second
    packed_points = packed(whole.reshape(-1, ACROSS, depth).swapaxes(1, 2))
    kernel = KERNELS[order].machine(number_of(first))
    kernel(packed(first), packed_points, out, rows, depth, wide, max(TOGETHER, LARGE // (wide * depth)))
    return out if wide == columns else np.ascontiguousarray(out[:, :columns])


def by_batches(function, arrays, shape, order):
    """Applies a function of matrices to each batch, with broadcasting."""
    lead = np.broadcast_shapes(*[x.shape[:-2] for x in arrays])
    out = np.empty((*lead, *shape), arrays[0].dtype)
    broadcast = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in arrays]
    for batch in np.ndindex(lead):
        out[batch] = function(*[x[batch] for x in broadcast], order)
    return out


# ---- gradients


@native(inlined=True)
def by_sign(g: A, difference: A, distance: A, so_far: A) -> A:
    """Adds `g` with the sign of the difference; NaN for NaN."""
    slope = select(difference > 0, g, select(difference < 0, -g, difference * difference))
    return so_far + slope


@native(inlined=True)
def of_the_farthest(g: A, difference: A, distance: A, so_far: A) -> A:
    """Adds like `by_sign` where the difference attains the distance."""
    return select(abs(difference) < distance, so_far, by_sign(g, difference, distance, so_far))


def slopes(joined):
    """Returns the kernel of the gradient with respect to the first points."""

    @native
    def gradients_of_rows(
        g: pointer(T), points: pointer(T), others: pointer(T), far: pointer(T), out: pointer(T), columns: int64,
        depth: int64, first: int64, last: int64,
    ):  # fmt: skip
        for row in range(first, last):
            line, distances_of_row = offset(g, row * columns), offset(far, row * columns)
            for at in range(0, depth, 2 * LANES):
                start, a, b = offset(points, row * depth + at), splat(T(0)), splat(T(0))
                x, y = load(start, 0), load(start, LANES)
                for column in range(columns):
                    factor, distance = splat(line[column]), splat(distances_of_row[column])
                    other = offset(others, column * depth + at)
                    a = joined(factor, x - load(other, 0), distance, a)
                    b = joined(factor, y - load(other, LANES), distance, b)
                store(out, row * depth + at, a)
                store(out, row * depth + at + LANES, b)

    @native(light=True)
    def all_gradients(
        g: pointer(T), points: pointer(T), others: pointer(T), far: pointer(T), out: pointer(T), rows: int64,
        columns: int64, depth: int64, grain: int64,
    ):  # fmt: skip
        """Computes out (rows, depth) of g and distances (rows, columns), points (rows, depth) and others (columns,
        depth).

        The depth is a multiple of two vectors.
        """
        parallel_for(gradients_of_rows, rows, grain, g, points, others, far, out, columns, depth)

    return all_gradients


SLOPES = {1: slopes(by_sign), math.inf: slopes(of_the_farthest)}


@kernel_of("distance_backward", sized=None)
def distance_backward(g, first, second, far, order):
    dtype, (rows, depth), columns = number_of(first), first.shape[-2:], second.shape[-2]
    if order not in SLOPES or dtype not in (float32, float64) or rows * columns * depth < LARGE:
        return None
    arrays = g, first, second, far
    if any([x.dtype != first.dtype for x in arrays]):
        return None
    if any([x.ndim > 2 for x in arrays]):
        return by_batches(distance_backward, arrays, (rows, depth), order)
    wide = -(-depth // (2 * LANES)) * 2 * LANES
    points, others = (deep(x, wide) for x in (first, second))
    out = np.empty((rows, wide), first.dtype)
    grain = max(1, LARGE // (wide * columns))
    SLOPES[order].machine(dtype)(packed(g), points, others, packed(far), out, rows, columns, wide, grain)
    return out if wide == depth else np.ascontiguousarray(out[:, :depth])


def deep(points, depth: int):
    """Returns the points padded with zeros to `depth` coordinates."""
    if points.shape[1] == depth:
        return packed(points)
    result = np.zeros((points.shape[0], depth), points.dtype)
    result[:, : points.shape[1]] = points
    return result


# ---- upper triangle


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


@kernel_of("above_diagonal", least=PLACED)
def above_diagonal(array):
    word, size = word_of(array), len(array)
    if type(array) is not np.ndarray or word is None:
        return None
    out = np.empty(size * (size - 1) // 2, array.dtype)
    all_above.machine(word)(out, packed(array), size, False, max(1, GRAIN // size))
    return out


@kernel_of("filled_above_diagonal", least=PLACED)
def filled_above_diagonal(array, size):
    word = word_of(array)
    if type(array) is not np.ndarray or word is None:
        return None
    out = np.empty((size, size), array.dtype)
    all_above.machine(word)(out, packed(array), size, True, max(1, GRAIN // size))
    return out
