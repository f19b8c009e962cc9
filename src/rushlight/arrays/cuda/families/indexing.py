"""Indexing on the device: positions that a program wrote as a list are on the CPU, and are copied."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.indexing import take_indices as taken_of_device


def take_indices(array, indices):
    """Copies the elements selected by index arrays; None selects a whole dimension."""
    return taken_of_device(array, [None if index is None else np.asarray(index) for index in indices])
