"""Rows of a table by number, and the two transposes that derivatives of every order need."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.scatter import add_scaled_rows


def check_rows(table, indices) -> None:
    """Raises IndexError for a row that is not there."""
    if indices.size and (indices.min() < 0 or indices.max() >= table.shape[0]):
        raise IndexError("index out of range in self")


def rows_of(table, indices):
    """The rows that `indices` name. Raises IndexError for a row that is not there."""
    check_rows(table, indices)
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


def bag_of_each(offsets, length, count):
    """The number of the bag that each of `length` rows is in, where bags begin at `offsets`.

    >>> bag_of_each(np.array([0, 2, 2]), 4, 3)
    array([0, 0, 2, 2])
    """
    return np.searchsorted(offsets[:count], np.arange(length), "right") - 1


def bag_sums(table, factors, indices, bags, count):
    """The sums of the rows that `indices` name, times their factors, over each of `count` bags.

    >>> bag_sums(np.array([[1.0, 9.0], [5.0, 2.0]]), np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 0]), 2)
    array([[11., 13.],
           [ 0.,  0.]])
    """
    check_rows(table, indices)
    return add_scaled_rows(np.zeros((count, table.shape[1]), table.dtype), table, indices, factors, bags)


def bag_winners(table, indices, bags, counted, count):
    """For each bag and column the row of the table with the largest element, the first of equals; -1 for an empty bag.

    >>> bag_winners(np.array([[1.0, 9.0], [5.0, 2.0]]), np.array([0, 1]), np.array([0, 0]), np.array([True, True]), 2)
    array([[ 1,  0],
           [-1, -1]])
    """
    winners = np.full((count, table.shape[1]), -1)
    for bag in np.unique(bags[counted]):
        rows = indices[counted & (bags == bag)]
        winners[bag] = rows[table[rows].argmax(0)]
    return winners


def ones_at(places, count):
    """A 1 in the place that each whole number names, among `count` zeros.

    >>> ones_at(np.array([0, 2]), 3)
    array([[1, 0, 0],
           [0, 0, 1]])
    """
    out = np.zeros((*places.shape, count), places.dtype)
    out.reshape(-1)[np.arange(0, out.size, count) + places.reshape(-1)] = 1
    return out
