"""What kernels check and compute of their arguments: element types, layouts, sizes before and after a dimension."""

from __future__ import annotations

import numpy as np

from rushlight.core.policy import PLACED
from rushlight.core.tables import xp
from rushlight.lower.machine_types import OF_NUMPY, Type, uint8, uint16, uint32, uint64

WORDS = {1: uint8, 2: uint16, 4: uint32, 8: uint64}


def is_large(*arrays) -> bool:
    """Whether the last array is large, and all are plain NumPy arrays."""
    return arrays[-1].size >= PLACED and all([type(each) is np.ndarray for each in arrays])


def word_of(array) -> Type | None:
    """The unsigned type as wide as an element, to copy elements of any dtype."""
    return WORDS.get(array.itemsize)


def number_of(array) -> Type | None:
    """The element type, None for dtypes that kernels do not compute with."""
    return OF_NUMPY.get(array.dtype)


def packed(array):
    """The array if it is contiguous and aligned, else a contiguous copy."""
    return array if array.flags.c_contiguous and array.flags.aligned else xp.ascontiguousarray(array)


def divided(shape, dim: int) -> tuple[int, int, int]:
    """(elements before, length, elements after) of a dimension: the array as (before, length, after)."""
    before = after = 1
    for each in shape[:dim]:
        before *= each
    for each in shape[dim + 1 :]:
        after *= each
    return before, shape[dim], after
