"""Points between pixels: how much each pixel counts in the mean of some of them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class Line(NamedTuple):
    """One side of a region: for each bin, how much the pixels from `first` on count in the sum of its points."""

    first: int
    weights: np.ndarray  # (bins, pixels)
    points: int  # in a bin


def line_of(start: np.floating, extent: np.floating, bins: int, ratio: int, pixels: int) -> Line:
    """The points of a side that begins at `start`: `ratio` in a bin, or one for each pixel if not above 0.

    A point between two pixels is their mean by distance. One more than a pixel outside counts nothing.
    """
    kind = start.dtype.type
    width = extent / kind(bins)
    count = ratio if ratio > 0 else math.ceil(width)
    if count <= 0:
        return Line(0, np.zeros((bins, 0), kind), count)
    steps = (np.arange(count, dtype=kind) + kind(0.5)) * width / kind(count)
    at = (start + np.arange(bins, dtype=kind)[:, None] * width + steps).reshape(-1)  # (bins * count,)
    inside = (at >= -1) & (at <= pixels)
    at = np.maximum(at, 0)
    low = np.minimum(at.astype(np.int64), pixels - 1)
    high = np.minimum(low + 1, pixels - 1)
    far = np.where(low >= pixels - 1, kind(0), at - low)  # how far from the lower pixel
    if not inside.any():
        return Line(0, np.zeros((bins, 0), kind), count)
    first, last = int(low[inside].min()), int(high[inside].max())
    weights = np.zeros((bins, last + 1 - first), kind)
    rows = np.repeat(np.arange(bins), count)[inside]
    np.add.at(weights, (rows, low[inside] - first), (1 - far)[inside])
    np.add.at(weights, (rows, high[inside] - first), far[inside])
    return Line(first, weights, count)


def rounded(values: np.ndarray) -> np.ndarray:
    """As C rounds: halves away from zero."""
    return np.trunc(values + np.copysign(values.dtype.type(0.5), values))
