"""Batch norm and its gradients, in as few passes over memory as possible: a channel stays in cache.

Arrays are (batch, channels, inner). Parallel over channels. A row of `inner` elements is summed in T, several vectors
at a time, in stretches of at most STRETCH; stretches are summed in float64. Means and squares take one pass over
deviations from the mean of the first elements: sums of plain squares cancel when the variance is small compared to the
mean. `fixed` means that mean and scale are arguments (evaluation mode).
"""

from rushlight.kernels.vectors import (
    LANES,
    lanes_before,
    load,
    load_some,
    multiply_add,
    select,
    splat,
    store,
    store_some,
    sum_of,
)
from rushlight.lower.language import local, offset, sqrt
from rushlight.lower.native import Element, boolean, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for

T = Element("T")  # float32 or float64

STRETCH = 2048
TWO, FOUR = 2 * LANES, 4 * LANES  # elements per step: independent sums hide the latency of additions


@native(light=True)
def channel_sums(array: pointer(T), out: pointer(T), batch: int64, channels: int64, inner: int64, grain: int64):
    """`arrays.normalization.channel_sum`."""
    parallel_for(sum_channels, channels, grain, array, out, batch, channels, inner)


@native
def sum_channels(
    array: pointer(T), out: pointer(T), batch: int64, channels: int64, inner: int64, first: int64,
    last: int64,
):  # fmt: skip
    for channel in range(first, last):
        out[channel] = T(total(offset(array, channel * inner), batch, channels * inner, inner))


