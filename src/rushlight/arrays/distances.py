"""Distances between points, all pairs at a time."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.reduce import vector_norm
from rushlight.core.tables import primitive

# How many differences of coordinates are held at a time.
AT_ONCE = 1 << 20


@primitive
def distances(first, second, order: float, passing_nan: bool = False):
    """The norms of the differences of every row of one array of points and every row of another.

    Of `passing_nan` the largest difference is that of the others where one is NaN.
    """
    lead = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    out = np.zeros((*lead, first.shape[-2], second.shape[-2]), first.dtype)
    if not first.shape[-1] or not out.size:
        return out
    for part, apart in differences(first, second, out.size):
        if order == 0:
            out[..., part, :] = np.minimum(np.ceil(np.abs(apart)), 1).sum(-1)  # NaN stays
        elif passing_nan and order == math.inf:
            out[..., part, :] = np.fmax.reduce(np.abs(apart), -1, initial=0)
        else:
            out[..., part, :] = vector_norm(apart, order, apart.ndim - 1, False)
    return out


def differences(first, second, count: int):
    """The differences of `count` pairs of rows, in parts: (which rows of the first array, those from all others)."""
    rows = max(1, AT_ONCE * first.shape[-2] // (count * first.shape[-1]))
    for start in range(0, first.shape[-2], rows):
        part = slice(start, start + rows)
        yield part, first[..., part, None, :] - second[..., None, :, :]


@primitive
def distance_backward(g, first, second, far, order: float):
    """The gradient of distances by the 1-norm, or of the `far` largest differences, with respect to the first points.

    Each coordinate that is the largest has the whole gradient, as in PyTorch.
    """
    out = np.zeros((*far.shape[:-1], first.shape[-1]), first.dtype)
    if not out.size or not far.size:
        return out
    for part, apart in differences(first, second, far.size):
        signs = np.sign(apart)
        if order != 1:
            signs[np.abs(apart) < far[..., part, :, None]] = 0
        out[..., part, :] = (g[..., part, None, :] @ signs)[..., 0, :]
    return out


@primitive
def above_diagonal(array):
    """The elements of a square matrix above its diagonal, row by row."""
    return array[np.triu_indices(array.shape[0], 1)]


@primitive
def filled_above_diagonal(array, size: int):
    """A square matrix with these elements above its diagonal, row by row, and zeros elsewhere."""
    out = np.zeros((size, size), array.dtype)
    out[np.triu_indices(size, 1)] = array
    return out
