"""Sums over the rows of a matrix, one per column: the gradients of a layer norm's weight and bias.

Large matrices are summed in blocks of rows, each right after the gradient of the input was computed for it: the block
is still in the second cache, and memory is read once. Blocks depend on the shape only, so results do not depend on the
number of threads. Sums are float64.
"""

from __future__ import annotations

from rushlight.core.policy import GRAIN
from rushlight.kernels.reduce import joining, plus
from rushlight.kernels.vectors import LANES, load, load_some, splat, store, store_some
from rushlight.lower.language import local, offset
from rushlight.lower.native import Element, float64, int64, native, pointer, void
from rushlight.lower.parallel import parallel_for
from rushlight.lower.pool import Body

T = Element("T")
S = Element("S")  # dtype of the statistics

STRIP = 2048  # columns whose sums stay in the first cache
LEAST = 4  # vectors of columns per thread, at least
BLOCK = 1 << 15  # elements of a block in each array: both fit the second cache
joined = joining(plus)


@native(light=True)
def sums_between(weight: pointer(float64), bias: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                 scale: pointer(S), rows: int64, length: int64, begin: int64, end: int64):  # fmt: skip
    """Sums g times the normalized x, and g, over the rows, for the vectors of columns [begin, end).

    Four rows are added in their own dtype first, since float64 sums are loaded and stored each time. If the columns are
    not whole vectors, the last vector begins early and is computed in workspace: overlapping columns get the same
    value. With fewer columns than lanes, the extra lanes are read and dropped, except for the last rows, which end the
    memory.
    """
    products_room, sums_room, stop, whole = (
        local(float64, STRIP),
        local(float64, STRIP),
        min(end * LANES, length),
        length % LANES == 0,
    )
    for start in range(begin * LANES, stop, STRIP):
        start_column = max(0, min(start, length - LANES))
        width = min(STRIP, stop - start_column)
        single_rows = rows % 4 if width >= LANES else rows - max(0, rows - LANES) // 4 * 4
        products, sums = (
            offset(weight, start_column) if whole else products_room,
            offset(bias, start_column) if whole else sums_room,
        )
        for j in range(0, width, LANES):
            store(products, j, splat(float64(0)))
            store(sums, j, splat(float64(0)))
        for i in range(0, rows - single_rows, 4):
            at = i * length + start_column
            add_four(products, sums, offset(g, at), offset(x, at), offset(mean, i), offset(scale, i), width, length)
        for i in range(rows - single_rows, rows):
            shift, row_scale, row = splat(mean[i]), splat(scale[i]), i * length + start_column
            for j in range(0, width, LANES):
                at = max(0, min(j, width - LANES))
                value, deviation = load_some(g, row + at, 0, width - at), load_some(x, row + at, 0, width - at) - shift
                store(products, j, load(products, j) + float64(value * (deviation * row_scale)))
                store(sums, j, load(sums, j) + float64(value))
        if not whole:
            for j in range(0, width, LANES):
                at = max(0, min(j, width - LANES))
                store_some(weight, start_column + at, load(products, j), width - at)
                store_some(bias, start_column + at, load(sums, j), width - at)


@native(light=True)
def add_four(products: pointer(float64), sums: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
             scale: pointer(S), width: int64, length: int64):  # fmt: skip
    """Adds four rows, and their products, to the sums."""
    m, n, o, p = splat(mean[0]), splat(mean[1]), splat(mean[2]), splat(mean[3])
    s, t, u, v = splat(scale[0]), splat(scale[1]), splat(scale[2]), splat(scale[3])
    for j in range(0, width, LANES):
        column = max(0, min(j, width - LANES))
        next, third, last = column + length, column + 2 * length, column + 3 * length
        a, b, c, d = load(g, column), load(g, next), load(g, third), load(g, last)
        low = a * ((load(x, column) - m) * s) + b * ((load(x, next) - n) * t)
        high = c * ((load(x, third) - o) * u) + d * ((load(x, last) - p) * v)
        store(products, j, load(products, j) + float64(low + high))
        store(sums, j, load(sums, j) + float64((a + b) + (c + d)))


@native(light=True)
def blocks_backward(partial: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S), scale: pointer(S),
                     nest: int64, arguments: pointer(void), rows: int64, length: int64, block: int64, begin: int64,
                     end: int64):  # fmt: skip
    """Computes the gradient of the input for each block of rows by its loop nest, then the sums of the block."""
    gradient, vectors = Body(nest), (length + LANES - 1) // LANES
    for index in range(begin, end):
        first, sums = index * block, offset(partial, 2 * index * length)
        start, count = first * length, min(block, rows - first)
        a, b, c, d = offset(g, start), offset(x, start), offset(mean, first), offset(scale, first)
        gradient(arguments, first, first + count)
        sums_between(sums, offset(sums, length), a, b, c, d, count, length, 0, vectors)


@native(light=True)
def feature_gradients(sums: pointer(float64), partial: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                   scale: pointer(S), nest: int64, arguments: pointer(void), rows: int64, length: int64,
                   block: int64):  # fmt: skip
    """Computes the gradient of the input, by a nest's machine code and its arguments, and the sums: products, then g.

    `partial` has space for the sums of each block of `block` rows.
    """
    blocks, width = (rows + block - 1) // block, 2 * length
    parallel_for(blocks_backward, blocks, 1, partial, g, x, mean, scale, nest, arguments, rows, length, block)
    parallel_for(joined, width, GRAIN // blocks + LANES, sums, partial, blocks, width)


@native(light=True)
def feature_sums(sums: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S), scale: pointer(S), rows: int64,
                 length: int64):  # fmt: skip
    """Computes the sums only."""
    vectors = (length + LANES - 1) // LANES
    parallel_for(sums_between, vectors, LEAST, sums, offset(sums, length), g, x, mean, scale, rows, length)
