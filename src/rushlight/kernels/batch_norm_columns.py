"""Batch norm and its gradients of channels that are columns, as in `normalization`.

COUNTED rows at a time are summed side by side, in blocks of columns whose sums stay in the cache.
"""

from rushlight.kernels.vectors import (
    LANES,
    anywhere,
    chosen,
    load,
    load_some,
    multiply_add,
    spread,
    spread_wide,
    store,
    store_some,
)
from rushlight.lower.language import local, offset, sqrt
from rushlight.lower.native import Element, boolean, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for

T = Element("T")  # float32 or float64

BLOCK = 256  # columns
COUNTED = 16
FIRST = 4  # rows whose mean is seldom further than three deviations from that of all


@native(light=True)
def columns_normalized(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), variance: pointer(T), scale: pointer(T), work: pointer(float64),
    factors: pointer(T), eps: float64, fixed: boolean, batch: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """The same where channels are columns; `work` and `factors` are room."""
    parallel_for(
        normalize_columns, channels, grain, array, weight, bias, out, mean, variance, scale, work, factors, eps, fixed,
        batch, channels,
    )  # fmt: skip


@native(light=True)
def columns_normalized_gradients(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(T), to_bias: pointer(T),
    work: pointer(float64), factors: pointer(T), fixed: boolean, batch: int64, channels: int64, inner: int64,
    grain: int64,
):  # fmt: skip
    """The same where channels are columns; `work` and `factors` are room."""
    parallel_for(
        pull_columns, channels, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, work, factors, fixed,
        batch, channels,
    )  # fmt: skip


@native
def add_columns(
    array: pointer(T), mean: pointer(T), second: pointer(T), middle: pointer(T),
    part: pointer(T), extent: pointer(T), rows: int64, apart: int64, count: int64,
):  # fmt: skip
    """Of the columns of few rows: the sums of `second - middle`, and of its products with `array - mean`."""
    whole, last = count // LANES * LANES, count % LANES
    for j in range(0, whole, LANES):
        a, b, less, least = spread(T(0)), spread(T(0)), load(mean, j), load(middle, j)
        for i in range(rows):
            one = load(second, i * apart + j) - least
            a, b = a + one, multiply_add(load(array, i * apart + j) - less, one, b)
        store(part, j, a)
        store(extent, j, b)
    if last > 0:
        a, b = spread(T(0)), spread(T(0))
        less, least = load_some(mean, whole, 0, last), load_some(middle, whole, 0, last)
        for i in range(rows):
            one = load_some(second, i * apart + whole, 0, last) - least
            a, b = a + one, multiply_add(load_some(array, i * apart + whole, 0, last) - less, one, b)
        store_some(part, whole, a, last)
        store_some(extent, whole, b, last)


@native
def scale_row(
    array: pointer(T), mean: pointer(T), factor: pointer(T), bias: pointer(T),
    out: pointer(T), count: int64,
):  # fmt: skip
    whole = count // LANES * LANES
    for j in range(0, whole, LANES):
        store(out, j, (load(array, j) - load(mean, j)) * load(factor, j) + load(bias, j))
    if whole < count:
        some = count - whole
        found = (load_some(array, whole, 0, some) - load_some(mean, whole, 0, some)) * load_some(factor, whole, 0, some)
        store_some(out, whole, found + load_some(bias, whole, 0, some), some)


@native
def add_wide(sums: pointer(float64), part: pointer(T), count: int64):
    for j in range(0, count, LANES):
        some = count - j
        store_some(sums, j, load_some(sums, j, 0, some) + float64(load_some(part, j, 0, some)), some)


@native
def clear(sums: pointer(float64), products: pointer(float64), count: int64):
    for j in range(0, count, LANES):
        store_some(sums, j, spread_wide(0.0), count - j)
        store_some(products, j, spread_wide(0.0), count - j)


@native
def column_sums(
    array: pointer(T), mean: pointer(T), second: pointer(T), middle: pointer(T),
    sums: pointer(float64), products: pointer(float64), rows: int64, apart: int64, count: int64,
):  # fmt: skip
    """The same of all rows, in one pass over the memory."""
    part, extent = local(T, BLOCK), local(T, BLOCK)
    clear(sums, products, count)
    for row in range(0, rows, COUNTED):
        some = min(COUNTED, rows - row)
        for at in range(0, count, BLOCK):
            width, here, less, least = min(BLOCK, count - at), row * apart + at, offset(mean, at), offset(middle, at)
            add_columns(offset(array, here), less, offset(second, here), least, part, extent, some, apart, width)
            add_wide(offset(sums, at), part, width)
            add_wide(offset(products, at), extent, width)


@native
def moved(mean: pointer(T), sums: pointer(float64), rows: int64, count: int64):
    """Means of columns, from the sums of what differs from what they were; 0 lest an infinite one be lost."""
    share = spread_wide(float64(rows))
    for j in range(0, count, LANES):
        found = T(float64(load_some(mean, j, 0, count - j)) + load_some(sums, j, 0, count - j) / share)
        store_some(mean, j, chosen(found - found == 0.0, found, 0.0), count - j)


