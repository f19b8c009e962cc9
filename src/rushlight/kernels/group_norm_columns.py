"""Group norm and its gradients of images whose channels come last.

The channels of an image are columns, which are summed side by side. The mean and the variance of a group follow from
those of its columns.
"""

from rushlight.kernels.batch_norm_columns import column_moments, column_sums, scale_row
from rushlight.kernels.vectors import LANES, load_some, store_some
from rushlight.lower.language import offset, sqrt
from rushlight.lower.native import Element, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for

T = Element("T")


@native(light=True)
def group_columns_normalized(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), scale: pointer(T), work: pointer(float64), room: pointer(T), eps: float64,
    images: int64, groups: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized` of (images, inner, groups * channels).

    Of each image, `work` and `room` have two numbers for every column.
    """
    parallel_for(normalize_images, images, grain, array, weight, bias, out, mean, scale, work, room, eps, groups,
                 channels, inner)  # fmt: skip


@native
def normalize_images(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), scale: pointer(T), work: pointer(float64), room: pointer(T), eps: float64,
    groups: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    all = groups * channels
    for image in range(first, last):
        source, sums, less = offset(array, image * inner * all), offset(work, image * 2 * all), image * 2 * all
        middle, factor, squares = offset(room, less), offset(room, less + all), offset(sums, all)
        column_moments(source, middle, sums, squares, inner, all, all)
        for group in range(groups):
            at, each = group * channels, image * groups + group
            found = group_mean(offset(middle, at), offset(sums, at), channels, inner)
            variance = group_variance(offset(middle, at), offset(sums, at), offset(squares, at), found, channels, inner)
            mean[each], scale[each] = T(found), T(1.0 / sqrt(variance + eps))
            for i in range(at, at + channels):
                middle[i], factor[i] = mean[each], scale[each] * weight[i]
        for row in range(inner):
            place = (image * inner + row) * all
            scale_row(offset(array, place), middle, factor, bias, offset(out, place), all)


@native
def group_mean(middle: pointer(T), sums: pointer(float64), channels: int64, rows: int64) -> float64:
    """Of columns, from the sums of what differs from their `middle`."""
    total = 0.0
    for i in range(channels):
        total += float64(middle[i]) + sums[i] / float64(rows)
    return total / float64(channels)


@native
def group_variance(
    middle: pointer(T), sums: pointer(float64), squares: pointer(float64), mean: float64, channels: int64,
    rows: int64,
) -> float64:  # fmt: skip
    """That within columns, and that of their means."""
    total, share = 0.0, float64(rows)
    for i in range(channels):
        less = sums[i] / share
        far = float64(middle[i]) + less - mean
        total += squares[i] / share - less * less + far * far
    return total / float64(channels)


@native(light=True)
def group_columns_gradients(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(float64), to_bias: pointer(float64),
    room: pointer(T), images: int64, groups: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized_gradients`; `room` has four numbers for every column of each image, of
    which the first are zeros.
    """
    parallel_for(pull_images, images, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, room, groups,
                 channels, inner)  # fmt: skip


@native
def pull_images(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(float64), to_bias: pointer(float64),
    room: pointer(T), groups: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    all, count = groups * channels, float64(channels * inner)
    for image in range(first, last):
        zeros, sums, products = (
            offset(room, image * 4 * all),
            offset(to_bias, image * all),
            offset(to_weight, image * all),
        )
        middle, pull, average = offset(zeros, all), offset(zeros, 2 * all), offset(zeros, 3 * all)
        for i in range(all):
            middle[i] = mean[image * groups + i // channels]
        place = image * inner * all
        column_sums(offset(array, place), middle, offset(grad, place), zeros, sums, products, inner, all, all)
        for group in range(groups):
            sum, product, extent = 0.0, 0.0, scale[image * groups + group]
            for i in range(group * channels, (group + 1) * channels):
                products[i] *= float64(extent)
                sum += sums[i] * float64(weight[i])
                product += products[i] * float64(weight[i])
            by, minus = T(product / count) * extent * extent, T(sum / count) * extent
            for i in range(group * channels, (group + 1) * channels):
                pull[i], average[i], zeros[i] = by, minus, extent * weight[i]
        for row in range(inner):
            at = place + row * all
            pull_line(offset(grad, at), offset(array, at), offset(out, at), middle, zeros, pull, average, all)


@native
def pull_line(
    grad: pointer(T), array: pointer(T), out: pointer(T), mean: pointer(T),
    factor: pointer(T), pull: pointer(T), average: pointer(T), count: int64,
):  # fmt: skip
    for j in range(0, count, LANES):
        some = count - j
        change = (load_some(array, j, 0, some) - load_some(mean, j, 0, some)) * load_some(pull, j, 0, some)
        slope = load_some(grad, j, 0, some) * load_some(factor, j, 0, some) - load_some(average, j, 0, some)
        store_some(out, j, slope - change, some)
