"""Reductions on the device: nothing that waits for a number to choose a quicker formula."""

from __future__ import annotations

import numpy as np


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
