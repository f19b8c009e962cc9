"""Interpolation between pixels: the weight of each pixel in the sum of points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class Line(NamedTuple):
    """One side of a region: for each bin, the weights of the pixels from `first` on in the sum of its points."""

    first: int
    weights: np.ndarray  # (bins, pixels)
    points: int  # number of points in a bin


def line_of(start: np.floating, extent: np.floating, bins: int, ratio: int, pixels: int) -> Line:
    """Returns the points of a side that begins at `start`: `ratio` per bin, or one per pixel if `ratio` <= 0.

    A point between two pixels is interpolated linearly. A point more than one pixel outside has weight zero.
    """
    scalar = start.dtype.type
    width = extent / scalar(bins)
    count = ratio if ratio > 0 else math.ceil(width)
    if count <= 0:
        return Line(0, np.zeros((bins, 0), scalar), count)
    steps = (np.arange(count, dtype=scalar) + scalar(0.5)) * width / scalar(count)
    at = (start + np.arange(bins, dtype=scalar)[:, None] * width + steps).reshape(-1)  # (bins * count,)
    inside = (at >= -1) & (at <= pixels)
    at = np.maximum(at, 0)
    low = np.minimum(at.astype(np.int64), pixels - 1)
    high = np.minimum(low + 1, pixels - 1)
    far = np.where(low >= pixels - 1, scalar(0), at - low)  # the distance from the lower pixel
    if not inside.any():
        return Line(0, np.zeros((bins, 0), scalar), count)
    first, last = int(low[inside].min()), int(high[inside].max())
    weights = np.zeros((bins, last + 1 - first), scalar)
    rows = np.repeat(np.arange(bins), count)[inside]
    np.add.at(weights, (rows, low[inside] - first), (1 - far)[inside])
    np.add.at(weights, (rows, high[inside] - first), far[inside])
    return Line(first, weights, count)


def rounded(values: np.ndarray) -> np.ndarray:
    """Rounds as C does: half away from zero."""
    return np.trunc(values + np.copysign(values.dtype.type(0.5), values))
