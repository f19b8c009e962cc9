"""Batch norm, group norm and their gradients in as few passes over the memory as can be: a channel stays in the cache.

Arrays are (batch, channels, inner). A row of `inner` numbers is summed in float32, some vectors at a time, in stretches
of at most STRETCH, and the stretches in float64. Means and squares come in one pass, of differences from the mean of
the first numbers: squares of the numbers themselves lose the digits of a variance that is small beside the mean. Where
`inner` is 1, channels are columns, whose rows are summed COUNTED at a time. `fixed` says that mean and scale are given.
"""

from rushlight.compiler.kernels.vectors import (
    LANES,
    anywhere,
    chosen,
    lanes_before,
    load,
    load_some,
    multiply_add,
    spread,
    spread_wide,
    store,
    store_some,
    sum_of,
)
from rushlight.compiler.language import local, offset, sqrt
from rushlight.compiler.native import Element, boolean, float64, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

T = Element("T")  # float32 or float64

STRETCH = 2048
TWO, FOUR = 2 * LANES, 4 * LANES  # numbers that are added at a time: a sum waits for the one before it
BLOCK = 256
COUNTED = 16
FIRST = 4  # rows whose mean is seldom further than three deviations from that of all


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


# ---- channels that are columns


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
    part, extent = local(T, 256), local(T, 256)
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
def column_slopes(
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
    column_slopes(
        sums, products, offset(weight, first), offset(scale, first), offset(to_weight, first), offset(to_bias, first),
        factor, pull, average, fixed, rows, count,
    )  # fmt: skip
    for row in range(rows):
        at = row * channels + first
        if fixed:
            scale_row(offset(grad, at), average, factor, pull, offset(out, at), count)
        else:
            pull_row(offset(grad, at), offset(array, at), offset(out, at), middle, factor, pull, average, count)


# ---- groups of channels


@native(light=True)
def group_normalized(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), scale: pointer(T), eps: float64, all: int64, groups: int64, channels: int64,
    inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized`, of `all` groups of so many channels."""
    parallel_for(
        normalize_groups, all, grain, array, weight, bias, out, mean, scale, eps, groups, channels, inner
    )  # fmt: skip


@native
def normalize_groups(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), scale: pointer(T), eps: float64, groups: int64, channels: int64, inner: int64,
    first: int64, last: int64,
):  # fmt: skip
    count, found = channels * inner, local(float64, 2)
    for group in range(first, last):
        rows, target, channel = offset(array, group * count), offset(out, group * count), group % groups * channels
        moments(rows, found, 1, 0, count)
        middle, extent = T(found[0]), T(1.0 / sqrt(found[1] + eps))
        mean[group] = middle
        scale[group] = extent
        if inner == 1:
            scaled_across(rows, middle, extent, offset(weight, channel), offset(bias, channel), target, channels)
            continue
        for each in range(channels):
            factor, add = extent * weight[channel + each], bias[channel + each]
            scaled(offset(rows, each * inner), middle, factor, add, offset(target, each * inner), inner)


@native
def scaled_across(row: pointer(T), mean: T, scale: T, weight: pointer(T), bias: pointer(T), out: pointer(T),
                  count: int64):  # fmt: skip
    """The same of numbers each of which is of a channel of its own."""
    less, times, whole = spread(mean), spread(scale), count // LANES * LANES
    for i in range(0, whole, LANES):
        store(out, i, (load(row, i) - less) * (times * load(weight, i)) + load(bias, i))
    if whole < count:
        some = count - whole
        factors, more = times * load_some(weight, whole, 0, some), load_some(bias, whole, 0, some)
        store_some(out, whole, (load_some(row, whole, 0, some) - less) * factors + more, some)


@native(light=True)
def group_normalized_gradients(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(float64), to_bias: pointer(float64), all: int64,
    groups: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized_gradients`; `to_weight` and `to_bias` have a number for each row."""
    parallel_for(
        pull_groups, all, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, groups, channels, inner
    )  # fmt: skip


@native
def pull_groups(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(float64), to_bias: pointer(float64),
    groups: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count, found = float64(channels * inner), local(float64, 2)
    for group in range(first, last):
        sum, product, extent, middle = 0.0, 0.0, scale[group], mean[group]
        factors, at = offset(weight, group % groups * channels), group * channels * inner
        if inner == 1:
            pull_across(offset(grad, at), offset(array, at), factors, middle, extent, offset(out, at),
                        offset(to_weight, at), offset(to_bias, at), channels)  # fmt: skip
            continue
        for each in range(channels):
            row = group * channels + each
            sums(offset(array, row * inner), middle, offset(grad, row * inner), 0.0, found, 1, 0, inner)
            to_bias[row] = found[0]
            to_weight[row] = found[1] * float64(extent)
            sum += to_bias[row] * float64(factors[each])
            product += to_weight[row] * float64(factors[each])
        pull, average = T(product / count) * extent * extent, T(sum / count) * extent
        for each in range(channels):
            at = (group * channels + each) * inner
            shifted(offset(grad, at), offset(array, at), offset(out, at), middle, factors[each] * extent, pull,
                    average, inner)  # fmt: skip


@native
def pull_across(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: T, scale: T, out: pointer(T),
    to_weight: pointer(float64), to_bias: pointer(float64), count: int64,
):  # fmt: skip
    """The same of a group whose numbers are each of a channel of its own."""
    sum, product, less, times = spread(float64(0)), spread(float64(0)), spread(mean), spread(scale)
    for i in range(0, count, LANES):
        some = count - i
        pull, change = load_some(grad, i, 0, some), (load_some(array, i, 0, some) - less) * times
        store_some(to_bias, i, float64(pull), some)
        store_some(to_weight, i, float64(pull * change), some)
        now = pull * load_some(weight, i, 0, some)
        sum, product = sum + float64(now), product + float64(now * change)
    by, minus = spread(T(sum_of(product) / float64(count)) * scale), spread(T(sum_of(sum) / float64(count)) * scale)
    for i in range(0, count, LANES):
        some = count - i
        factors, change = times * load_some(weight, i, 0, some), (load_some(array, i, 0, some) - less) * times
        store_some(out, i, load_some(grad, i, 0, some) * factors - minus - change * by, some)


@native
def shifted(
    grad: pointer(T), array: pointer(T), out: pointer(T), mean: T, factor: T,
    pull: T, average: T, count: int64,
):  # fmt: skip
    less, times, by, minus = spread(mean), spread(factor), spread(pull), spread(average)
    whole = count // LANES * LANES
    for i in range(0, whole, LANES):
        store(out, i, load(grad, i) * times - minus - (load(array, i) - less) * by)
    if whole < count:
        some = count - whole
        change = (load_some(array, whole, 0, some) - less) * by
        store_some(out, whole, load_some(grad, whole, 0, some) * times - minus - change, some)
