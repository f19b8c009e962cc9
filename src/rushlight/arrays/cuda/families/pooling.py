"""Pooling on the device."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.pooling import by_plane, row_starts


def take_pooled(input, indices):
    """Returns the elements of `input` at the indices of a max pooling, zero for a window without one."""
    positions = by_plane(indices) + row_starts(math.prod(input.shape[:2]), math.prod(input.shape[2:]))
    taken = input.reshape(-1).take(np.maximum(positions, 0)).reshape(indices.shape)
    return np.where(indices >= 0, taken, input.dtype.type(0))
