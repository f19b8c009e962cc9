"""Images whose channels come last in memory: their shape stays (batch, channels, *size), their strides say it.

Results of layers lie as PyTorch lays them out: with the channels last where they are last in the input, and otherwise
in the order of the dimensions, however the input lies.
"""

import numpy as np

# The order of dimensions in which such images lie, and the one that brings it back, by their rank.
INSIDE = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
OUTSIDE = {4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}


def channels_are_last(array) -> bool:
    """Whether strides grow from the channels over the size to the batch, as PyTorch asks; gaps do not matter.

    >>> channels_are_last(np.zeros((2, 4, 4, 3)).transpose(0, 3, 1, 2)), channels_are_last(np.zeros((2, 3, 4, 4)))
    (True, False)
    """
    strides, shape = array.strides, array.shape
    if array.ndim not in INSIDE or strides[1] > strides[-1]:
        return False
    least = 0
    for dim in (1, *range(array.ndim - 1, 1, -1), 0):
        # An image of one element in each direction lies either way.
        if not shape[dim] or strides[dim] < least or (dim == 0 and least == strides[1]):
            return False
        least = strides[dim] * shape[dim]
    return True


def channels_inside(array):
    """(batch, *size, channels) of (batch, channels, *size)."""
    return array.transpose(INSIDE[array.ndim])


def channels_outside(array):
    """(batch, channels, *size) of (batch, *size, channels)."""
    return array.transpose(OUTSIDE[array.ndim])


def laid_out_as(input, result):
    """The result, copied if it does not lie as that of this input has to.

    >>> image = np.zeros((2, 4, 4, 3)).transpose(0, 3, 1, 2)
    >>> laid_out_as(image, np.zeros((2, 3, 2, 2))).strides
    (96, 8, 48, 24)
    """
    if channels_are_last(input):
        inside = channels_inside(result)
        return channels_outside(inside.reshape(-1).reshape(inside.shape))  # strides of dimensions of size 1 too
    return result if result.flags.c_contiguous else np.ascontiguousarray(result)
