"""Batch norm and its gradients for channels-last arrays; see `batch_norm` for the formulas.

Parallel over blocks of channels. COUNTED rows at a time are summed per column in T, these sums in float64; a block's
sums stay in cache.
"""

from rushlight.kernels.vectors import (
    LANES,
    any_lane,
    load,
    load_some,
    multiply_add,
    select,
    splat,
    splat_wide,
    store,
    store_some,
)
from rushlight.lower.language import local, offset, sqrt
from rushlight.lower.native import Element, boolean, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for

T = Element("T")  # float32 or float64

BLOCK = 256  # columns
COUNTED = 16
FIRST = 4  # rows whose mean is seldom more than three deviations from that of all rows


@native(light=True)
def columns_normalized(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), variance: pointer(T), scale: pointer(T), work: pointer(float64),
    factors: pointer(T), eps: float64, fixed: boolean, batch: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """Forward, with channels as columns; `work` and `factors` are workspace."""
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
    """Backward, with channels as columns; `work` and `factors` are workspace."""
    parallel_for(
        columns_backward, channels, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, work, factors,
        fixed, batch, channels,
    )  # fmt: skip


@native
def add_columns(
    array: pointer(T), mean: pointer(T), second: pointer(T), middle: pointer(T),
    sums: pointer(T), products: pointer(T), rows: int64, stride: int64, count: int64,
):  # fmt: skip
    """Sums `second - middle`, and its products with `array - mean`, over a few rows for each column."""
    whole, last = count // LANES * LANES, count % LANES
    for j in range(0, whole, LANES):
        a, b, shift, offset_wide = splat(T(0)), splat(T(0)), load(mean, j), load(middle, j)
        for i in range(rows):
            one = load(second, i * stride + j) - offset_wide
            a, b = a + one, multiply_add(load(array, i * stride + j) - shift, one, b)
        store(sums, j, a)
        store(products, j, b)
    if last > 0:
        a, b = splat(T(0)), splat(T(0))
        shift, offset_wide = load_some(mean, whole, 0, last), load_some(middle, whole, 0, last)
        for i in range(rows):
            one = load_some(second, i * stride + whole, 0, last) - offset_wide
            a, b = a + one, multiply_add(load_some(array, i * stride + whole, 0, last) - shift, one, b)
        store_some(sums, whole, a, last)
        store_some(products, whole, b, last)


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
        value = (load_some(array, whole, 0, some) - load_some(mean, whole, 0, some)) * load_some(factor, whole, 0, some)
        store_some(out, whole, value + load_some(bias, whole, 0, some), some)


@native
def add_wide(sums: pointer(float64), part: pointer(T), count: int64):
    for j in range(0, count, LANES):
        some = count - j
        store_some(sums, j, load_some(sums, j, 0, some) + float64(load_some(part, j, 0, some)), some)


@native
def clear(sums: pointer(float64), products: pointer(float64), count: int64):
    for j in range(0, count, LANES):
        store_some(sums, j, splat_wide(0.0), count - j)
        store_some(products, j, splat_wide(0.0), count - j)


@native
def column_sums(
    array: pointer(T), mean: pointer(T), second: pointer(T), middle: pointer(T),
    sums: pointer(float64), products: pointer(float64), rows: int64, stride: int64, count: int64,
):  # fmt: skip
    """Sums like `add_columns` over all rows, in one pass, in float64."""
    sums_part, products_part = local(T, BLOCK), local(T, BLOCK)
    clear(sums, products, count)
    for row in range(0, rows, COUNTED):
        some = min(COUNTED, rows - row)
        for at in range(0, count, BLOCK):
            width, start, less, least = min(BLOCK, count - at), row * stride + at, offset(mean, at), offset(middle, at)
            add_columns(
                offset(array, start), less, offset(second, start), least, sums_part, products_part, some, stride, width
            )
            add_wide(offset(sums, at), sums_part, width)
            add_wide(offset(products, at), products_part, width)


@native
def add_average(mean: pointer(T), sums: pointer(float64), rows: int64, count: int64):
    """Adds the average deviation to the means; a non-finite mean becomes 0, so that inf and NaN reach the sums."""
    divisor = splat_wide(float64(rows))
    for j in range(0, count, LANES):
        value = T(float64(load_some(mean, j, 0, count - j)) + load_some(sums, j, 0, count - j) / divisor)
        store_some(mean, j, select(value - value == 0.0, value, 0.0), count - j)


