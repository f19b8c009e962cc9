"""Fractional max pooling, with windows at random steps: Graham, "Fractional max-pooling", 2014."""

import math
from itertools import product

import numpy as np

from rushlight.arrays.convolution import widened


def fractional_max_pool(input, kernel, size, samples):
    """The maxima of `size` windows of `input` (batch, channels, *), and their flat indices.

    `samples` (batch, channels, rank) determines the steps of the windows in each plane, with a number from 0 to 1 for
    each dimension; in two dimensions the last comes first, as in PyTorch.

    >>> fractional_max_pool(np.array([[[[3.0, 1.0, 4.0, 1.0]]]]), (1, 2), (1, 2), np.full((1, 1, 2), 0.5))
    (array([[[[3., 4.]]]]), array([[[[0, 2]]]]))
    """
    batch, channels, *extent = input.shape
    rows = widened(input).reshape(batch * channels, math.prod(extent))
    steps = samples[:batch].reshape(batch * channels, len(size))
    steps = steps[:, ::-1] if len(size) == 2 else steps
    starts = [
        window_starts(steps[:, dim], *settings) for dim, settings in enumerate(zip(extent, size, kernel, strict=True))
    ]
    values = np.full((len(rows), *size), -np.inf, rows.dtype)
    indices = positions(starts, (0,) * len(size), extent)
    for taps in product(*map(range, kernel)):
        flat_indices = positions(starts, taps, extent)
        elements = np.take_along_axis(rows, flat_indices.reshape(len(rows), math.prod(size)), 1).reshape(values.shape)
        better = (elements > values) | np.isnan(elements)
        values, indices = np.where(better, elements, values), np.where(better, flat_indices, indices)
    shape = (batch, channels, *size)
    return values.reshape(shape).astype(input.dtype, copy=False), indices.reshape(shape)


def window_starts(samples, extent, count, kernel):
    """Returns where each plane's windows begin: (planes, count). The last one ends with the input."""
    dtype = samples.dtype.type
    starts = np.full((len(samples), count), extent - kernel, np.int64)
    if count > 1:
        step = dtype(extent - kernel) / dtype(count - 1)
        steps = np.arange(count - 1).astype(samples.dtype)
        starts[:, :-1] = ((steps + samples[:, None]) * step).astype(np.int64) - (samples * step).astype(np.int64)[
            :, None
        ]
    return starts


def positions(starts, taps, extent):
    """Returns the flat index in a plane of one tap of each window: (planes, *size)."""
    total = 0
    for dim, (start, tap) in enumerate(zip(starts, taps, strict=True)):
        index = (start + tap) * math.prod(extent[dim + 1 :])
        total = total + index.reshape(len(index), *[1] * dim, index.shape[1], *[1] * (len(starts) - 1 - dim))
    return total
