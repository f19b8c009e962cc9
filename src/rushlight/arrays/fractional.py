"""Pooling by windows at random steps: Graham, "Fractional max-pooling", 2014."""

import math
from itertools import product

import numpy as np

from rushlight.arrays.convolution import widened


def fractional_max_pool(input, kernel, size, samples):
    """The maxima of `size` windows of `input` (batch, channels, *), and their positions.

    `samples` (batch, channels, rank) says how the windows of each plane step, with a number from 0 to 1 for each
    dimension; of two dimensions the last comes first, as in PyTorch.

    >>> fractional_max_pool(np.array([[[[3.0, 1.0, 4.0, 1.0]]]]), (1, 2), (1, 2), np.full((1, 1, 2), 0.5))
    (array([[[[3., 4.]]]]), array([[[[0, 2]]]]))
    """
    batch, channels, *extent = input.shape
    rows = widened(input).reshape(batch * channels, math.prod(extent))
    steps = samples[:batch].reshape(batch * channels, len(size))
    steps = steps[:, ::-1] if len(size) == 2 else steps
    starts = [window_starts(steps[:, dim], *each) for dim, each in enumerate(zip(extent, size, kernel, strict=True))]
    values = np.full((len(rows), *size), -np.inf, rows.dtype)
    indices = positions(starts, (0,) * len(size), extent)
    for taps in product(*map(range, kernel)):
        places = positions(starts, taps, extent)
        found = np.take_along_axis(rows, places.reshape(len(rows), math.prod(size)), 1).reshape(values.shape)
        better = (found > values) | np.isnan(found)
        values, indices = np.where(better, found, values), np.where(better, places, indices)
    shape = (batch, channels, *size)
    return values.reshape(shape).astype(input.dtype, copy=False), indices.reshape(shape)


def window_starts(samples, extent, count, kernel):
    """Where each plane's windows begin: (planes, count). The last one ends with the input."""
    kind = samples.dtype.type
    starts = np.full((len(samples), count), extent - kernel, np.int64)
    if count > 1:
        step = kind(extent - kernel) / kind(count - 1)
        at = np.arange(count - 1).astype(samples.dtype)
        starts[:, :-1] = ((at + samples[:, None]) * step).astype(np.int64) - (samples * step).astype(np.int64)[:, None]
    return starts


def positions(starts, taps, extent):
    """Where one tap of each window stands, counted through the input: (planes, *size)."""
    total = 0
    for dim, (start, tap) in enumerate(zip(starts, taps, strict=True)):
        place = (start + tap) * math.prod(extent[dim + 1 :])
        total = total + place.reshape(len(place), *[1] * dim, place.shape[1], *[1] * (len(starts) - 1 - dim))
    return total
