"""Counting: the number of elements, or the sum of weights, in each bin."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.size_limits import check_size_fits
from rushlight.arrays.spacing import evenly_spaced
from rushlight.core.tables import primitive, xp


@primitive
def bincount(array, weights, length: int):
    """The count of each integer, or the sum of its weights, up to the largest or to `length`."""
    check_size_fits((length,), 8)
    if weights is None:
        return np.bincount(array, None, length)
    return np.bincount(array, weights, length).astype(np.float32 if weights.dtype == np.float32 else np.float64)


def even_edges(low, high, bins: int, dtype):
    """The edges of bins of equal width."""
    return evenly_spaced(low, high, bins + 1, np.dtype(dtype))


@primitive
def even_counts(array, low, high, bins: int):
    """The number of elements in each of several bins of equal width; the last bin includes its upper edge."""
    inside = array[(array >= low) & (array <= high)]
    apart, span = inside - low, high - low
    bin_index = apart * bins / span
    if np.isinf(bin_index).any():  # the product overflows the dtype
        bin_index = apart / span * bins
    return np.bincount(np.minimum(bin_index.astype(np.int64), bins - 1), minlength=bins).astype(array.dtype)


def histogram(points, edges, weights, density: bool):
    """The weight of the points in each bin of a grid, or its density; the last bins include their upper edges.

    `points` has a row for each point and a column for each dimension, `edges` the edges of the bins in each dimension.
    """
    dtype = points.dtype
    if not edges:
        return np.array(np.nan if density else 0, dtype)  # PyTorch counts no points without dimensions
    if dtype.itemsize < 4:  # compared and counted in float32 for half precision
        points, *edges = (x.astype(np.float32) for x in (points, *edges))
        weights = None if weights is None else weights.astype(np.float32)
    if len(edges) == 1 and weights is None:
        counts = xp.counts_between(points.reshape(-1), edges[0]).astype(points.dtype)
        return (counts / counts.sum() / _volumes(edges) if density else counts).astype(dtype)
    counts = xp.counts_in_grid(points, edges, None if weights is None else weights.reshape(-1)).astype(points.dtype)
    return (counts / counts.sum() / _volumes(edges) if density else counts).astype(dtype)


@primitive
def counts_in_grid(points, edges, weights):
    """The number of points, or the sum of their weights, in each bin of a grid."""
    shape = tuple(len(limits_) - 1 for limits_ in edges)
    inside = np.ones(len(points), bool)
    bin_index = np.zeros(len(points), np.int64)
    for column, limits, bins in zip(points.T, edges, shape, strict=True):
        inside &= (column >= limits[0]) & (column <= limits[-1])
        bin_index = bin_index * bins + np.minimum(np.searchsorted(limits, column, "right") - 1, bins - 1)
    weights_inside = None if weights is None else weights[inside]
    return np.bincount(bin_index[inside], weights_inside, math.prod(shape)).reshape(shape)


@primitive
def counts_between(array, edges):
    """The number of elements of a row between neighbouring edges; the last edge belongs to the bin below it.

    >>> counts_between(np.array([0.0, 1.0, 2.0, 5.0]), np.array([0.0, 1.0, 2.0]))
    array([1, 2])
    """
    inside = array[(array >= edges[0]) & (array <= edges[-1])]
    bins = len(edges) - 1
    return np.bincount(np.minimum(np.searchsorted(edges, inside, "right") - 1, bins - 1), None, bins)


def _volumes(edges):
    grid = np.ones((), edges[0].dtype)
    for limits in edges:
        grid = np.multiply.outer(grid, np.diff(limits))
    return grid


def repeated(counts):
    """Returns every position in a vector, as many times as the number there says."""
    return np.repeat(np.arange(counts.size, dtype=counts.dtype), counts)
