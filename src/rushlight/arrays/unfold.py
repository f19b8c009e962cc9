"""Sliding blocks of images as columns, and the transpose: columns added to images."""

import math

import numpy as np

from rushlight.arrays.convolution import add_by_tap, inner, padded, padded_size, widened, windows_of
from rushlight.core.tables import xp


def blocks_as_columns(input, kernel, dilation, padding, stride):
    """Returns the blocks of `input` (batch, channels, *size) as columns: (batch, channels * taps, blocks).

    >>> blocks_as_columns(np.arange(6.0).reshape(1, 1, 2, 3), (2, 2), (1, 1), (0, 0), (1, 1))
    array([[[0., 1.],
            [1., 2.],
            [3., 4.],
            [4., 5.]]])
    """
    windows = windows_of(padded(input, padding), kernel, stride, dilation)  # (channels, *kernel, batch, *blocks)
    taps = len(kernel) + 1
    windows = windows.transpose(taps, *range(taps), *range(taps + 1, windows.ndim))
    rows = input.shape[1] * math.prod(kernel)
    # Copied even if a view has the shape: blocks overlap in the image, columns do not.
    return xp.in_order(windows).reshape(len(input), rows, math.prod(windows.shape[taps + 1 :]))


def columns_as_blocks(columns, size, kernel, dilation, padding, stride):
    """The transpose of `blocks_as_columns`: adds `columns` to an image of `size`.

    >>> columns_as_blocks(np.ones((1, 4, 2)), (2, 3), (2, 2), (1, 1), (0, 0), (1, 1))
    array([[[[1., 2., 1.],
             [1., 2., 1.]]]])
    """
    wide = widened(columns)
    shape = (len(columns), columns.shape[1] // math.prod(kernel), *size)
    out = np.zeros((*shape[:2], *padded_size(shape, padding)), wide.dtype)
    windows = windows_of(out, kernel, stride, dilation)
    by_window = wide.reshape(len(columns), *windows.shape[: len(kernel) + 1], *windows.shape[len(kernel) + 2 :])
    add_by_tap(windows, np.moveaxis(by_window, 0, len(kernel) + 1))
    return out[inner(shape, padding)].astype(columns.dtype, copy=any(padding))
