"""Distances between all pairs of points."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.reduce import vector_norm
from rushlight.core.tables import primitive

# Maximum number of coordinate differences held at a time.
AT_ONCE = 1 << 20


@primitive
def distances(first, second, order: float, passing_nan: bool = False):
    """Returns the norms of the differences of all pairs of rows from two arrays of points.

    With `passing_nan`, the maximum norm ignores NaN.
    """
    lead = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    out = np.zeros((*lead, first.shape[-2], second.shape[-2]), first.dtype)
    if not first.shape[-1] or not out.size:
        return out
    for part, difference in differences(first, second, out.size):
        if order == 0:
            out[..., part, :] = np.minimum(np.ceil(np.abs(difference)), 1).sum(-1)  # NaN stays
        elif passing_nan and order == math.inf:
            out[..., part, :] = np.fmax.reduce(np.abs(difference), -1, initial=0)
        else:
            out[..., part, :] = vector_norm(difference, order, difference.ndim - 1, False)
    return out


def differences(first, second, count: int):
    """Yields differences of `count` pairs of rows, in parts: (rows of `first`, differences to all of `second`)."""
    rows = max(1, AT_ONCE * first.shape[-2] // (count * first.shape[-1]))
    for start in range(0, first.shape[-2], rows):
        part = slice(start, start + rows)
        yield part, first[..., part, None, :] - second[..., None, :, :]


@primitive
def distance_backward(g, first, second, far, order: float):
    """The gradient of 1-norm distances, or of the `far` largest differences, with respect to the first points.

    Each coordinate that is the largest gets the whole gradient, as in PyTorch.
    """
    out = np.zeros((*far.shape[:-1], first.shape[-1]), first.dtype)
    if not out.size or not far.size:
        return out
    for part, difference in differences(first, second, far.size):
        signs = np.sign(difference)
        if order != 1:
            signs[np.abs(difference) < far[..., part, :, None]] = 0
        out[..., part, :] = (g[..., part, None, :] @ signs)[..., 0, :]
    return out


@primitive
def above_diagonal(array):
    """Returns the elements of a square matrix above its diagonal, row by row."""
    return array[np.triu_indices(array.shape[0], 1)]


@primitive
def filled_above_diagonal(array, size: int):
    """Returns a square matrix with these elements above its diagonal, row by row, and zeros elsewhere."""
    out = np.zeros((size, size), array.dtype)
    out[np.triu_indices(size, 1)] = array
    return out
