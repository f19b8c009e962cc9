"""Embeddings on the device: a capture does not wait for the check of indices."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.cuda.conditions import holds
from rushlight.arrays.reduce import highest


def are_rows(table, indices) -> bool:
    """Whether all are row indices in range."""
    unsigned = np.uint64 if indices.itemsize == 8 else np.uint32  # as unsigned, negative indices are the largest
    return not indices.size or holds(highest(indices.view(unsigned)) < table.shape[0], "index out of range in self")
