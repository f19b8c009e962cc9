"""Reductions on the device: nothing that waits for a number to choose a quicker formula."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.cuda.conditions import is_deferred
from rushlight.arrays.reduce import LEAST, WIDER, _narrowed
from rushlight.arrays.reduce import spread as looked_at
from rushlight.core.tables import xp


def is_moderate(array) -> bool:
    """Whether exponentials need no subtracted maximum: to look would be to wait."""
    return False


def is_within(array, bound: float) -> bool:
    """The same, for a bound."""
    return False


def highest(array):
    """The largest element."""
    return np.maximum.reduce(array, None)


def lowest(array):
    """The smallest element."""
    return np.minimum.reduce(array, None)


def is_between(array, low: float, high: float) -> bool:
    """Whether no element is outside of two bounds, or NaN: one wait."""
    return bool(np.all((array >= low) & (array <= high)))


def spread(array, axes, correction: float, keepdims: bool, root: bool) -> tuple:
    """Returns (variance or its root, mean). A capture computes them in double precision too, and selects at replay."""
    if not is_deferred():
        return looked_at(array, axes, correction, keepdims, root)
    result, mean = xp.variance(array, axes, correction, keepdims)
    values = np.sqrt(result) if root else result
    if array.dtype not in WIDER:
        return values, mean
    fits = np.all(result < math.inf) & (np.all(result > LEAST) if root else True)
    wide = _narrowed(*xp.variance(array.astype(WIDER[array.dtype]), axes, correction, keepdims), root, mean)
    return np.where(fits, values, wide[0]), np.where(fits, mean, wide[1])
