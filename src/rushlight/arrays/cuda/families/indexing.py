"""Indexing on the device: positions that a program wrote as a list are on the CPU, and are copied."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.cuda.conditions import holds
from rushlight.arrays.indexing import check_range as raise_unless_in_range
from rushlight.arrays.indexing import take_indices as taken_of_device


def take_indices(array, indices):
    """Copies the elements selected by index arrays; None selects a whole dimension."""
    return taken_of_device(array, [None if index is None else np.asarray(index) for index in indices])


def check_range(index, length: int, dim: int, error: type[Exception] = RuntimeError, *, name: str = "") -> None:
    """Raises if an index along a dimension is negative or too large; a capture does not wait for that."""
    words = f"{name}index is out of bounds for dimension {dim} with size {length}"
    if index.size and not holds(np.all((index >= 0) & (index < length)), words):
        raise_unless_in_range(index, length, dim, error, name=name)
