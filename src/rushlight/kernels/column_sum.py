"""Sums over the rows of a matrix, one for each of its columns: the gradients of a layer norm's weight and bias.

Of a large matrix they are taken in blocks of rows, each when the gradient of the input has just been computed of it:
then the block is still in the second cache, and the memory is read once. The blocks depend on the shape alone, so that
the number of threads changes no digit.
"""

from __future__ import annotations

from rushlight.core.policy import GRAIN
from rushlight.kernels.reduce import joining, plus
from rushlight.kernels.vectors import LANES, load, load_some, spread, store, store_some
from rushlight.lower.language import local, offset
from rushlight.lower.native import Element, float64, int64, native, pointer, void
from rushlight.lower.parallel import parallel_for
from rushlight.lower.pool import Body

T = Element("T")
S = Element("S")  # of statistics

STRIP = 2048  # columns whose sums are carried along in the first cache
LEAST = 4  # vectors of columns that a thread is given
BLOCK = 1 << 15  # elements of a block, of each array: both fit the second cache
joined = joining(plus)


@native(light=True)
def sums_between(weight: pointer(float64), bias: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                 scale: pointer(S), rows: int64, length: int64, begin: int64, end: int64):  # fmt: skip
    """Of the vectors of columns from `begin` to `end`: the sums over the rows of g times the normalized x, and of g.

    Four rows are added up in their own precision, since a sum in float64 is read and written each time. If columns are
    not whole vectors, the last one begins so early that it is, in room of its own: what is there twice is the same. Of
    fewer columns than a vector has lanes, the others are read and left, but for the last rows, behind which is nothing.
    """
    room, more, stop, fits = local(float64, STRIP), local(float64, STRIP), min(end * LANES, length), length % LANES == 0
    for start in range(begin * LANES, stop, STRIP):
        left = max(0, min(start, length - LANES))
        many = min(STRIP, stop - left)
        singles = rows % 4 if many >= LANES else rows - max(0, rows - LANES) // 4 * 4
        products, sums = offset(weight, left) if fits else room, offset(bias, left) if fits else more
        for j in range(0, many, LANES):
            store(products, j, spread(float64(0)))
            store(sums, j, spread(float64(0)))
        for i in range(0, rows - singles, 4):
            at = i * length + left
            add_four(products, sums, offset(g, at), offset(x, at), offset(mean, i), offset(scale, i), many, length)
        for i in range(rows - singles, rows):
            less, by, row = spread(mean[i]), spread(scale[i]), i * length + left
            for j in range(0, many, LANES):
                at = max(0, min(j, many - LANES))
                now, change = load_some(g, row + at, 0, many - at), load_some(x, row + at, 0, many - at) - less
                store(products, j, load(products, j) + float64(now * (change * by)))
                store(sums, j, load(sums, j) + float64(now))
        if not fits:
            for j in range(0, many, LANES):
                at = max(0, min(j, many - LANES))
                store_some(weight, left + at, load(products, j), many - at)
                store_some(bias, left + at, load(sums, j), many - at)


@native(light=True)
def add_four(products: pointer(float64), sums: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
             scale: pointer(S), many: int64, length: int64):  # fmt: skip
    """Adds the products of four rows, and the rows themselves, to what is carried along."""
    m, n, o, p = spread(mean[0]), spread(mean[1]), spread(mean[2]), spread(mean[3])
    s, t, u, v = spread(scale[0]), spread(scale[1]), spread(scale[2]), spread(scale[3])
    for j in range(0, many, LANES):
        at = max(0, min(j, many - LANES))
        next, third, last = at + length, at + 2 * length, at + 3 * length
        a, b, c, d = load(g, at), load(g, next), load(g, third), load(g, last)
        low = a * ((load(x, at) - m) * s) + b * ((load(x, next) - n) * t)
        high = c * ((load(x, third) - o) * u) + d * ((load(x, last) - p) * v)
        store(products, j, load(products, j) + float64(low + high))
        store(sums, j, load(sums, j) + float64((a + b) + (c + d)))


@native(light=True)
def gradients_of_blocks(found: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S), scale: pointer(S),
                     nest: int64, places: pointer(void), rows: int64, length: int64, block: int64, begin: int64,
                     end: int64):  # fmt: skip
    """Of each block of rows: the gradient of the input by its nest, and at once the sums."""
    slopes, vectors = Body(nest), (length + LANES - 1) // LANES
    for each in range(begin, end):
        first, sums = each * block, offset(found, 2 * each * length)
        at, many = first * length, min(block, rows - first)
        a, b, c, d = offset(g, at), offset(x, at), offset(mean, first), offset(scale, first)
        slopes(places, first, first + many)
        sums_between(sums, offset(sums, length), a, b, c, d, many, length, 0, vectors)


@native(light=True)
def feature_gradients(sums: pointer(float64), found: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                   scale: pointer(S), nest: int64, places: pointer(void), rows: int64, length: int64,
                   block: int64):  # fmt: skip
    """The gradient of the input, by a nest's code and what that is given, and all sums: of products, then of g.

    `found` has room for the sums of each block of so many rows.
    """
    blocks, many = (rows + block - 1) // block, 2 * length
    parallel_for(gradients_of_blocks, blocks, 1, found, g, x, mean, scale, nest, places, rows, length, block)
    parallel_for(joined, many, GRAIN // blocks + LANES, sums, found, blocks, many)


@native(light=True)
def feature_sums(sums: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S), scale: pointer(S), rows: int64,
                 length: int64):  # fmt: skip
    """All sums."""
    vectors = (length + LANES - 1) // LANES
    parallel_for(sums_between, vectors, LEAST, sums, offset(sums, length), g, x, mean, scale, rows, length)
