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

    Four rows are added up in their own precision, since a sum in float64 is read and written each time. If columns are
    not whole vectors, the last one begins so early that it is, in room of its own: what is there twice is the same.
    """
    room, more, stop, fits = local(float64, STRIP), local(float64, STRIP), min(end * LANES, length), length % LANES == 0
    for start in range(begin * LANES, stop, STRIP):
        left = min(start, length - LANES)
        many = min(STRIP, stop - left)
        products, sums = offset(weight, left) if fits else room, offset(bias, left) if fits else more
        for j in range(0, many, LANES):
            store(products, j, spread(float64(0)))
            store(sums, j, spread(float64(0)))
        for i in range(0, rows - rows % 4, 4):
            at = i * length + left
            add_four(products, sums, offset(g, at), offset(x, at), offset(mean, i), offset(scale, i), many, length)
        for i in range(rows - rows % 4, rows):
            less, by, row = spread(mean[i]), spread(scale[i]), i * length + left
            for j in range(0, many, LANES):
                at = row + min(j, many - LANES)
                now = load(g, at)
                store(products, j, load(products, j) + float64(now * ((load(x, at) - less) * by)))
                store(sums, j, load(sums, j) + float64(now))
        if not fits:
            for j in range(0, many, LANES):
                at = left + min(j, many - LANES)
                store(weight, at, load(products, j))
                store(bias, at, load(sums, j))


@native(light=True)
def add_four(products: pointer(float64), sums: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
             scale: pointer(S), many: int64, length: int64):  # fmt: skip
    """Adds the products of four rows, and the rows themselves, to what is carried along."""
    m, n, o, p = spread(mean[0]), spread(mean[1]), spread(mean[2]), spread(mean[3])
    s, t, u, v = spread(scale[0]), spread(scale[1]), spread(scale[2]), spread(scale[3])
    for j in range(0, many, LANES):
        at = min(j, many - LANES)
        next, third, last = at + length, at + 2 * length, at + 3 * length
        a, b, c, d = load(g, at), load(g, next), load(g, third), load(g, last)
        low = a * ((load(x, at) - m) * s) + b * ((load(x, next) - n) * t)
        high = c * ((load(x, third) - o) * u) + d * ((load(x, last) - p) * v)
        store(products, j, load(products, j) + float64(low + high))
        store(sums, j, load(sums, j) + float64((a + b) + (c + d)))


@native(light=True)
def narrow_sums(weight: pointer(float64), bias: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                scale: pointer(S), rows: int64, length: int64):  # fmt: skip
    """Of fewer columns than a vector has lanes."""
    products = spread(float64(0))
    sums = products
    for i in range(rows):
        now, change = load_some(g, i * length, 0, length), load_some(x, i * length, 0, length) - spread(mean[i])
        products, sums = products + float64(now * (change * spread(scale[i]))), sums + float64(now)
    store_some(weight, 0, products, length)
    store_some(bias, 0, sums, length)


@native(light=True)
def feature_sums(weight: pointer(float64), bias: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                 scale: pointer(S), rows: int64, length: int64):  # fmt: skip
    """The sums of all columns."""
    if length < LANES:
        narrow_sums(weight, bias, g, x, mean, scale, rows, length)
    else:
        vectors = (length + LANES - 1) // LANES
        parallel_for(sums_between, vectors, LEAST, weight, bias, g, x, mean, scale, rows, length)
