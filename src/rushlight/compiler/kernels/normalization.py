"""Batch norm, group norm and their gradients in as few passes over the memory as can be: a channel stays in the cache.

Arrays are (batch, channels, inner). A row of `inner` numbers is summed in float32, some vectors at a time, in stretches
of at most STRETCH, and the stretches in float64. Means come first and then the squares of what differs from them: one
pass for both loses the digits of a variance that is small beside the mean. Where `inner` is 1, channels are columns,
whose rows are summed COUNTED at a time. `fixed` says that mean and scale are given.
"""

from rushlight.compiler.kernels.vectors import LANES, load, load_some, multiply_add, spread, sum_of
from rushlight.compiler.language import local, offset, sqrt
from rushlight.compiler.native import boolean, float32, float64, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

STRETCH = 4096
FOUR = 4 * LANES  # numbers that are added at a time: a sum waits for the one before it
BLOCK = 256
COUNTED = 16


@native
def channel_sums(
    array: pointer(float32), out: pointer(float32), batch: int64, channels: int64, inner: int64, grain: int64
):
    """`arrays.normalization.channel_sum`."""
    parallel_for(sum_channels, channels, grain, array, out, batch, channels, inner)


@native
def sum_channels(
    array: pointer(float32), out: pointer(float32), batch: int64, channels: int64, inner: int64, first: int64,
    last: int64,
):  # fmt: skip
    for channel in range(first, last):
        out[channel] = float32(total(offset(array, channel * inner), batch, channels * inner, inner))


