"""Convolution on the device."""

from __future__ import annotations

import math


def columns_at(windows, tile, groups):
    """Copies a tile's windows to (groups, channels / groups * taps, positions)."""
    part, half = windows[(..., *tile)], windows.ndim // 2
    return part.reshape((groups, math.prod(part.shape[:half]) // groups, math.prod(part.shape[half:])))
