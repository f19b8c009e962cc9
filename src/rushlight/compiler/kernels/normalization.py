"""Batch norm, group norm and their gradients in as few passes over the memory as can be: a channel stays in the cache.

Arrays are (batch, channels, inner). A row of `inner` numbers is summed in float32, some vectors at a time, in stretches
of at most STRETCH, and the stretches in float64. Means come first and then the squares of what differs from them: one
pass for both loses the digits of a variance that is small beside the mean. Where `inner` is 1, channels are columns,
whose rows are summed COUNTED at a time. `fixed` says that mean and scale are given.
"""

from rushlight.compiler.kernels.vectors import LANES, load, load_some, spread, sum_of
from rushlight.compiler.language import local, offset, sqrt
from rushlight.compiler.native import boolean, float32, float64, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

STRETCH = 4096
BLOCK = 256
COUNTED = 16


@native(reassociate=True, alone=True)
def total(row: pointer(float32), count: int64) -> float64:
    """The sum of a row."""
    found = 0.0
    for begin in range(0, count, STRETCH):
        part = float32(0.0)
        for i in range(begin, min(begin + STRETCH, count)):
            part += row[i]
        found += float64(part)
    return found


@native(reassociate=True, alone=True)
def total_squares(row: pointer(float32), mean: float32, count: int64) -> float64:
    """The sum of the squares of what differs from the mean."""
    found = 0.0
    for begin in range(0, count, STRETCH):
        part = float32(0.0)
        for i in range(begin, min(begin + STRETCH, count)):
            part += (row[i] - mean) * (row[i] - mean)
        found += float64(part)
    return found


@native(reassociate=True, alone=True)
def total_products(row: pointer(float32), mean: float32, other: pointer(float32), count: int64) -> float64:
    """The sum of the products of another row and what differs from the mean."""
    found = 0.0
    for begin in range(0, count, STRETCH):
        part = float32(0.0)
        for i in range(begin, min(begin + STRETCH, count)):
            part += (row[i] - mean) * other[i]
        found += float64(part)
    return found


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
    apart, many = channels * inner, max(1, STRETCH // inner)
    for channel in range(first, last):
        sum = 0.0
        for part in range((batch + many - 1) // many):
            each = part * many
            for begin in range(0, inner, STRETCH):
                rows = offset(array, each * apart + channel * inner + begin)
                sum += float64(total_of_rows(rows, min(many, batch - each), apart, min(STRETCH, inner - begin)))
        out[channel] = float32(sum)


@native(alone=True)
def total_of_rows(array: pointer(float32), rows: int64, apart: int64, count: int64) -> float32:
    """The sum of rows, within vectors only in the end: rows may be short."""
    one, other, whole = spread(0.0), spread(0.0), count // (2 * LANES) * (2 * LANES)
    for i in range(rows):
        row = offset(array, i * apart)
        for j in range(0, whole, 2 * LANES):
            one, other = one + load(row, j), other + load(row, j + LANES)
        for j in range(whole, count, LANES):
            one = one + load_some(row, j, 0, count - j)
    return sum_of(one + other)


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
    count = float64(batch * inner)
    for channel in range(first, last):
        if not fixed:
            sum = 0.0
            for each in range(batch):
                sum += total(offset(array, (each * channels + channel) * inner), inner)
            middle = float32(sum / count)
            sum = 0.0
            for each in range(batch):
                sum += total_squares(offset(array, (each * channels + channel) * inner), middle, inner)
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
    count = float64(batch * inner)
    for channel in range(first, last):
        sum = 0.0
        product = 0.0
        for each in range(batch):
            at = (each * channels + channel) * inner
            sum += total(offset(grad, at), inner)
            product += total_products(offset(array, at), mean[channel], offset(grad, at), inner)
        product *= float64(scale[channel])
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
        middle = float32(total(rows, count) / float64(count))
        extent = float32(1.0 / sqrt(total_squares(rows, middle, count) / float64(count) + eps))
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
            sums[row] = total(slopes, inner)
            products[row] = total_products(offset(array, row * inner), middle, slopes, inner) * float64(extent)
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
