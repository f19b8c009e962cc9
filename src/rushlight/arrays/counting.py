"""Counting: how many elements, or how much weight, falls into each bin."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.spacing import evenly_spaced
from rushlight.core.tables import primitive, xp


@primitive
def bincount(array, weights, length: int):
    """How often each number occurs, or the sum of the weights where it does, up to the largest or to `length`."""
    if weights is None:
        return np.bincount(array, None, length)
    return np.bincount(array, weights, length).astype(np.float32 if weights.dtype == np.float32 else np.float64)


def even_edges(low, high, bins: int, dtype):
    """The limits of bins of one width."""
    return evenly_spaced(low, high, bins + 1, np.dtype(dtype))


@primitive
def even_counts(array, low, high, bins: int):
    """How many elements fall into each of some bins of one width; the last bin holds its upper limit too."""
    inside = array[(array >= low) & (array <= high)]
    apart, span = inside - low, high - low
    place = apart * bins / span
    if np.isinf(place).any():  # the product is beyond the dtype
        place = apart / span * bins
    return np.bincount(np.minimum(place.astype(np.int64), bins - 1), minlength=bins).astype(array.dtype)


def histogram(points, edges, weights, density: bool):
    """The weight of the points in each bin of a grid, or its density; the last bins hold their upper limits too.

    `points` has a row for each point and a column for each dimension, `edges` the limits of the bins in each dimension.
    """
    kind = points.dtype
    if kind.itemsize < 4:  # compared and counted in float32, which holds the small floats
        points, *edges = (each.astype(np.float32) for each in (points, *edges))
        weights = None if weights is None else weights.astype(np.float32)
    if len(edges) == 1 and weights is None:
        found = xp.counts_between(points.reshape(-1), edges[0]).astype(points.dtype)
        return (found / found.sum() / _volumes(edges) if density else found).astype(kind)
    found = xp.counts_in_grid(points, edges, None if weights is None else weights.reshape(-1)).astype(points.dtype)
    return (found / found.sum() / _volumes(edges) if density else found).astype(kind)


@primitive
def counts_in_grid(points, edges, weights):
    """How many points, or how much of their weights, each bin of a grid has."""
    shape = tuple(len(each) - 1 for each in edges)
    inside = np.ones(len(points), bool)
    place = np.zeros(len(points), np.int64)
    for column, limits, bins in zip(points.T, edges, shape, strict=True):
        inside &= (column >= limits[0]) & (column <= limits[-1])
        place = place * bins + np.minimum(np.searchsorted(limits, column, "right") - 1, bins - 1)
    given = None if weights is None else weights[inside]
    return np.bincount(place[inside], given, math.prod(shape)).reshape(shape)


@primitive
def counts_between(array, edges):
    """How many elements of a line there are between neighbouring edges, the last of which belongs to what is below it.

    >>> counts_between(np.array([0.0, 1.0, 2.0, 5.0]), np.array([0.0, 1.0, 2.0]))
    array([1, 2])
    """
    inside = array[(array >= edges[0]) & (array <= edges[-1])]
    bins = len(edges) - 1
    return np.bincount(np.minimum(np.searchsorted(edges, inside, "right") - 1, bins - 1), None, bins)


def _volumes(edges):
    grid = np.ones((), edges[0].dtype)
    for each in edges:
        grid = np.multiply.outer(grid, np.diff(each))
    return grid
