"""Means and deviations over all but one dimension of arrays (outer, channels, inner), in few passes over the memory.

Each channel's statistics are those of its `outer * inner` numbers. Batch norm sees (batch, channels, positions); layer
norm (1, rows, features); group norm (1, batch * groups, rest). Sums are taken in float32 over short stretches and in
float64 over these.
"""

import numpy as np

# A longer stretch is summed pairwise or in float64, so that the error of a sum does not grow with its length.
STRETCH = 1024


def channel_sum(array):
    """The sum over all dimensions but the second.

    >>> channel_sum(np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]))
    array([14., 22.])
    """
    if array.dtype.kind not in "fc":
        return np.add.reduce(array, (0, *range(2, array.ndim)), array.dtype)
    return totals(array.reshape(*array.shape[:2], -1 if array.size else 0))


def totals(array):
    """The sums of the channels of (outer, channels, inner)."""
    if array.shape[2] > STRETCH:
        return np.add.reduce(np.add.reduce(array, 2), 0)
    return in_stretches(array.shape[0], array.dtype, lambda part: np.einsum("acl->c", array[part]))


def products(one, other):
    """The sums of the channels of `one * other`."""
    if one.shape[2] > STRETCH:
        return totals(one * other)
    return in_stretches(len(one), one.dtype, lambda part: np.einsum("acl,acl->c", one[part], other[part]))


def in_stretches(length, dtype, sum_of):
    """A sum along a long dimension, of which each stretch is summed by `sum_of`."""
    if length <= STRETCH:
        return sum_of(slice(None))
    parts = [sum_of(slice(begin, begin + STRETCH)) for begin in range(0, length, STRETCH)]
    return np.add.reduce(parts, 0, np.complex128 if dtype.kind == "c" else np.float64).astype(dtype)


def along(values):
    """One number per channel, to be combined with (outer, channels, inner)."""
    return values.reshape(1, -1, 1)


def moments(array, eps):
    """Every channel's mean and variance, the inverse of its deviation, and the array less the mean."""
    count = array.shape[0] * array.shape[2]
    mean = totals(array) / array.dtype.type(count)
    centred = array - along(mean)
    variance = products(centred, centred) / array.dtype.type(count)
    return mean, variance, 1 / np.sqrt(variance + array.dtype.type(eps)), centred


def normalized(array, mean, scale):
    """`(array - mean) * scale`, channel by channel.

    >>> normalized(np.array([[[1.0, 3.0]]]), np.array([2.0]), np.array([1.0]))
    array([[[-1.,  1.]]])
    """
    result = array - along(mean)
    result *= along(scale)
    return result


def normalized_gradient(grad, array, mean, scale):
    """The derivative of `normalized`, where mean and scale follow from the array, applied to `grad`; it is symmetric.

    With h the normalized array and averages over the channel: scale * (grad - mean(grad) - h * mean(grad * h)).
    """
    count = array.dtype.type(array.shape[0] * array.shape[2])
    centred = array - along(mean)
    pull = products(grad, centred) * (scale * scale * scale / count)
    shift = totals(grad) * (scale / count)
    result = grad * along(scale)
    centred *= along(pull)
    result -= centred
    result -= along(shift)
    return result