@native
def column_moments(
    array: pointer(T), mean: pointer(T), sums: pointer(float64), squares: pointer(float64), rows: int64,
    apart: int64, count: int64,
):  # fmt: skip
    """The sums of differences from `mean`, and of their squares: from that of the first rows, as in `moments`."""
    few, least, far = min(rows, FIRST), spread_wide(0.9 * float64(rows)), False
    for j in range(0, count, LANES):
        store_some(mean, j, spread(T(0)), count - j)
    column_sums(array, mean, array, mean, sums, squares, few, apart, count)
    moved(mean, sums, few, count)
    column_sums(array, mean, array, mean, sums, squares, rows, apart, count)
    for j in range(0, count, LANES):
        some, sum = count - j, load_some(sums, j, 0, count - j)
        far = far or anywhere(sum * sum > least * load_some(squares, j, 0, some))
    if far:
        moved(mean, sums, rows, count)
        column_sums(array, mean, array, mean, sums, squares, rows, apart, count)


@native
def column_statistics(
    sums: pointer(float64), squares: pointer(float64), mean: pointer(T), variance: pointer(T),
    scale: pointer(T), eps: float64, rows: int64, count: int64,
):  # fmt: skip
    share, least, one = spread_wide(float64(rows)), spread_wide(eps), spread_wide(1.0)
    for j in range(0, count, LANES):
        some, less = count - j, load_some(sums, j, 0, count - j) / share
        found = load_some(squares, j, 0, some) / share - less * less
        store_some(mean, j, T(float64(load_some(mean, j, 0, some)) + less), some)
        store_some(variance, j, T(found), some)
        store_some(scale, j, T(one / sqrt(found + least)), some)


@native
def multiplied(out: pointer(T), one: pointer(T), other: pointer(T), count: int64):
    for j in range(0, count, LANES):
        store_some(out, j, load_some(one, j, 0, count - j) * load_some(other, j, 0, count - j), count - j)


@native
def normalize_columns(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), variance: pointer(T), scale: pointer(T), work: pointer(float64),
    factors: pointer(T), eps: float64, fixed: boolean, rows: int64, channels: int64, first: int64, last: int64,
):  # fmt: skip
    totals, squares, count = offset(work, first), offset(work, channels + first), last - first
    middle, factor, add = offset(mean, first), offset(factors, first), offset(bias, first)
    if not fixed:
        column_moments(offset(array, first), middle, totals, squares, rows, channels, count)
        column_statistics(totals, squares, middle, offset(variance, first), offset(scale, first), eps, rows, count)
    multiplied(factor, offset(scale, first), offset(weight, first), count)
    for row in range(rows):
        at = row * channels + first
        scale_row(offset(array, at), middle, factor, add, offset(out, at), count)


@native
def pull_row(
    grad: pointer(T), array: pointer(T), out: pointer(T), mean: pointer(T),
    factor: pointer(T), pull: pointer(T), average: pointer(T), count: int64,
):  # fmt: skip
    whole = count // LANES * LANES
    for j in range(0, whole, LANES):
        change = (load(array, j) - load(mean, j)) * load(pull, j)
        store(out, j, (load(grad, j) - load(average, j)) * load(factor, j) - change)
    if whole < count:
        some = count - whole
        change = (load_some(array, whole, 0, some) - load_some(mean, whole, 0, some)) * load_some(pull, whole, 0, some)
        slope = load_some(grad, whole, 0, some) - load_some(average, whole, 0, some)
        store_some(out, whole, slope * load_some(factor, whole, 0, some) - change, some)


@native
def column_gradients(
    sums: pointer(float64), products: pointer(float64), weight: pointer(T), scale: pointer(T),
    to_weight: pointer(T), to_bias: pointer(T), factor: pointer(T), pull: pointer(T),
    average: pointer(T), fixed: boolean, rows: int64, count: int64,
):  # fmt: skip
    share = spread_wide(float64(rows))
    for j in range(0, count, LANES):
        some, sum, extent = count - j, load_some(sums, j, 0, count - j), load_some(scale, j, 0, count - j)
        total, by = load_some(products, j, 0, some) * float64(extent), extent * load_some(weight, j, 0, some)
        store_some(to_bias, j, T(sum), some)
        store_some(to_weight, j, T(total), some)
        store_some(factor, j, by, some)
        if fixed:
            store_some(pull, j, spread(T(0)), some)
            store_some(average, j, spread(T(0)), some)
        else:
            store_some(pull, j, T(total / share) * extent * by, some)
            store_some(average, j, T(sum / share), some)


@native
def pull_columns(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(T), to_bias: pointer(T),
    work: pointer(float64), factors: pointer(T), fixed: boolean, rows: int64, channels: int64, first: int64,
    last: int64,
):  # fmt: skip
    sums, products, count = offset(work, first), offset(work, channels + first), last - first
    middle, factor = offset(mean, first), offset(factors, first)
    pull, average = offset(factor, channels), offset(factor, 2 * channels)
    for j in range(0, count, LANES):
        store_some(average, j, spread(T(0)), count - j)
    slopes = offset(grad, first)
    column_sums(offset(array, first), middle, slopes, average, sums, products, rows, channels, count)
    column_gradients(
        sums, products, offset(weight, first), offset(scale, first), offset(to_weight, first), offset(to_bias, first),
        factor, pull, average, fixed, rows, count,
    )  # fmt: skip
    for row in range(rows):
        at = row * channels + first
        if fixed:
            scale_row(offset(grad, at), average, factor, pull, offset(out, at), count)
        else:
            pull_row(offset(grad, at), offset(array, at), offset(out, at), middle, factor, pull, average, count)