@native
def total(array: pointer(float32), rows: int64, apart: int64, count: int64) -> float64:
    """The sum of so many rows, `apart`."""
    found, many = 0.0, max(1, STRETCH // count)
    for part in range((rows + many - 1) // many):
        for begin in range(0, count, STRETCH):
            some = offset(array, part * many * apart + begin)
            found += float64(total_of_rows(some, min(many, rows - part * many), apart, min(STRETCH, count - begin)))
    return found


@native(alone=True)
def total_of_rows(array: pointer(float32), rows: int64, apart: int64, count: int64) -> float32:
    """The sum of rows, within vectors only in the end: rows may be short."""
    a, b, c, d, whole = spread(0.0), spread(0.0), spread(0.0), spread(0.0), count // FOUR * FOUR
    for i in range(rows):
        row = offset(array, i * apart)
        for j in range(0, whole, FOUR):
            a, b = a + load(row, j), b + load(row, j + LANES)
            c, d = c + load(row, j + 2 * LANES), d + load(row, j + 3 * LANES)
        for j in range(whole, count, LANES):
            a = a + load_some(row, j, 0, count - j)
    return sum_of((a + b) + (c + d))


@native
def total_products(
    array: pointer(float32), mean: float32, second: pointer(float32), middle: float32, rows: int64, apart: int64,
    count: int64,
) -> float64:  # fmt: skip
    """The sum of (array - mean) * (second - middle) over as many."""
    found, many = 0.0, max(1, STRETCH // count)
    for part in range((rows + many - 1) // many):
        for begin in range(0, count, STRETCH):
            at, some = part * many * apart + begin, min(many, rows - part * many)
            found += float64(
                products_of_rows(
                    offset(array, at), mean, offset(second, at), middle, some, apart, min(STRETCH, count - begin)
                )
            )
    return found


@native
def products_of_rows(
    array: pointer(float32), mean: float32, second: pointer(float32), middle: float32, rows: int64, apart: int64,
    count: int64,
) -> float32:  # fmt: skip
    """The same for so few numbers that they are added in float32; inlined, so that squares are read once."""
    a, b, c, d, rest = spread(0.0), spread(0.0), spread(0.0), spread(0.0), float32(0.0)
    less, least, even, whole = spread(mean), spread(middle), count // FOUR * FOUR, count // LANES * LANES
    for i in range(rows):
        row, next = offset(array, i * apart), offset(second, i * apart)
        for j in range(0, even, FOUR):
            a = multiply_add(load(row, j) - less, load(next, j) - least, a)
            b = multiply_add(load(row, j + LANES) - less, load(next, j + LANES) - least, b)
            c = multiply_add(load(row, j + 2 * LANES) - less, load(next, j + 2 * LANES) - least, c)
            d = multiply_add(load(row, j + 3 * LANES) - less, load(next, j + 3 * LANES) - least, d)
        for j in range(even, whole, LANES):
            a = multiply_add(load(row, j) - less, load(next, j) - least, a)
        for j in range(whole, count):
            rest += (row[j] - mean) * (next[j] - middle)
    return sum_of((a + b) + (c + d)) + rest


@native(separate=True, alone=True)
def scaled(row: pointer(float32), mean: float32, scale: float32, bias: float32, out: pointer(float32), count: int64):
    for i in range(count):
        out[i] = (row[i] - mean) * scale + bias


@native
def batch_normalized(
    array: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    mean: pointer(float32), variance: pointer(float32), scale: pointer(float32), work: pointer(float64),
    factors: pointer(float32), eps: float64, fixed: boolean, batch: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.batch_normalized`; `work` and `factors` are room."""
    if inner == 1:
        parallel_for(
            normalize_columns, channels, grain, array, weight, bias, out, mean, variance, scale, work, factors,
            eps, fixed, batch, channels,
        )  # fmt: skip
    else:
        parallel_for(
            normalize_channels, channels, grain, array, weight, bias, out, mean, variance, scale, eps, fixed, batch,
            channels, inner,
        )  # fmt: skip


@native
def normalize_channels(
    array: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    mean: pointer(float32), variance: pointer(float32), scale: pointer(float32), eps: float64, fixed: boolean,
    batch: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count, apart = float64(batch * inner), channels * inner
    for channel in range(first, last):
        if not fixed:
            rows = offset(array, channel * inner)
            middle = float32(total(rows, batch, apart, inner) / count)
            sum = total_products(rows, middle, rows, middle, batch, apart, inner)
            mean[channel] = middle
            variance[channel] = float32(sum / count)
            scale[channel] = float32(1.0 / sqrt(sum / count + eps))
        factor = scale[channel] * weight[channel]
        for each in range(batch):
            at = (each * channels + channel) * inner
            scaled(offset(array, at), mean[channel], factor, bias[channel], offset(out, at), inner)


@native(separate=True, alone=True)
def pulled(
    grad: pointer(float32), array: pointer(float32), out: pointer(float32), mean: float32, factor: float32,
    pull: float32, average: float32, count: int64,
):  # fmt: skip
    for i in range(count):
        out[i] = (grad[i] - average) * factor - (array[i] - mean) * pull


@native
def batch_normalized_gradients(
    grad: pointer(float32), array: pointer(float32), weight: pointer(float32), mean: pointer(float32),
    scale: pointer(float32), out: pointer(float32), to_weight: pointer(float32), to_bias: pointer(float32),
    work: pointer(float64), factors: pointer(float32), fixed: boolean, batch: int64, channels: int64, inner: int64,
    grain: int64,
):  # fmt: skip
    """`arrays.normalization.batch_normalized_gradients`; `work` and `factors` are room."""
    if inner == 1:
        parallel_for(
            pull_columns, channels, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, work,
            factors, fixed, batch, channels,
        )  # fmt: skip
    else:
        parallel_for(
            pull_channels, channels, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, fixed, batch,
            channels, inner,
        )  # fmt: skip


@native
def pull_channels(
    grad: pointer(float32), array: pointer(float32), weight: pointer(float32), mean: pointer(float32),
    scale: pointer(float32), out: pointer(float32), to_weight: pointer(float32), to_bias: pointer(float32),
    fixed: boolean, batch: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count, apart = float64(batch * inner), channels * inner
    for channel in range(first, last):
        rows, slopes = offset(array, channel * inner), offset(grad, channel * inner)
        sum = total(slopes, batch, apart, inner)
        product = total_products(rows, mean[channel], slopes, 0.0, batch, apart, inner) * float64(scale[channel])
        to_bias[channel] = float32(sum)
        to_weight[channel] = float32(product)
        factor = scale[channel] * weight[channel]
        pull = float32(product / count) * scale[channel] * factor
        average = float32(sum / count)
        for each in range(batch):
            at = (each * channels + channel) * inner
            slopes, target = offset(grad, at), offset(out, at)
            if fixed:
                scaled(slopes, 0.0, factor, 0.0, target, inner)
            else:
                pulled(slopes, offset(array, at), target, mean[channel], factor, pull, average, inner)


# ---- channels that are columns


@native(separate=True, alone=True)
def add_columns(array: pointer(float32), part: pointer(float32), rows: int64, apart: int64, count: int64):
    for j in range(count):
        part[j] = array[j]
    for i in range(1, rows):
        for j in range(count):
            part[j] += array[i * apart + j]


@native(separate=True, alone=True)
def add_products(
    array: pointer(float32), mean: pointer(float32), other: pointer(float32), middle: pointer(float32),
    part: pointer(float32), rows: int64, apart: int64, count: int64,
):  # fmt: skip
    """The sums of the columns of (array - mean) * (other - middle)."""
    for j in range(count):
        part[j] = (array[j] - mean[j]) * (other[j] - middle[j])
    for i in range(1, rows):
        for j in range(count):
            part[j] += (array[i * apart + j] - mean[j]) * (other[i * apart + j] - middle[j])


@native(separate=True, alone=True)
def scale_row(
    array: pointer(float32), mean: pointer(float32), factor: pointer(float32), bias: pointer(float32),
    out: pointer(float32), count: int64,
):  # fmt: skip
    for j in range(count):
        out[j] = (array[j] - mean[j]) * factor[j] + bias[j]


@native(alone=True)
def merge(
    means: pointer(float64), squares: pointer(float64), part: pointer(float32), spread: pointer(float32), before: int64,
    rows: int64, count: int64,
):  # fmt: skip
    """Adds rows to means and squared differences from them, of which there are `before`.

    Source: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.
    """
    share = float64(rows) / float64(before + rows)
    for j in range(count):
        apart = float64(part[j]) - means[j]
        means[j] += apart * share
        squares[j] += float64(spread[j]) + apart * apart * share * float64(before)


@native
def column_moments(
    array: pointer(float32), means: pointer(float64), squares: pointer(float64), rows: int64, apart: int64,
    count: int64,
):  # fmt: skip
    """Means, and sums of squared differences from them, in one pass over the memory."""
    part, spread = local(float32, 256), local(float32, 256)
    for j in range(count):
        means[j] = 0.0
        squares[j] = 0.0
    for row in range(0, rows, COUNTED):
        some = min(COUNTED, rows - row)
        for at in range(0, count, BLOCK):
            width, source = min(BLOCK, count - at), offset(array, row * apart + at)
            add_columns(source, part, some, apart, width)
            for j in range(width):
                part[j] /= float32(some)
            add_products(source, part, source, part, spread, some, apart, width)
            merge(offset(means, at), offset(squares, at), part, spread, row, some, width)


@native(separate=True)
def normalize_columns(
    array: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    mean: pointer(float32), variance: pointer(float32), scale: pointer(float32), work: pointer(float64),
    factors: pointer(float32), eps: float64, fixed: boolean, rows: int64, channels: int64, first: int64, last: int64,
):  # fmt: skip
    means, squares = offset(work, first), offset(work, channels + first)
    if not fixed:
        column_moments(offset(array, first), means, squares, rows, channels, last - first)
        for j in range(first, last):
            mean[j] = float32(means[j - first])
            variance[j] = float32(squares[j - first] / float64(rows))
            scale[j] = float32(1.0 / sqrt(squares[j - first] / float64(rows) + eps))
    for j in range(first, last):
        factors[j] = scale[j] * weight[j]
    middle, factor, add, count = offset(mean, first), offset(factors, first), offset(bias, first), last - first
    for row in range(rows):
        at = row * channels + first
        scale_row(offset(array, at), middle, factor, add, offset(out, at), count)


@native(separate=True, alone=True)
def pull_row(
    grad: pointer(float32), array: pointer(float32), out: pointer(float32), mean: pointer(float32),
    factor: pointer(float32), pull: pointer(float32), average: pointer(float32), count: int64,
):  # fmt: skip
    for j in range(count):
        out[j] = (grad[j] - average[j]) * factor[j] - (array[j] - mean[j]) * pull[j]


@native
def column_totals(
    grad: pointer(float32), array: pointer(float32), mean: pointer(float32), sums: pointer(float64),
    products: pointer(float64), rows: int64, apart: int64, count: int64,
):  # fmt: skip
    """The sums of the columns of grad, and of its products with what differs from the mean."""
    part, zero = local(float32, 256), local(float32, 256)
    for j in range(BLOCK):
        zero[j] = 0.0
    for j in range(count):
        sums[j] = 0.0
        products[j] = 0.0
    for row in range(0, rows, COUNTED):
        some = min(COUNTED, rows - row)
        for at in range(0, count, BLOCK):
            width, slopes = min(BLOCK, count - at), offset(grad, row * apart + at)
            add_columns(slopes, part, some, apart, width)
            for j in range(width):
                sums[at + j] += float64(part[j])
            add_products(offset(array, row * apart + at), offset(mean, at), slopes, zero, part, some, apart, width)
            for j in range(width):
                products[at + j] += float64(part[j])


@native(separate=True)
def pull_columns(
    grad: pointer(float32), array: pointer(float32), weight: pointer(float32), mean: pointer(float32),
    scale: pointer(float32), out: pointer(float32), to_weight: pointer(float32), to_bias: pointer(float32),
    work: pointer(float64), factors: pointer(float32), fixed: boolean, rows: int64, channels: int64, first: int64,
    last: int64,
):  # fmt: skip
    sums, products = offset(work, first), offset(work, channels + first)
    column_totals(
        offset(grad, first), offset(array, first), offset(mean, first), sums, products, rows, channels, last - first
    )  # fmt: skip
    factor, pull, average = (
        offset(factors, first),
        offset(factors, channels + first),
        offset(factors, 2 * channels + first),
    )
    for j in range(last - first):
        at, total = first + j, products[j] * float64(scale[first + j])
        to_bias[at] = float32(sums[j])
        to_weight[at] = float32(total)
        factor[j] = scale[at] * weight[at]
        pull[j] = 0.0
        average[j] = 0.0
        if not fixed:
            pull[j] = float32(total / float64(rows)) * scale[at] * factor[j]
            average[j] = float32(sums[j] / float64(rows))
    middle, count = offset(mean, first), last - first
    for row in range(rows):
        at = row * channels + first
        if fixed:
            scale_row(offset(grad, at), average, factor, pull, offset(out, at), count)
        else:
            pull_row(offset(grad, at), offset(array, at), offset(out, at), middle, factor, pull, average, count)


# ---- groups of channels


@native
def group_normalized(
    array: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    mean: pointer(float32), scale: pointer(float32), eps: float64, all: int64, groups: int64, channels: int64,
    inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized`, of `all` groups of so many channels."""
    parallel_for(
        normalize_groups, all, grain, array, weight, bias, out, mean, scale, eps, groups, channels, inner
    )  # fmt: skip


@native
def normalize_groups(
    array: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    mean: pointer(float32), scale: pointer(float32), eps: float64, groups: int64, channels: int64, inner: int64,
    first: int64, last: int64,
):  # fmt: skip
    count = channels * inner
    for group in range(first, last):
        rows, target, channel = offset(array, group * count), offset(out, group * count), group % groups * channels
        middle = float32(total(rows, 1, 0, count) / float64(count))
        squares = total_products(rows, middle, rows, middle, 1, 0, count)
        extent = float32(1.0 / sqrt(squares / float64(count) + eps))
        mean[group] = middle
        scale[group] = extent
        for each in range(channels):
            factor, add = extent * weight[channel + each], bias[channel + each]
            scaled(offset(rows, each * inner), middle, factor, add, offset(target, each * inner), inner)


@native
def group_normalized_gradients(
    grad: pointer(float32), array: pointer(float32), weight: pointer(float32), mean: pointer(float32),
    scale: pointer(float32), out: pointer(float32), products: pointer(float64), sums: pointer(float64), all: int64,
    groups: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized_gradients`; `products` and `sums` have a number for each row."""
    parallel_for(
        pull_groups, all, grain, grad, array, weight, mean, scale, out, products, sums, groups, channels, inner
    )  # fmt: skip


@native
def pull_groups(
    grad: pointer(float32), array: pointer(float32), weight: pointer(float32), mean: pointer(float32),
    scale: pointer(float32), out: pointer(float32), products: pointer(float64), sums: pointer(float64), groups: int64,
    channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count = float64(channels * inner)
    for group in range(first, last):
        sum, product, extent, middle = 0.0, 0.0, scale[group], mean[group]
        factors = offset(weight, group % groups * channels)
        for each in range(channels):
            row = group * channels + each
            slopes = offset(grad, row * inner)
            sums[row] = total(slopes, 1, 0, inner)
            found = total_products(offset(array, row * inner), middle, slopes, 0.0, 1, 0, inner)
            products[row] = found * float64(extent)
            sum += sums[row] * float64(factors[each])
            product += products[row] * float64(factors[each])
        pull, average = float32(product / count) * extent * extent, float32(sum / count) * extent
        for each in range(channels):
            at = (group * channels + each) * inner
            shifted(offset(grad, at), offset(array, at), offset(out, at), middle, factors[each] * extent, pull,
                    average, inner)  # fmt: skip


@native(separate=True, alone=True)
def shifted(
    grad: pointer(float32), array: pointer(float32), out: pointer(float32), mean: float32, factor: float32,
    pull: float32, average: float32, count: int64,
):  # fmt: skip
    for i in range(count):
        out[i] = grad[i] * factor - average - (array[i] - mean) * pull
