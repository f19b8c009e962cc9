"""Group norm and its gradients; parallel over groups, whose channels stay in cache between the passes."""

from rushlight.kernels.batch_norm import moments, scale_row, sums
from rushlight.kernels.vectors import LANES, load, load_some, splat, store, store_some, sum_of
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
    """`arrays.normalization.group_normalized`, for `all` groups of `channels` channels."""
    parallel_for(
        normalize_groups, all, grain, array, weight, bias, out, mean, scale, eps, groups, channels, inner
    )  # fmt: skip


@native
def normalize_groups(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), scale: pointer(T), eps: float64, groups: int64, channels: int64, inner: int64,
    first: int64, last: int64,
):  # fmt: skip
    count, moments_out = channels * inner, local(float64, 2)
    for group in range(first, last):
        rows, target, channel = offset(array, group * count), offset(out, group * count), group % groups * channels
        moments(rows, moments_out, 1, 0, count)
        group_mean, group_scale = T(moments_out[0]), T(1.0 / sqrt(moments_out[1] + eps))
        mean[group] = group_mean
        scale[group] = group_scale
        if inner == 1:
            scale_channels(
                rows, group_mean, group_scale, offset(weight, channel), offset(bias, channel), target, channels
            )
            continue
        for channel_index in range(channels):
            factor, add = group_scale * weight[channel + channel_index], bias[channel + channel_index]
            scale_row(
                offset(rows, channel_index * inner),
                group_mean,
                factor,
                add,
                offset(target, channel_index * inner),
                inner,
            )


@native
def scale_channels(row: pointer(T), mean: T, scale: T, weight: pointer(T), bias: pointer(T), out: pointer(T),
                  count: int64):  # fmt: skip
    """Normalizes a row with one element per channel."""
    shift, times, whole = splat(mean), splat(scale), count // LANES * LANES
    for i in range(0, whole, LANES):
        store(out, i, (load(row, i) - shift) * (times * load(weight, i)) + load(bias, i))
    if whole < count:
        some = count - whole
        factors, more = times * load_some(weight, whole, 0, some), load_some(bias, whole, 0, some)
        store_some(out, whole, (load_some(row, whole, 0, some) - shift) * factors + more, some)


@native(light=True)
def group_normalized_gradients(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(float64), to_bias: pointer(float64), all: int64,
    groups: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized_gradients`; `to_weight` and `to_bias` hold one value per channel of each
    example.
    """
    parallel_for(
        groups_backward, all, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, groups, channels, inner
    )  # fmt: skip


@native
def groups_backward(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(float64), to_bias: pointer(float64),
    groups: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    count, row_sums = float64(channels * inner), local(float64, 2)
    for group in range(first, last):
        sum, product, group_scale, group_mean = 0.0, 0.0, scale[group], mean[group]
        factors, at = offset(weight, group % groups * channels), group * channels * inner
        if inner == 1:
            channels_backward(offset(grad, at), offset(array, at), factors, group_mean, group_scale, offset(out, at),
                        offset(to_weight, at), offset(to_bias, at), channels)  # fmt: skip
            continue
        for k in range(channels):
            row = group * channels + k
            sums(offset(array, row * inner), group_mean, offset(grad, row * inner), 0.0, row_sums, 1, 0, inner)
            to_bias[row] = row_sums[0]
            to_weight[row] = row_sums[1] * float64(group_scale)
            sum += to_bias[row] * float64(factors[k])
            product += to_weight[row] * float64(factors[k])
        pull, average = T(product / count) * group_scale * group_scale, T(sum / count) * group_scale
        for k in range(channels):
            at = (group * channels + k) * inner
            row_backward(offset(grad, at), offset(array, at), offset(out, at), group_mean, factors[k] * group_scale,
                         pull,
                    average, inner)  # fmt: skip


@native
def channels_backward(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: T, scale: T, out: pointer(T),
    to_weight: pointer(float64), to_bias: pointer(float64), count: int64,
):  # fmt: skip
    """Computes the gradients of a group with one element per channel."""
    sum, product, shift, times = splat(float64(0)), splat(float64(0)), splat(mean), splat(scale)
    for i in range(0, count, LANES):
        some = count - i
        pull, change = load_some(grad, i, 0, some), (load_some(array, i, 0, some) - shift) * times
        store_some(to_bias, i, float64(pull), some)
        store_some(to_weight, i, float64(pull * change), some)
        weighted = pull * load_some(weight, i, 0, some)
        sum, product = sum + float64(weighted), product + float64(weighted * change)
    by, minus = splat(T(sum_of(product) / float64(count)) * scale), splat(T(sum_of(sum) / float64(count)) * scale)
    for i in range(0, count, LANES):
        some = count - i
        factors, change = times * load_some(weight, i, 0, some), (load_some(array, i, 0, some) - shift) * times
        store_some(out, i, load_some(grad, i, 0, some) * factors - minus - change * by, some)


@native
def row_backward(
    grad: pointer(T), array: pointer(T), out: pointer(T), mean: T, factor: T,
    pull: T, average: T, count: int64,
):  # fmt: skip
    shift, times, by, minus = splat(mean), splat(factor), splat(pull), splat(average)
    whole = count // LANES * LANES
    for i in range(0, whole, LANES):
        store(out, i, load(grad, i) * times - minus - (load(array, i) - shift) * by)
    if whole < count:
        some = count - whole
        change = (load_some(array, whole, 0, some) - shift) * by
        store_some(out, whole, load_some(grad, whole, 0, some) * times - minus - change, some)
