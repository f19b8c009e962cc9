"""Histograms as TensorBoard stores them: the upper limits of bins, and the count of numbers in each."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


@cache
def default_bins() -> tuple[float, ...]:
    """Returns limits that grow by a tenth from 1e-12 to 1e20, with those of negative numbers, and 0 between."""
    limits, limit = [], 1e-12
    while limit < 1e20:
        limits.append(limit)
        limit *= 1.1
    return (*[-each for each in reversed(limits)], 0.0, *limits)


def counted(values: np.ndarray, bins: Any, max_bins: int | None) -> dict[str, Any]:
    """Returns the fields of a histogram. Empty bins at both ends are left out, but for one.

    Raises ValueError without numbers.
    """
    if values.size == 0:
        raise ValueError("The input has no element.")
    flat = values.astype(float).ravel()
    counts, limits = np.histogram(flat, bins=default_bins() if isinstance(bins, str) and bins == "tensorflow" else bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, limits = joined(counts, limits, len(counts) // max_bins)
    filled = np.flatnonzero(counts)
    if not len(filled):
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = filled[0], filled[-1]
    kept = counts[max(first - 1, 0) : last + 1]
    kept = kept if first else np.concatenate([[0], kept])
    return {
        "min": flat.min(), "max": flat.max(), "num": len(flat), "sum": flat.sum(), "sum_squares": flat.dot(flat),
        "bucket_limit": limits[first : last + 2].tolist(), "bucket": kept.tolist(),
    }  # fmt: skip


def joined(counts: np.ndarray, limits: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns a histogram with groups of bins as one."""
    starts = np.arange(0, len(counts), size)
    return np.add.reduceat(counts, starts), np.append(limits[starts], limits[-1])
