"""Normalization over all but one dimension of arrays (outer, channels, inner), in few passes over memory.

Each channel's statistics are over its `outer * inner` elements. Batch norm has (batch, channels, positions); layer norm
(1, rows, features); group norm (1, batch * groups, rest). Short stretches are summed in float32, and stretches are
added in float64.
"""

import math

import numpy as np

from rushlight.arrays.backends import PROCESSOR
from rushlight.arrays.convolution import widened
from rushlight.arrays.reduce import ALONE, FEW, SHORT, SQUARES, ones
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tables import primitive, xp

# A longer stretch is summed pairwise or in float64, so that the error of a sum does not grow with its length.
STRETCH = 1024
FEW_ROWS = 64  # up to so many rows may be added one after the other


@primitive
def channel_sum(array):
    """The sum over all dimensions but the second.

    >>> channel_sum(np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]))
    array([14., 22.])
    """
    if (wide := widened(array)) is not array:
        return xp.channel_sum(wide).astype(array.dtype)  # sums of ones in bfloat16 stop at 256
    if array.dtype.kind not in "fc":
        return np.add.reduce(array, (0, *range(2, array.ndim)), array.dtype)
    if array.ndim == 2 and len(array) <= STRETCH:
        return np.add.reduce(array, 0)
    return totals(array.reshape(*array.shape[:2], -1 if array.size else 0))


def totals(array):
    """The sums of the channels of (outer, channels, inner)."""
    if array.shape[2] > STRETCH:
        return np.add.reduce(np.add.reduce(array, 2), 0)
    if len(array) > STRETCH:
        return in_stretches(len(array), array.dtype, lambda part: np.einsum("acl->c", array[part]))
    return np.einsum("acl->c", array)


def products(one, other):
    """The sums of the channels of `one * other`."""
    if one.shape[2] > STRETCH:
        return totals(one * other)
    if len(one) > STRETCH:
        return in_stretches(len(one), one.dtype, lambda part: np.einsum("acl,acl->c", one[part], other[part]))
    return np.einsum("acl,acl->c", one, other)


def in_stretches(length, dtype, sum_of):
    """A sum along a long dimension, in stretches that `sum_of` computes."""
    parts = [sum_of(slice(begin, begin + STRETCH)) for begin in range(0, length, STRETCH)]
    return np.add.reduce(parts, 0, np.complex128 if dtype.kind == "c" else np.float64).astype(dtype)


def moments(array, eps):
    """Returns the array minus its channels' means; the means, the variances, and the inverse deviations."""
    count = array.shape[0] * array.shape[2]
    if 1 in (array.shape[0], array.shape[2]) and count <= STRETCH and array.size <= ALONE:
        return moments_of_rows(array, count, eps)
    mean = totals(array)
    mean /= count
    centred = array - mean.reshape(1, -1, 1)
    variance = products(centred, centred)
    variance /= count
    return centred, mean, variance, 1 / np.sqrt(variance + eps)


def moments_of_rows(array, count, eps):
    """Returns `moments` if each channel is one short row or column."""
    rows = array[0] if array.shape[0] == 1 else array[:, :, 0].T  # (channels, count)
    centred, *statistics = row_moments(rows, count, eps)
    return (centred[None] if array.shape[0] == 1 else centred.T[:, :, None]), *statistics


def row_moments(rows, count, eps):
    """Returns `moments` of rows (channels, count), by products: einsum has a large overhead."""
    numbers = ARRAY_NUMBERS[rows.dtype]
    mean = rows.dot(ones(count, rows.dtype))
    mean /= numbers[count]
    centred = rows - mean[:, None]
    variance = np.vecdot(centred, centred)
    variance /= numbers[count]
    scale = variance + numbers[eps]
    np.sqrt(scale, scale)
    return centred, mean, variance, np.reciprocal(scale, scale)


@primitive
def batch_normalized(array, eps, weight, bias):
    """Returns the array minus its channels' means, divided by their deviations, times `weight`, plus `bias`; and, as in
    `moments`, means, variances and inverse deviations.

    >>> batch_normalized(np.array([[[1.0, 3.0]]]), 0.0, np.array([2.0]), None)[0]
    array([[[-2.,  2.]]])
    """
    results = normalized_by_channel(array, eps, weight, bias)
    variance = results[2]
    if type(variance) is not PROCESSOR.array_type or variance.dtype is not FLOAT32 or variance.dot(variance) < math.inf:
        return results  # on a GPU, where to look would be to wait, too
    return in_float64(normalized_by_channel, results, array, eps, weight, bias)


