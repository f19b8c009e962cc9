"""Group norm and its gradients for channels-last images; parallel over images.

Channels are columns with separate sums; mean and variance of a group follow from those of its columns.
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
    mean: pointer(T), scale: pointer(T), work: pointer(float64), workspace: pointer(T), eps: float64,
    images: int64, groups: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized` of (images, inner, groups * channels).

    `work` and `workspace` hold two elements per column of each image.
    """
    parallel_for(normalize_images, images, grain, array, weight, bias, out, mean, scale, work, workspace, eps, groups,
                 channels, inner)  # fmt: skip


@native
def normalize_images(
    array: pointer(T), weight: pointer(T), bias: pointer(T), out: pointer(T),
    mean: pointer(T), scale: pointer(T), work: pointer(float64), workspace: pointer(T), eps: float64,
    groups: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    all = groups * channels
    for image in range(first, last):
        source, sums, start_of_image = (
            offset(array, image * inner * all),
            offset(work, image * 2 * all),
            image * 2 * all,
        )
        middle, factor, squares = (
            offset(workspace, start_of_image),
            offset(workspace, start_of_image + all),
            offset(sums, all),
        )
        column_moments(source, middle, sums, squares, inner, all, all)
        for group in range(groups):
            at, group_index = group * channels, image * groups + group
            average = group_mean(offset(middle, at), offset(sums, at), channels, inner)
            variance = group_variance(
                offset(middle, at), offset(sums, at), offset(squares, at), average, channels, inner
            )
            mean[group_index], scale[group_index] = T(average), T(1.0 / sqrt(variance + eps))
            for i in range(at, at + channels):
                middle[i], factor[i] = mean[group_index], scale[group_index] * weight[i]
        for row in range(inner):
            start = (image * inner + row) * all
            scale_row(offset(array, start), middle, factor, bias, offset(out, start), all)


@native
def group_mean(middle: pointer(T), sums: pointer(float64), channels: int64, rows: int64) -> float64:
    """Returns the mean of columns, from their sums of deviations from `middle`."""
    total = 0.0
    for i in range(channels):
        total += float64(middle[i]) + sums[i] / float64(rows)
    return total / float64(channels)


@native
def group_variance(
    middle: pointer(T), sums: pointer(float64), squares: pointer(float64), mean: float64, channels: int64,
    rows: int64,
) -> float64:  # fmt: skip
    """Returns the variance: within columns, plus that of their means."""
    total, count = 0.0, float64(rows)
    for i in range(channels):
        shift = sums[i] / count
        distance = float64(middle[i]) + shift - mean
        total += squares[i] / count - shift * shift + distance * distance
    return total / float64(channels)


@native(light=True)
def group_columns_gradients(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(float64), to_bias: pointer(float64),
    workspace: pointer(T), images: int64, groups: int64, channels: int64, inner: int64, grain: int64,
):  # fmt: skip
    """`arrays.normalization.group_normalized_gradients`; `workspace` holds four elements per column of each image.

    The first of these are zeros.
    """
    parallel_for(images_backward, images, grain, grad, array, weight, mean, scale, out, to_weight, to_bias, workspace,
                 groups, channels, inner)  # fmt: skip


@native
def images_backward(
    grad: pointer(T), array: pointer(T), weight: pointer(T), mean: pointer(T),
    scale: pointer(T), out: pointer(T), to_weight: pointer(float64), to_bias: pointer(float64),
    workspace: pointer(T), groups: int64, channels: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    all, count = groups * channels, float64(channels * inner)
    for image in range(first, last):
        zeros, sums, products = (
            offset(workspace, image * 4 * all),
            offset(to_bias, image * all),
            offset(to_weight, image * all),
        )
        middle, pull, average = offset(zeros, all), offset(zeros, 2 * all), offset(zeros, 3 * all)
        for i in range(all):
            middle[i] = mean[image * groups + i // channels]
        start = image * inner * all
        column_sums(offset(array, start), middle, offset(grad, start), zeros, sums, products, inner, all, all)
        for group in range(groups):
            sum, product, group_scale = 0.0, 0.0, scale[image * groups + group]
            for i in range(group * channels, (group + 1) * channels):
                products[i] *= float64(group_scale)
                sum += sums[i] * float64(weight[i])
                product += products[i] * float64(weight[i])
            by, minus = T(product / count) * group_scale * group_scale, T(sum / count) * group_scale
            for i in range(group * channels, (group + 1) * channels):
                pull[i], average[i], zeros[i] = by, minus, group_scale * weight[i]
        for row in range(inner):
            at = start + row * all
            row_backward(offset(grad, at), offset(array, at), offset(out, at), middle, zeros, pull, average, all)


@native
def row_backward(
    grad: pointer(T), array: pointer(T), out: pointer(T), mean: pointer(T),
    factor: pointer(T), pull: pointer(T), average: pointer(T), count: int64,
):  # fmt: skip
    for j in range(0, count, LANES):
        some = count - j
        change = (load_some(array, j, 0, some) - load_some(mean, j, 0, some)) * load_some(pull, j, 0, some)
        scaled = load_some(grad, j, 0, some) * load_some(factor, j, 0, some) - load_some(average, j, 0, some)
        store_some(out, j, scaled - change, some)
