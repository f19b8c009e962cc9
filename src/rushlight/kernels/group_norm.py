"""Group norm and its gradients: a group of channels stays in the cache between its passes."""

from rushlight.kernels.batch_norm import moments, scaled, sums
from rushlight.kernels.vectors import LANES, load, load_some, spread, store, store_some, sum_of
from rushlight.lower.language import local, offset, sqrt
from rushlight.lower.native import Element, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for

T = Element("T")  # float32 or float64


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
