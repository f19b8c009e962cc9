"""The weight's gradient of one or two filters: dot products of the output's gradient with the windows at each tap.

So few filters do not fill a tile.
"""

from rushlight.kernels.vectors import LANES, load, multiply_add, splat, store, sum_of, vector
from rushlight.lower.language import local, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import float32, int64, native, pointer


@deferred
@native(bare=True)
def dots(
    row: pointer(float32), other: int64, windows: pointer(float32), places: pointer(int64), out: pointer(float32),
    stride: int64, depth: int64, count: int64,
):  # fmt: skip
    """Adds the dot products of two filters' gradients with five taps at a time, results `stride` apart.

    Each vector of windows is used for both filters right after loading: 16 registers are too few to keep all five.
    """
    sums, last = local(float32, 10 * LANES), depth - 1
    for tap in range(0, depth, 5):
        first_place, second_place, third_place = places[tap], places[min(tap + 1, last)], places[min(tap + 2, last)]
        fourth_place, fifth_place = places[min(tap + 3, last)], places[min(tap + 4, last)]
        a, b, c, d, e = splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0)
        f, g, h, k, m = splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0)
        for i in range(0, count, LANES):
            one, two = load(row, i), load(row, other + i)
            first = load(windows, first_place + i)
            a, f = multiply_add(one, first, a), multiply_add(two, first, f)
            second = load(windows, second_place + i)
            b, g = multiply_add(one, second, b), multiply_add(two, second, g)
            third = load(windows, third_place + i)
            c, h = multiply_add(one, third, c), multiply_add(two, third, h)
            fourth = load(windows, fourth_place + i)
            d, k = multiply_add(one, fourth, d), multiply_add(two, fourth, k)
            fifth = load(windows, fifth_place + i)
            e, m = multiply_add(one, fifth, e), multiply_add(two, fifth, m)
        store_ten(sums, a, b, c, d, e, f, g, h, k, m)
        add_sums(sums, offset(out, tap * stride), stride, min(5, depth - tap))
        add_sums(offset(sums, 5 * LANES), offset(out, tap * stride + 1), stride, min(5, depth - tap))


@deferred
@native(bare=True)
def dots_of_one(
    row: pointer(float32), windows: pointer(float32), places: pointer(int64), out: pointer(float32), stride: int64,
    depth: int64, count: int64,
):  # fmt: skip
    """Adds the same for one filter, ten taps at a time."""
    sums, last = local(float32, 10 * LANES), depth - 1
    for tap in range(0, depth, 10):
        first_place, second_place, third_place = places[tap], places[min(tap + 1, last)], places[min(tap + 2, last)]
        fourth_place, fifth_place = places[min(tap + 3, last)], places[min(tap + 4, last)]
        sixth_place, seventh_place = places[min(tap + 5, last)], places[min(tap + 6, last)]
        eighth_place, ninth_place = places[min(tap + 7, last)], places[min(tap + 8, last)]
        tenth_place = places[min(tap + 9, last)]
        a, b, c, d, e = splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0)
        f, g, h, k, m = splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0)
        for i in range(0, count, LANES):
            one = load(row, i)
            a = multiply_add(one, load(windows, first_place + i), a)
            b = multiply_add(one, load(windows, second_place + i), b)
            c = multiply_add(one, load(windows, third_place + i), c)
            d = multiply_add(one, load(windows, fourth_place + i), d)
            e = multiply_add(one, load(windows, fifth_place + i), e)
            f = multiply_add(one, load(windows, sixth_place + i), f)
            g = multiply_add(one, load(windows, seventh_place + i), g)
            h = multiply_add(one, load(windows, eighth_place + i), h)
            k = multiply_add(one, load(windows, ninth_place + i), k)
            m = multiply_add(one, load(windows, tenth_place + i), m)
        store_ten(sums, a, b, c, d, e, f, g, h, k, m)
        add_sums(sums, offset(out, tap * stride), stride, min(10, depth - tap))


@native
def store_ten(
    sums: pointer(float32), a: vector, b: vector, c: vector, d: vector, e: vector, f: vector, g: vector, h: vector,
    k: vector, m: vector,
):  # fmt: skip
    store(sums, 0, a)
    store(sums, LANES, b)
    store(sums, 2 * LANES, c)
    store(sums, 3 * LANES, d)
    store(sums, 4 * LANES, e)
    store(sums, 5 * LANES, f)
    store(sums, 6 * LANES, g)
    store(sums, 7 * LANES, h)
    store(sums, 8 * LANES, k)
    store(sums, 9 * LANES, m)


@native
def add_sums(sums: pointer(float32), out: pointer(float32), stride: int64, count: int64):
    """Adds the lane sums of `count` vectors."""
    for i in range(count):
        out[i * stride] += sum_of(load(sums, i * LANES))
