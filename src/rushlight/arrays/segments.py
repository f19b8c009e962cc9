"""Reductions of segments: of the slices of an array that have the same number."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.scatter import identity, widened
from rushlight.core.tables import primitive, xp

REDUCTIONS = {"max": "amax", "min": "amin"}


@primitive
def segments_reduced(array, segment, count, reduce, initial):
    """Reduces slices along the first axis: slice `i` of the result is of those whose number in `segment` is `i`.

    A segment without slices is `initial`, or else what a reduction of nothing gives; the mean is then NaN.

    >>> segments_reduced(np.array([1.0, 2.0, 5.0]), np.array([0, 0, 2]), 3, "mean", None)
    array([1.5, nan, 5. ])
    """
    wide, name = widened(array), REDUCTIONS.get(reduce, reduce)
    start = (0 if name in ("sum", "mean") else identity(name, wide.dtype)) if initial is None else initial
    out = np.full((count, *array.shape[1:]), start, wide.dtype)
    index = np.broadcast_to(segment.reshape((-1,) + (1,) * (array.ndim - 1)), array.shape)
    out = xp.scatter(out, 0, index, wide, "sum" if name == "mean" else name)
    if name == "mean":
        counts = np.bincount(segment, minlength=count).reshape((-1,) + (1,) * (array.ndim - 1))
        out = out / np.maximum(counts, 1).astype(out.dtype)
        if initial is None:
            out[counts.reshape(-1) == 0] = math.nan
    return out.astype(array.dtype, copy=False)
