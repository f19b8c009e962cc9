"""Sums over all but some dimensions, means and deviations, in few passes over the memory."""

import math

import numpy as np


def channel_sum(array):
    """The sum over all dimensions but the second.

    >>> channel_sum(np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]))
    array([14., 22.])
    """
    batch, channels, *size = array.shape
    length = math.prod(size)
    if array.dtype.kind not in "fc" or length < 2:
        return np.add.reduce(array, (0, *range(2, array.ndim)), array.dtype)
    ones = np.ones(length, array.dtype)  # a product with ones is the fastest sum of long rows
    rows = array.reshape(batch * channels, length).dot(ones)
    return np.add.reduce(rows.reshape(batch, channels), 0)
