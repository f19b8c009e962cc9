"""Embedding lookups, and the two transposes for derivatives of any order."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.indexing import is_rare
from rushlight.arrays.reduce import highest, lowest
from rushlight.arrays.size_limits import refused
from rushlight.core.tables import primitive, xp


def check_rows(table, indices) -> None:
    """Raises IndexError for a row index out of range."""
    if not are_rows(table, indices):
        raise IndexError("index out of range in self")


def are_rows(table, indices) -> bool:
    """Whether all are row indices in range."""
    unsigned = np.uint64 if indices.itemsize == 8 else np.uint32  # as unsigned, negative indices are the largest
    return not indices.size or highest(indices.view(unsigned)) < table.shape[0]


def check_rows_of_bags(table, indices) -> None:
    """Raises PyTorch's RuntimeError for a row index out of range."""
    if not are_rows(table, indices):
        wrong = indices[(indices < 0) | (indices >= table.shape[0])][0]
        raise RuntimeError(f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {wrong}")


def check_rows_summed(table, indices) -> None:
    """The same where PyTorch has a library for the sums: float32 and half precision, with elements side by side."""
    if table.dtype == np.float64 or table.strides[1] != table.itemsize:
        check_rows_of_bags(table, indices)
    elif not are_rows(table, indices):
        position = np.flatnonzero((indices < 0) | (indices >= table.shape[0]))[0]
        words = f"takes value {indices[position]} which is not in the valid range [0, {table.shape[0]})"
        raise RuntimeError(f"Index {position} of input {words}")


@primitive
def rows_of(table, indices):
    """Returns the rows selected by `indices`. Raises IndexError for an index out of range."""
    check_rows(table, indices)
    if is_rare(table, table.shape[1] * indices.size):
        return np.ascontiguousarray(table[indices])
    return table.take(indices, 0)


def embedding_again(table, indices, padding_index, scale_by_frequency):
    """The transpose of `embedding_gradient`."""
    rows = np.take(table, indices, axis=0)
    if padding_index >= 0:
        rows[indices == padding_index] = 0
    if scale_by_frequency:
        counts = np.bincount(indices.reshape(-1), minlength=table.shape[0])
        rows = rows / counts[indices].astype(rows.dtype)[..., None]
    return rows


def bag_of_each(offsets, length, count):
    """Returns the index of the bag of each of `length` rows, for bags that begin at `offsets`.

    >>> bag_of_each(np.array([0, 2, 2]), 4, 3)
    array([0, 0, 2, 2])
    """
    sizes = np.empty(count, np.int64)
    sizes[: count - 1] = offsets[1:count]
    sizes[-1:] = length
    sizes -= offsets[:count]
    if count and offsets[0] == 0 and np.minimum.reduce(sizes) >= 0:
        return np.repeat(np.arange(count), sizes)
    return np.searchsorted(offsets[:count], np.arange(length), "right") - 1


@primitive
def bag_sums(table, factors, indices, bags, count):
    """Returns the sums of the rows selected by `indices`, times their factors, in each of `count` bags.

    >>> bag_sums(np.array([[1.0, 9.0], [5.0, 2.0]]), np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 0]), 2)
    array([[11., 13.],
           [ 0.,  0.]])
    """
    check_rows_summed(table, indices)
    length = len(bags) // max(count, 1)
    if length and len(bags) == count * length and table.dtype.char in "fd" and table.dtype == factors.dtype:
        if (bags.reshape(count, length) == np.arange(count)[:, None]).all():
            rows = np.take(table, indices, axis=0).reshape(count, length, table.shape[1])
            return np.vecmat(factors.reshape(count, length), rows)
    return xp.add_scaled_rows(np.zeros((count, table.shape[1]), table.dtype), table, indices, factors, bags)


def bag_factors(indices, bags, padding, count, mean, dtype):
    """Returns the factors of table rows in a bag: 0 for padding, else 1, or 1 over the bag's size for `mean`.

    >>> bag_factors(np.array([4, 1, 4]), np.array([0, 0, 1]), 1, 2, True, np.float64)
    array([1., 0., 1.])
    """
    if padding < 0:
        factors = np.ones(len(indices), dtype)
    else:
        factors = (indices != padding).astype(dtype)
    if mean:
        sizes = np.bincount(bags, None if padding < 0 else factors, count)
        factors /= np.maximum(sizes, 1).astype(dtype)[bags]
    return factors


@primitive
def bag_winners(table, indices, bags, counted, count):
    """Returns for each bag and column the table row with the largest element, the first of equals; -1 for an empty bag.

    >>> bag_winners(np.array([[1.0, 9.0], [5.0, 2.0]]), np.array([0, 1]), np.array([0, 0]), np.array([True, True]), 2)
    array([[ 1,  0],
           [-1, -1]])
    """
    check_rows_of_bags(table, indices)
    winners = np.full((count, table.shape[1]), -1)
    for bag in np.unique(bags[counted]):
        rows = indices[counted & (bags == bag)]
        winners[bag] = rows[table[rows].argmax(0)]
    return winners


def ones_at(classes, count):
    """One-hot encodes integers with `count` classes; -1 means as many as the largest integer needs.

    >>> ones_at(np.array([0, 2]), 3)
    array([[1, 0, 0],
           [0, 0, 1]])
    """
    if lowest(classes) < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = int(highest(classes))
    if count == -1:
        count = largest + 1
    if largest >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    try:
        out = np.zeros((*classes.shape, count), classes.dtype)
    except ValueError as error:
        raise refused(error, (*classes.shape, count), classes.itemsize) from None
    out.reshape(-1)[np.arange(0, out.size, count) + classes.reshape(-1)] = 1
    return out
