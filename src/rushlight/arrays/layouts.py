"""Channels last images: their shape stays (batch, channels, *size), only their strides differ.

Results of layers have PyTorch's layout: channels last if the input is channels last, else contiguous.
"""

import math

from numpy import ascontiguousarray, ndarray

from rushlight.core.formats import CHANNELS_LAST, CHANNELS_LAST_3D, CONTIGUOUS, memory_format
from rushlight.core.strides import IN_MEMORY, contiguous_strides, element_strides, inverse
from rushlight.core.tables import xp

# The order of dimensions in channels last memory, and its inverse, by rank.
INSIDE = {rank: tuple(order) for rank, order in IN_MEMORY.items()}
OUTSIDE = {rank: tuple(inverse(order)) for rank, order in IN_MEMORY.items()}
FORMATS = {4: CHANNELS_LAST, 5: CHANNELS_LAST_3D}


def channels_are_last(array) -> bool:
    """Whether strides grow from the channels over the size to the batch, by PyTorch's rules; gaps do not matter.

    >>> import numpy as np
    >>> channels_are_last(np.zeros((2, 4, 4, 3)).transpose(0, 3, 1, 2)), channels_are_last(np.zeros((2, 3, 4, 4)))
    (True, False)
    """
    if array.ndim not in INSIDE:
        return False
    strides = array.strides
    if strides[1] > strides[-1] or not strides[1]:  # expanded channels have no order
        return False
    shape, least = array.shape, 0
    for dim in (1, *range(array.ndim - 1, 1, -1), 0):
        # An image of size 1 in each direction fits both formats.
        if not shape[dim] or strides[dim] < least or (dim == 0 and least == strides[1]):
            return False
        least = strides[dim] * shape[dim]
    return True


def suggested_format(array) -> memory_format:
    """Returns PyTorch's suggested memory format of an array: channels last or contiguous."""
    return FORMATS[array.ndim] if type(array) is ndarray and channels_are_last(array) else CONTIGUOUS


def channels_inside(array):
    """Transposes (batch, channels, *size) to (batch, *size, channels)."""
    return array.transpose(INSIDE[array.ndim])


def channels_outside(array):
    """Transposes (batch, *size, channels) to (batch, channels, *size)."""
    return array.transpose(OUTSIDE[array.ndim])


def laid_out_as(input, result, weight=None):
    """Returns the result in the layout that its input, or its weight, implies; copied if necessary.

    >>> import numpy as np
    >>> image = np.zeros((2, 4, 4, 3)).transpose(0, 3, 1, 2)
    >>> laid_out_as(image, np.zeros((2, 3, 2, 2))).strides
    (96, 8, 48, 24)
    """
    strides, weight_strides = input.strides, (0, 1, 0) if weight is None else weight.strides
    if strides[1] > strides[-1] and weight_strides[1] > weight_strides[-1] and result.flags.c_contiguous:
        return in_planes(result) if 1 in result.shape else result  # nearly always the latter
    if channels_are_last(input) or (weight is not None and channels_are_last(weight)):
        inside = channels_inside(result)
        # Reshaped twice, so that dimensions of size 1 get PyTorch's strides too.
        return channels_outside(ascontiguousarray(inside).reshape(-1).reshape(inside.shape))
    return in_planes(result)


def in_planes(array):
    """Returns a contiguous array, itself if possible, with the strides of a fresh one."""
    if not array.flags.c_contiguous:
        return xp.in_order(array)
    shape = array.shape
    if 1 in shape and len(shape) > 1 and element_strides(array) != contiguous_strides(shape):
        return array.reshape(-1).reshape(shape)  # NumPy keeps the old stride of reduced dimensions
    return array


def regrouped(parts, channels, shape, input):
    """Copies parts (batch, *channels, *size) to `shape`, with the layout of results of this input; `channels` is the
    number of dimensions that are channels.
    """
    if input.flags.c_contiguous:
        return xp.in_order(parts).reshape(shape)
    if len(shape) == 4 and channels_are_last(input):
        inside = parts.transpose(0, *range(1 + channels, parts.ndim), *range(1, 1 + channels))
        return channels_outside(xp.in_order(inside).reshape(shape[0], *shape[2:], shape[1]))
    return laid_out_as(input, xp.in_order(parts).reshape(shape))


def by_channel(array, input):
    """Converts (batch, channels, *size) to (batch, channels, positions); for channels last inputs of its shape, to
    (positions, channels, 1).

    >>> import numpy as np
    >>> image = np.zeros((2, 4, 4, 3)).transpose(0, 3, 1, 2)
    >>> by_channel(image, image).shape, by_channel(image, image.copy("C")).shape
    ((32, 3, 1), (2, 3, 16))
    """
    if channels_are_last(input):
        return ascontiguousarray(channels_inside(array)).reshape(-1, array.shape[1], 1)
    shape = array.shape
    return ascontiguousarray(array).reshape((*shape[:2], math.prod(shape[2:])) if len(shape) > 1 else (*shape, 0, 1))


def of_channels(rows, input):
    """Inverts `by_channel`."""
    if len(rows) == len(input):
        return rows.reshape(input.shape)
    return channels_outside(rows.reshape(channels_inside(input).shape))
