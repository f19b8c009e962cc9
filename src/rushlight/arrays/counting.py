"""Counting: how many elements, or how much weight, falls into each bin."""

from __future__ import annotations

import numpy as np


def bincount(array, weights, length: int):
    """How often each number occurs, or the sum of the weights where it does, up to the largest or to `length`."""
    if weights is None:
        return np.bincount(array, None, length)
    return np.bincount(array, weights, length).astype(np.float32 if weights.dtype == np.float32 else np.float64)


def even_edges(low, high, bins: int, dtype):
    """The limits of bins of one width."""
    return np.linspace(low, high, bins + 1, dtype=dtype)


def counted(points, edges, weights, even: bool):
    """The weight of the points in each bin of a grid; a bin holds its lower edges, the last one its upper edges too.

    `points` has a row for each point and a column for each dimension, `edges` the limits of the bins in each dimension.
    """
    shape = tuple(len(each) - 1 for each in edges)
    inside = np.ones(len(points), bool)
    place = np.zeros(len(points), np.int64)
    for column, limits, bins in zip(points.T, edges, shape, strict=True):
        inside &= (column >= limits[0]) & (column <= limits[-1])
        place = place * bins + _bin_of(np.where(inside, column, limits[0]), limits, even)
    given = None if weights is None else weights[inside]
    return np.bincount(place[inside], given, int(np.prod(shape))).reshape(shape)


def _bin_of(values, limits, even: bool):
    bins = len(limits) - 1
    if not even:
        return np.minimum(np.searchsorted(limits, values, "right") - 1, bins - 1)
    width = limits[-1] - limits[0]
    return np.minimum(((values - limits[0]) * bins / width).astype(np.int64), bins - 1)


def widths(edges):
    """The volume of each bin of a grid."""
    grid = np.ones((), edges[0].dtype)
    for each in edges:
        grid = np.multiply.outer(grid, np.diff(each))
    return grid