FLOAT32 = np.dtype(np.float32)
TINY = 1e-15  # an inverse deviation whose square leaves the range of float32


def are_tiny(scale) -> bool:
    """Whether some inverse deviations are so small, or nan, that float32 does not suffice to compute with them."""
    return (
        type(scale) is PROCESSOR.array_type and scale.dtype is FLOAT32 and np.count_nonzero(scale > TINY) != scale.size
    )


def in_float64(function, results, *arguments) -> tuple:
    """Returns the results of a function of arrays, computed in float64, in the dtypes of `results`."""
    wide = [each.astype(np.float64) if isinstance(each, np.ndarray) else each for each in arguments]
    return tuple([each.astype(old.dtype) for each, old in zip(function(*wide), results, strict=True)])


def normalized_by_channel(array, eps, weight, bias):
    """`batch_normalized` in the dtype of the array."""
    if array.shape[2] == 1 and are_few(rows := array[:, :, 0]) and len(array) <= STRETCH:
        result, *statistics = columns_normalized(rows, eps, weight, bias)
        return result[:, :, None], *statistics
    if array.shape[0] > 1 and array.size <= ALONE and 0 < array.shape[0] * array.shape[2] <= STRETCH:
        result, *statistics = transposed_normalized(array, eps, weight)
    else:
        result, *statistics = moments(array, eps)
        scale = statistics[2]
        result *= (scale if weight is None else scale * weight).reshape(1, -1, 1)
    if bias is not None:
        result += bias.reshape(1, -1, 1)
    return result, *statistics


def transposed_normalized(array, eps, weight):
    """`batch_normalized` of small arrays, without bias; transposing to rows is faster than einsum."""
    outer, channels, inner = array.shape
    rows = array.transpose(1, 0, 2).reshape(channels, outer * inner)
    centred, mean, variance, scale = row_moments(rows, outer * inner, eps)
    centred = centred.reshape(channels, outer, inner).transpose(1, 0, 2)
    factor = scale if weight is None else scale * weight
    return np.multiply(centred, factor.reshape(1, -1, 1), order="C"), mean, variance, scale


def columns_normalized(rows, eps, weight, bias):
    """`batch_normalized` of a few rows, whose columns are the channels."""
    numbers, row = ARRAY_NUMBERS[rows.dtype], ones(len(rows), rows.dtype)
    mean = row.dot(rows)
    mean /= numbers[len(rows)]
    result = rows - mean
    variance = row.dot(result * result)
    variance /= numbers[len(rows)]
    scale = variance + numbers[eps]
    np.sqrt(scale, scale)
    np.reciprocal(scale, scale)
    result = result * (scale if weight is None else scale * weight)
    return result if bias is None else result + bias, mean, variance, scale


@primitive
def batch_normalized_gradients(grad, array, weight, mean, scale):
    """The derivatives of `batch_normalized` with respect to array, weight and bias, applied to `grad`.

    >>> array = np.array([[[1.0, 3.0]]])
    >>> batch_normalized_gradients(array, array, None, np.array([2.0]), np.array([1.0]))[1:]
    (array([2.]), array([4.]))
    """
    results = gradients_by_channel(grad, array, weight, mean, scale)
    return in_float64(gradients_by_channel, results, grad, array, weight, mean, scale) if are_tiny(scale) else results


def gradients_by_channel(grad, array, weight, mean, scale):
    """`batch_normalized_gradients` in the dtype of the arrays."""
    count = array.shape[0] * array.shape[2]
    factor = scale if weight is None else scale * weight
    if array.shape[2] == 1 and are_few(array[:, :, 0]) and count <= STRETCH:
        to_input, *other_gradients = gradients_of_columns(grad[:, :, 0], array[:, :, 0], factor, mean, scale)
        return to_input[:, :, None], *other_gradients
    centred = array - mean.reshape(1, -1, 1)
    to_weight, to_bias = products(grad, centred) * scale, totals(grad)
    centred *= (to_weight * scale * factor / count).reshape(1, -1, 1)
    result = grad - (to_bias / count).reshape(1, -1, 1)
    result *= factor.reshape(1, -1, 1)
    result -= centred
    return result, to_weight, to_bias


