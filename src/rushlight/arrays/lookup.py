"""Rows of a table by number, and the two transposes that derivatives of every order need."""

from __future__ import annotations

import numpy as np


def rows_of(table, indices):
    """The rows that `indices` name. Raises IndexError for a row that is not there."""
    if indices.size and (indices.min() < 0 or indices.max() >= table.shape[0]):
        raise IndexError("index out of range in self")
    return np.take(table, indices, axis=0)


def embedding_again(table, indices, padding_index, scale_by_frequency):
    """The transpose of `embedding_gradient`."""
    found = np.take(table, indices, axis=0)
    if padding_index >= 0:
        found[indices == padding_index] = 0
    if scale_by_frequency:
        counts = np.bincount(indices.reshape(-1), minlength=table.shape[0])
        found = found / counts[indices].astype(found.dtype)[..., None]
    return found
