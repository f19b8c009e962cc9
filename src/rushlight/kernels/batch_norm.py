"""Batch norm and its gradients in as few passes over the memory as can be: a channel stays in the cache.

Arrays are (batch, channels, inner). A row of `inner` numbers is summed in float32, some vectors at a time, in stretches
of at most STRETCH, and the stretches in float64. Means and squares come in one pass, of differences from the mean of
the first numbers: squares of the numbers themselves lose the digits of a variance that is small beside the mean.
`fixed` says that mean and scale are given.
"""

from rushlight.kernels.vectors import (
    LANES,
    chosen,
    lanes_before,
    load,
    load_some,
    multiply_add,
    spread,
    store,
    store_some,
    sum_of,
)
from rushlight.lower.language import local, offset, sqrt
from rushlight.lower.native import Element, boolean, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for

T = Element("T")  # float32 or float64

STRETCH = 2048
TWO, FOUR = 2 * LANES, 4 * LANES  # numbers that are added at a time: a sum waits for the one before it


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
def total(array: pointer(T), rows: int64, apart: int64, count: int64) -> float64:
    """The sum of so many rows, `apart`."""
    found, many = 0.0, max(1, STRETCH // count)
    for part in range((rows + many - 1) // many):
        for begin in range(0, count, STRETCH):
            some = offset(array, part * many * apart + begin)
            found += float64(total_of_rows(some, min(many, rows - part * many), apart, min(STRETCH, count - begin)))
    return found


@native
def total_of_rows(array: pointer(T), rows: int64, apart: int64, count: int64) -> T:
    """The sum of rows, within vectors only in the end: rows may be short."""
    a, b, c, d, whole = spread(T(0)), spread(T(0)), spread(T(0)), spread(T(0)), count // FOUR * FOUR
    for i in range(rows):
        row = offset(array, i * apart)
        for j in range(0, whole, FOUR):
            a, b = a + load(row, j), b + load(row, j + LANES)
            c, d = c + load(row, j + 2 * LANES), d + load(row, j + 3 * LANES)
        for j in range(whole, count, LANES):
            a = a + load_some(row, j, 0, count - j)
    return sum_of((a + b) + (c + d))


@native
def moments(array: pointer(T), found: pointer(float64), rows: int64, apart: int64, count: int64):
    """The mean of so many rows, and the mean of the squared differences from it.

    Differences are those from the mean of the first numbers, and only if that is far away, those from the mean of all.
    """
    few, all = min(count, LANES), float64(rows * count)
    middle = sum_of(load_some(array, 0, 0, few)) / T(few)
    if middle - middle != 0.0:
        middle = 0.0  # not to lose an infinite mean
    sums(array, middle, array, middle, found, rows, apart, count)
    if not found[0] * found[0] <= 0.5 * all * found[1]:
        middle = T(float64(middle) + found[0] / all)
        sums(array, middle, array, middle, found, rows, apart, count)
    less = found[0] / all
    found[0] = float64(middle) + less
    found[1] = found[1] / all - less * less


@native
def sums(
    array: pointer(T), mean: T, second: pointer(T), middle: T, found: pointer(float64),
    rows: int64, apart: int64, count: int64,
):  # fmt: skip
    """Of so many rows, `apart`: the sum of `second - middle`, and that of its products with `array - mean`."""
    sum, product, many, few = 0.0, 0.0, max(1, STRETCH // count), local(T, 2)
    for part in range((rows + many - 1) // many):
        for begin in range(0, count, STRETCH):
            at, some, length = part * many * apart + begin, min(many, rows - part * many), min(STRETCH, count - begin)
            sums_of_rows(offset(array, at), mean, offset(second, at), middle, few, some, apart, length)
            sum += float64(few[0])
            product += float64(few[1])
    found[0] = sum
    found[1] = product


@native
def sums_of_rows(
    array: pointer(T), mean: T, second: pointer(T), middle: T, found: pointer(T),
    rows: int64, apart: int64, count: int64,
):  # fmt: skip
    """The same for so few numbers that none is widened, within vectors only in the end: rows may be short."""
    less, least, whole = spread(mean), spread(middle), count // TWO * TWO
    a, b, c, d = spread(T(0)), spread(T(0)), spread(T(0)), spread(T(0))
    for i in range(rows):
        row, next = offset(array, i * apart), offset(second, i * apart)
        for j in range(0, whole, TWO):
            one, other = load(next, j) - least, load(next, j + LANES) - least
            a, b = a + one, b + other
            c = multiply_add(load(row, j) - less, one, c)
            d = multiply_add(load(row, j + LANES) - less, other, d)
        for j in range(whole, count, LANES):
            inside = lanes_before(count - j)
            one = chosen(inside, load_some(next, j, 0, count - j) - least, 0.0)
            a = a + one
            c = multiply_add(chosen(inside, load_some(row, j, 0, count - j) - less, 0.0), one, c)
    found[0] = sum_of(a + b)
    found[1] = sum_of(c + d)


@native
def scaled(row: pointer(T), mean: T, scale: T, bias: T, out: pointer(T), count: int64):
    less, factor, more = spread(mean), spread(scale), spread(bias)
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
    apart, found = channels * inner, local(float64, 2)
    for channel in range(first, last):
        moments(offset(array, channel * inner), found, batch, apart, inner)
        mean[channel] = T(found[0])
        variance[channel] = T(found[1])
        scale[channel] = T(1.0 / sqrt(found[1] + eps))
        factor = scale[channel] * weight[channel]
        for each in range(batch):
            at = (each * channels + channel) * inner
            scaled(offset(array, at), mean[channel], factor, bias[channel], offset(out, at), inner)


@native
def scale_rows(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T), mean: pointer(T), scale: pointer(T),
    channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    """Of given means and deviations, in the order of the memory."""
    channel = first % channels
    for row in range(first, last):
        at = row * inner
        scaled(
            offset(array, at), mean[channel], scale[channel] * weight[channel], bias[channel], offset(out, at), inner
        )
        channel = channel + 1 if channel + 1 < channels else 0


@native
def pulled(
    grad: pointer(T), array: pointer(T), out: pointer(T), mean: T, factor: T,
    pull: T, average: T, count: int64,
):  # fmt: skip
    less, times, by, minus = spread(mean), spread(factor), spread(pull), spread(average)
    whole = count // LANES * LANES
    for i in range(0, whole, LANES):
        store(out, i, (load(grad, i) - minus) * times - (load(array, i) - less) * by)
    if whole < count:
        some = count - whole
        slopes, change = load_some(grad, whole, 0, some) - minus, load_some(array, whole, 0, some) - less
        store_some(out, whole, slopes * times - change * by, some)


@native(light=True)
def batch_normalized_gradients(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(T), to_bias: pointer(T),
    work: pointer(float64), factors: pointer(T), fixed: boolean, batch: int64, channels: int64, inner: int64,
    grain: int64,
):  # fmt: skip
    """`arrays.normalization.batch_normalized_gradients`."""
    parallel_for(
        pull_channels, channels, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, fixed, batch,
        channels, inner,
    )  # fmt: skip


@native
def pull_channels(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(T), to_bias: pointer(T),
    fixed: boolean, batch: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count, apart, found = float64(batch * inner), channels * inner, local(float64, 2)
    for channel in range(first, last):
        rows, slopes = offset(array, channel * inner), offset(grad, channel * inner)
        sums(rows, mean[channel], slopes, 0.0, found, batch, apart, inner)
        sum, product = found[0], found[1] * float64(scale[channel])
        to_bias[channel] = T(sum)
        to_weight[channel] = T(product)
        factor = scale[channel] * weight[channel]
        pull = T(product / count) * scale[channel] * factor
        average = T(sum / count)
        for each in range(batch):
            at = (each * channels + channel) * inner
            slopes, target = offset(grad, at), offset(out, at)
            if fixed:
                scaled(slopes, 0.0, factor, 0.0, target, inner)
            else:
                pulled(slopes, offset(array, at), target, mean[channel], factor, pull, average, inner)