@primitive
def fixed_normalized(array, mean, scale, weight, bias):
    """`batch_normalized` with given means and inverse deviations, in their dtype or wider.

    >>> fixed_normalized(np.array([[[1.0, 3.0]]]), np.array([2.0]), np.array([1.0]), None, np.array([1.0]))
    array([[[0., 2.]]])
    """
    result = normalized(array.astype(mean.dtype, copy=False), mean, scale if weight is None else scale * weight)
    if bias is not None:
        result += bias.reshape(1, -1, 1)
    return result


@primitive
def fixed_normalized_gradients(grad, array, weight, mean, scale):
    """The derivatives of `fixed_normalized` with respect to array, weight and bias, applied to `grad`.

    >>> array = np.array([[[1.0, 3.0]]])
    >>> fixed_normalized_gradients(array, array, np.array([3.0]), np.array([2.0]), np.array([1.0]))
    (array([[[3., 9.]]]), array([2.]), array([4.]))
    """
    factor = scale if weight is None else scale * weight
    to_weight = products(grad, array - mean.reshape(1, -1, 1)) * scale
    return grad * factor.reshape(1, -1, 1), to_weight, totals(grad)


@primitive
def group_normalized(array, groups, eps, weight, bias):
    """Normalizes (batch, channels, inner) by groups of channels, times `weight`, plus `bias`, both per channel. Returns
    also the means and inverse deviations of the groups of each example.

    >>> group_normalized(np.array([[[1.0], [3.0]]]), 1, 0.0, np.array([2.0, 1.0]), None)[0]
    array([[[-2.],
            [ 1.]]])
    """
    batch, channels, inner = array.shape
    result, mean, _, scale = moments(array.reshape(1, batch * groups, channels // groups * inner), eps)
    result *= scale.reshape(1, -1, 1)
    result = result.reshape(array.shape)
    if weight is not None:
        result *= weight.reshape(1, -1, 1)
    if bias is not None:
        result += bias.reshape(1, -1, 1)
    return result, mean, scale


@primitive
def group_normalized_gradients(grad, array, groups, weight, mean, scale):
    """The derivatives of `group_normalized` with respect to array, weight and bias, applied to `grad`.

    >>> array = np.array([[[1.0, 3.0]]])
    >>> group_normalized_gradients(array, array, 1, None, np.array([2.0]), np.array([1.0]))[1:]
    (array([2.]), array([4.]))
    """
    batch, channels, inner = array.shape
    layout = 1, batch * groups, channels // groups * inner
    to_weight = totals(grad * normalized(array.reshape(layout), mean, scale).reshape(array.shape))
    weighted = grad if weight is None else grad * weight.reshape(1, -1, 1)
    result = normalized_gradient(weighted.reshape(layout), array.reshape(layout), mean, scale)
    return result.reshape(array.shape), to_weight, totals(grad)


@primitive
def layer_normalized(array, weight, bias, eps):
    """Normalizes rows (..., features), times weight plus bias; returns also means and inverse deviations.

    >>> layer_normalized(np.array([[1.0, 3.0]]), None, np.array([0.0, 1.0]), 0.0)[0]
    array([[-1.,  2.]])

    For half precision all three are float32.
    """
    rows = widened(array) if array.ndim == 2 else widened(array).reshape(math.prod(array.shape[:-1]), array.shape[-1])
    if rows.dtype in SQUARES and 0 < rows.shape[1] <= SHORT and rows.size <= FEW:
        result, mean, scale = short_rows_normalized(rows, eps)
    elif 0 < array.shape[-1] <= STRETCH and array.size <= ALONE:
        result, mean, _, scale = row_moments(rows, array.shape[-1], eps)
        result = result * scale[:, None]  # for so small an array, a new one is faster than the overlap check
    else:
        result, mean, _, scale = moments(rows[None], eps)
        result = result[0]
        result *= scale[:, None]
    if weight is not None:
        result *= weight
    if bias is not None:
        result += bias
    return result.reshape(array.shape), mean, scale


def short_rows_normalized(rows, eps):
    """Normalizes a few short rows; returns also means and inverse deviations.

    Products with square matrices of ones repeat the mean and the deviation for each element: NumPy takes a third of the
    time without broadcasting.
    """
    numbers, length = ARRAY_NUMBERS[rows.dtype], rows.shape[1]
    square = SQUARES[rows.dtype][length]
    mean = rows.dot(square)
    mean /= numbers[length]
    result = rows - mean
    scale = np.multiply(result, result).dot(square)  # too large by a factor of the row length, which is corrected below
    scale += numbers[length * eps]
    np.divide(numbers[math.sqrt(length)], np.sqrt(scale, scale), scale)
    result *= scale
    return result, mean[:, 0], scale[:, 0]


def layer_normalized_gradients(grad, array, weight, mean, scale):
    """The derivatives of `layer_normalized` with respect to array (rows, features), weight and bias, applied to `grad`.

    >>> array = np.array([[1.0, 3.0]])
    >>> layer_normalized_gradients(array, array, np.array([1.0, 1.0]), np.array([2.0]), np.array([1.0]))[1:]
    (array([-1.,  3.]), array([1., 3.]))
    """
    weighted = grad * weight
    if not are_few(array):
        to_input = normalized_gradient(weighted[None], array[None], mean, scale)[0]
        return to_input, weight_gradient(grad[None], array[None], mean, scale, True), xp.total(grad, 0)
    scale = scale[:, None]
    h = (array - mean[:, None]) * scale
    return gradient_of_rows(weighted, h, scale), column_sums(grad * h), column_sums(grad)


def are_few(rows):
    """Whether rows are so few and short that products with vectors sum them, each in one call."""
    return rows.size <= ALONE and 0 < rows.shape[1] <= STRETCH


def column_sums(rows):
    """The sum of rows; of a few, by a product."""
    return ones(len(rows), rows.dtype).dot(rows) if len(rows) <= FEW_ROWS else xp.total(rows, 0)


def gradient_of_rows(grad, h, scale):
    """`normalized_gradient` of a few rows, given the normalized rows `h`; scale is a column."""
    numbers, count = ARRAY_NUMBERS[grad.dtype], h.shape[1]
    mean, projection = grad.dot(ones(count, grad.dtype)), np.vecdot(grad, h)
    mean /= numbers[count]
    projection /= numbers[count]
    result = grad - h * projection[:, None]
    return (result - mean[:, None]) * scale


def gradients_of_columns(grad, array, factor, mean, scale):
    """`batch_normalized_gradients` of a few rows, whose columns are the channels; `factor` is scale times weight."""
    numbers, centred = ARRAY_NUMBERS[grad.dtype], array - mean
    to_weight, to_bias = column_sums(grad * centred) * scale, column_sums(grad)
    projection = to_weight * scale
    projection /= numbers[len(array)]
    result = grad - centred * projection
    return (result - to_bias / numbers[len(array)]) * factor, to_weight, to_bias


def normalized(array, mean, scale):
    """`(array - mean) * scale`, per channel.

    >>> normalized(np.array([[[1.0, 3.0]]]), np.array([2.0]), np.array([1.0]))
    array([[[-1.,  1.]]])
    """
    result = array - mean.reshape(1, -1, 1)
    result *= scale.reshape(1, -1, 1)
    return result


def normalized_gradient(grad, array, mean, scale):
    """The derivative of normalizing an array by its own mean and scale, applied to `grad`; it is symmetric.

    With h the normalized array and averages over the channel: scale * (grad - mean(grad) - h * mean(grad * h)).
    """
    if array.shape[0] == 1 and are_few(array[0]):
        scale = scale[:, None]
        return gradient_of_rows(grad[0], (array[0] - mean[:, None]) * scale, scale)[None]
    count = array.shape[0] * array.shape[2]
    centred = array - mean.reshape(1, -1, 1)
    projection = products(grad, centred) * (scale * scale / count)
    centred *= projection.reshape(1, -1, 1)
    result = grad - (totals(grad) / count).reshape(1, -1, 1)
    result -= centred
    result *= scale.reshape(1, -1, 1)
    return result


def weight_gradient(grad, array, mean, scale, per_feature):
    """The sums of `grad * normalized(array)` per channel, or per feature: per index of the last dimension."""
    if per_feature:
        return np.add.reduce(grad * normalized(array, mean, scale), (0, 1))
    return products(grad, array - mean.reshape(1, -1, 1)) * scale