@native
def total(array: pointer(T), rows: int64, stride: int64, count: int64) -> float64:
    """Sums `rows` rows of the given stride, in float64."""
    result, many = 0.0, max(1, STRETCH // count)
    for part in range((rows + many - 1) // many):
        for begin in range(0, count, STRETCH):
            some = offset(array, part * many * stride + begin)
            result += float64(total_of_rows(some, min(many, rows - part * many), stride, min(STRETCH, count - begin)))
    return result


@native
def total_of_rows(array: pointer(T), rows: int64, stride: int64, count: int64) -> T:
    """Sums rows in T; lanes are added only at the end, since rows may be short."""
    a, b, c, d, whole = splat(T(0)), splat(T(0)), splat(T(0)), splat(T(0)), count // FOUR * FOUR
    for i in range(rows):
        row = offset(array, i * stride)
        for j in range(0, whole, FOUR):
            a, b = a + load(row, j), b + load(row, j + LANES)
            c, d = c + load(row, j + 2 * LANES), d + load(row, j + 3 * LANES)
        for j in range(whole, count, LANES):
            a = a + load_some(row, j, 0, count - j)
    return sum_of((a + b) + (c + d))


@native
def moments(array: pointer(T), out: pointer(float64), rows: int64, stride: int64, count: int64):
    """Computes mean and variance of the rows into `out`.

    Deviations are from the mean of the first elements; if the true mean is far from it, a second pass uses the true
    mean.
    """
    few, all = min(count, LANES), float64(rows * count)
    middle = sum_of(load_some(array, 0, 0, few)) / T(few)
    if middle - middle != 0.0:
        middle = 0.0  # keeps an infinite mean infinite
    sums(array, middle, array, middle, out, rows, stride, count)
    if not out[0] * out[0] <= 0.5 * all * out[1]:
        middle = T(float64(middle) + out[0] / all)
        sums(array, middle, array, middle, out, rows, stride, count)
    shift = out[0] / all
    out[0] = float64(middle) + shift
    out[1] = out[1] / all - shift * shift


@native
def sums(
    array: pointer(T), mean: T, second: pointer(T), middle: T, out: pointer(float64),
    rows: int64, stride: int64, count: int64,
):  # fmt: skip
    """Sums `second - middle`, and its products with `array - mean`, over rows of the given stride, in float64."""
    sum, product, many, partial = 0.0, 0.0, max(1, STRETCH // count), local(T, 2)
    for part in range((rows + many - 1) // many):
        for begin in range(0, count, STRETCH):
            at, some, length = part * many * stride + begin, min(many, rows - part * many), min(STRETCH, count - begin)
            sums_of_rows(offset(array, at), mean, offset(second, at), middle, partial, some, stride, length)
            sum += float64(partial[0])
            product += float64(partial[1])
    out[0] = sum
    out[1] = product


@native
def sums_of_rows(
    array: pointer(T), mean: T, second: pointer(T), middle: T, out: pointer(T),
    rows: int64, stride: int64, count: int64,
):  # fmt: skip
    """Sums like `sums`, in T, over at most STRETCH elements; lanes are added at the end, since rows may be short."""
    shift, offset_wide, whole = splat(mean), splat(middle), count // TWO * TWO
    a, b, c, d = splat(T(0)), splat(T(0)), splat(T(0)), splat(T(0))
    for i in range(rows):
        row, next = offset(array, i * stride), offset(second, i * stride)
        for j in range(0, whole, TWO):
            one, other = load(next, j) - offset_wide, load(next, j + LANES) - offset_wide
            a, b = a + one, b + other
            c = multiply_add(load(row, j) - shift, one, c)
            d = multiply_add(load(row, j + LANES) - shift, other, d)
        for j in range(whole, count, LANES):
            inside = lanes_before(count - j)
            one = select(inside, load_some(next, j, 0, count - j) - offset_wide, 0.0)
            a = a + one
            c = multiply_add(select(inside, load_some(row, j, 0, count - j) - shift, 0.0), one, c)
    out[0] = sum_of(a + b)
    out[1] = sum_of(c + d)


@native
def scale_row(row: pointer(T), mean: T, scale: T, bias: T, out: pointer(T), count: int64):
    less, factor, more = splat(mean), splat(scale), splat(bias)
    whole = count // LANES * LANES
    for i in range(0, whole, LANES):
        store(out, i, (load(row, i) - less) * factor + more)
    if whole < count:
        some = count - whole
        store_some(out, whole, (load_some(row, whole, 0, some) - less) * factor + more, some)


@native(light=True)
def batch_normalized(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), variance: pointer(T), scale: pointer(T), work: pointer(float64),
    factors: pointer(T), eps: float64, fixed: boolean, batch: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.batch_normalized`."""
    if fixed:
        least = max(1, grain // batch)
        parallel_for(scale_rows, batch * channels, least, array, weight, bias, out, mean, scale, channels, inner)
        return
    parallel_for(
        normalize_channels, channels, grain, array, weight, bias, out, mean, variance, scale, eps, batch, channels,
        inner,
    )  # fmt: skip


@native
def normalize_channels(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), variance: pointer(T), scale: pointer(T), eps: float64,
    batch: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    stride, statistics = channels * inner, local(float64, 2)
    for channel in range(first, last):
        moments(offset(array, channel * inner), statistics, batch, stride, inner)
        mean[channel] = T(statistics[0])
        variance[channel] = T(statistics[1])
        scale[channel] = T(1.0 / sqrt(statistics[1] + eps))
        factor = scale[channel] * weight[channel]
        for example in range(batch):
            at = (example * channels + channel) * inner
            scale_row(offset(array, at), mean[channel], factor, bias[channel], offset(out, at), inner)


@native
def scale_rows(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T), mean: pointer(T), scale: pointer(T),
    channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    """Normalizes with given means and scales, in memory order."""
    channel = first % channels
    for row in range(first, last):
        at = row * inner
        scale_row(
            offset(array, at), mean[channel], scale[channel] * weight[channel], bias[channel], offset(out, at), inner
        )
        channel = channel + 1 if channel + 1 < channels else 0


@native
def row_backward(
    grad: pointer(T), array: pointer(T), out: pointer(T), mean: T, factor: T,
    pull: T, average: T, count: int64,
):  # fmt: skip
    less, times, by, minus = splat(mean), splat(factor), splat(pull), splat(average)
    whole = count // LANES * LANES
    for i in range(0, whole, LANES):
        store(out, i, (load(grad, i) - minus) * times - (load(array, i) - less) * by)
    if whole < count:
        some = count - whole
        centered, change = load_some(grad, whole, 0, some) - minus, load_some(array, whole, 0, some) - less
        store_some(out, whole, centered * times - change * by, some)


@native(light=True)
def batch_normalized_gradients(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(T), to_bias: pointer(T),
    work: pointer(float64), factors: pointer(T), fixed: boolean, batch: int64, channels: int64, inner: int64,
    grain: int64,
):  # fmt: skip
    """`arrays.normalization.batch_normalized_gradients`."""
    parallel_for(
        channels_backward, channels, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, fixed, batch,
        channels, inner,
    )  # fmt: skip


@native
def channels_backward(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(T), to_bias: pointer(T),
    fixed: boolean, batch: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count, stride, out_sums = float64(batch * inner), channels * inner, local(float64, 2)
    for channel in range(first, last):
        rows, grads = offset(array, channel * inner), offset(grad, channel * inner)
        sums(rows, mean[channel], grads, 0.0, out_sums, batch, stride, inner)
        sum, product = out_sums[0], out_sums[1] * float64(scale[channel])
        to_bias[channel] = T(sum)
        to_weight[channel] = T(product)
        factor = scale[channel] * weight[channel]
        pull = T(product / count) * scale[channel] * factor
        average = T(sum / count)
        for example in range(batch):
            at = (example * channels + channel) * inner
            grads, target = offset(grad, at), offset(out, at)
            if fixed:
                scale_row(grads, 0.0, factor, 0.0, target, inner)
            else:
                row_backward(grads, offset(array, at), target, mean[channel], factor, pull, average, inner)