@native
def column_moments(
    array: pointer(T), mean: pointer(T), sums: pointer(float64), squares: pointer(float64), rows: int64,
    stride: int64, count: int64,
):  # fmt: skip
    """Computes sums of deviations from a shifted mean and of their squares, like `batch_norm.moments`."""
    first_rows, bound, shifted = min(rows, FIRST), splat_wide(0.9 * float64(rows)), False
    for j in range(0, count, LANES):
        store_some(mean, j, splat(T(0)), count - j)
    column_sums(array, mean, array, mean, sums, squares, first_rows, stride, count)
    add_average(mean, sums, first_rows, count)
    column_sums(array, mean, array, mean, sums, squares, rows, stride, count)
    for j in range(0, count, LANES):
        some, sum = count - j, load_some(sums, j, 0, count - j)
        shifted = shifted or any_lane(sum * sum > bound * load_some(squares, j, 0, some))
    if shifted:
        add_average(mean, sums, rows, count)
        column_sums(array, mean, array, mean, sums, squares, rows, stride, count)


@native
def column_statistics(
    sums: pointer(float64), squares: pointer(float64), mean: pointer(T), variance: pointer(T),
    scale: pointer(T), eps: float64, rows: int64, count: int64,
):  # fmt: skip
    divisor, eps_wide, one = splat_wide(float64(rows)), splat_wide(eps), splat_wide(1.0)
    for j in range(0, count, LANES):
        some, shift = count - j, load_some(sums, j, 0, count - j) / divisor
        var = load_some(squares, j, 0, some) / divisor - shift * shift
        store_some(mean, j, T(float64(load_some(mean, j, 0, some)) + shift), some)
        store_some(variance, j, T(var), some)
        store_some(scale, j, T(one / sqrt(var + eps_wide)), some)


@native
def multiply(out: pointer(T), a: pointer(T), b: pointer(T), count: int64):
    for j in range(0, count, LANES):
        store_some(out, j, load_some(a, j, 0, count - j) * load_some(b, j, 0, count - j), count - j)


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
    multiply(factor, offset(scale, first), offset(weight, first), count)
    for row in range(rows):
        at = row * channels + first
        scale_row(offset(array, at), middle, factor, add, offset(out, at), count)


@native
def row_backward(
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
    divisor = splat_wide(float64(rows))
    for j in range(0, count, LANES):
        some, sum, scaling = count - j, load_some(sums, j, 0, count - j), load_some(scale, j, 0, count - j)
        total, by = load_some(products, j, 0, some) * float64(scaling), scaling * load_some(weight, j, 0, some)
        store_some(to_bias, j, T(sum), some)
        store_some(to_weight, j, T(total), some)
        store_some(factor, j, by, some)
        if fixed:
            store_some(pull, j, splat(T(0)), some)
            store_some(average, j, splat(T(0)), some)
        else:
            store_some(pull, j, T(total / divisor) * scaling * by, some)
            store_some(average, j, T(sum / divisor), some)


@native
def columns_backward(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(T), to_bias: pointer(T),
    work: pointer(float64), factors: pointer(T), fixed: boolean, rows: int64, channels: int64, first: int64,
    last: int64,
):  # fmt: skip
    sums, products, count = offset(work, first), offset(work, channels + first), last - first
    middle, factor = offset(mean, first), offset(factors, first)
    pull, average = offset(factor, channels), offset(factor, 2 * channels)
    for j in range(0, count, LANES):
        store_some(average, j, splat(T(0)), count - j)
    grads = offset(grad, first)
    column_sums(offset(array, first), middle, grads, average, sums, products, rows, channels, count)
    column_gradients(
        sums, products, offset(weight, first), offset(scale, first), offset(to_weight, first), offset(to_bias, first),
        factor, pull, average, fixed, rows, count,
    )  # fmt: skip
    for row in range(rows):
        at = row * channels + first
        if fixed:
            scale_row(offset(grad, at), average, factor, pull, offset(out, at), count)
        else:
            row_backward(offset(grad, at), offset(array, at), offset(out, at), middle, factor, pull, average, count)
