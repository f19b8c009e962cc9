"""Sums over the rows of a matrix, one for each of its columns: the gradients of a layer norm's weight and bias."""

from __future__ import annotations

from rushlight.compiler.kernels.vectors import LANES, load, load_some, spread, store, store_some
from rushlight.compiler.language import local, offset
from rushlight.compiler.native import Element, float64, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

T = Element("T")
S = Element("S")  # of statistics

STRIP = 2048  # columns whose sums are carried along in the first cache
LEAST = 4  # vectors of columns that a thread is given


@native(light=True)
def sums_between(weight: pointer(float64), bias: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                 scale: pointer(S), rows: int64, length: int64, begin: int64, end: int64):  # fmt: skip
    """Of the vectors of columns from `begin` to `end`: the sums over the rows of g times the normalized x, and of g.

    Four rows are added up in their own precision, since a sum in float64 is read and written each time.
    """
    products, sums, stop = local(float64, STRIP), local(float64, STRIP), min(end * LANES, length)
    for left in range(begin * LANES, stop, STRIP):
        many = min(STRIP, stop - left)
        for j in range(0, many, LANES):
            store(products, j, spread(float64(0)))
            store(sums, j, spread(float64(0)))
        for i in range(0, rows - rows % 4, 4):
            at = i * length + left
            add_four(products, sums, offset(g, at), offset(x, at), offset(mean, i), offset(scale, i), many, length)
        for i in range(rows - rows % 4, rows):
            less, by = spread(mean[i]), spread(scale[i])
            slopes, numbers = offset(g, i * length + left), offset(x, i * length + left)
            for j in range(0, many, LANES):
                now = load_some(slopes, j, 0, many - j)
                change = (load_some(numbers, j, 0, many - j) - less) * by
                store(products, j, load(products, j) + float64(now * change))
                store(sums, j, load(sums, j) + float64(now))
        for j in range(0, many, LANES):
            store_some(weight, left + j, load(products, j), many - j)
            store_some(bias, left + j, load(sums, j), many - j)


@native(light=True)
def add_four(products: pointer(float64), sums: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
             scale: pointer(S), many: int64, length: int64):  # fmt: skip
    """Adds the products of four rows, and the rows themselves, to what is carried along."""
    m, n, o, p = spread(mean[0]), spread(mean[1]), spread(mean[2]), spread(mean[3])
    s, t, u, v = spread(scale[0]), spread(scale[1]), spread(scale[2]), spread(scale[3])
    for j in range(0, many, LANES):
        k, some = j + 2 * length, many - j
        a, b = load_some(g, j, 0, some), load_some(g, j + length, 0, some)
        c, d = load_some(g, k, 0, some), load_some(g, k + length, 0, some)
        low = a * ((load_some(x, j, 0, some) - m) * s) + b * ((load_some(x, j + length, 0, some) - n) * t)
        high = c * ((load_some(x, k, 0, some) - o) * u) + d * ((load_some(x, k + length, 0, some) - p) * v)
        store(products, j, load(products, j) + float64(low + high))
        store(sums, j, load(sums, j) + float64((a + b) + (c + d)))


@native(light=True)
def feature_sums(weight: pointer(float64), bias: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                 scale: pointer(S), rows: int64, length: int64):  # fmt: skip
    """`sums_between` of all places."""
    parallel_for(sums_between, (length + LANES - 1) // LANES, LEAST, weight, bias, g, x, mean, scale, rows, length)
