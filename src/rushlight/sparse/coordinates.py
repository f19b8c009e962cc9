"""Arrays of layout COO: positions as one number each, sorting, sums of entries at the same position."""

from __future__ import annotations

from math import prod

import numpy as np

import rushlight._generated.functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.shape_queries import SPARSE_COO
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import wrap as dense
from rushlight.sparse.array import SparseArray


def coo(indices: np.ndarray | Tensor, values: Tensor, shape, coalesced: bool = False) -> SparseArray:
    """Returns an array of layout COO; `indices` are (sparse dims, entries)."""
    indices = indices if isinstance(indices, Tensor) else dense(np.ascontiguousarray(indices, dtypes.int64.numpy))
    return SparseArray(SPARSE_COO, (indices,), values, shape, coalesced)


def keys_of(indices: np.ndarray, sizes) -> np.ndarray:
    """Returns the position of each entry among the elements of the sparse dimensions, counted in order."""
    keys = np.zeros(indices.shape[1], np.int64)
    for dim, size in enumerate(sizes):
        keys = keys * size + indices[dim] if dim else indices[dim]
    return keys


def indices_of(keys: np.ndarray, sizes) -> np.ndarray:
    """The reverse of `keys_of`: (dims, entries)."""
    indices = np.empty((len(sizes), len(keys)), np.int64)
    for dim in reversed(range(len(sizes))):
        keys, indices[dim] = np.divmod(keys, max(sizes[dim], 1))
    return indices


def taken(values: Tensor, positions: np.ndarray) -> Tensor:
    """Returns the entries at some positions, in that order."""
    if len(positions) == len(values) and (positions == np.arange(len(positions))).all():
        return values
    return F.index_select(values, 0, dense(positions))


def added_up(values: Tensor, groups: np.ndarray, count: int) -> Tensor:
    """Returns `count` sums of the entries whose `groups` is each; of bools, whether any is true."""
    kept = values.dtype
    if kept is dtypes.bool:
        values = values.to(dtypes.int64)
    sums = F.index_add(F.new_zeros_of(values.detach(), (count, *values.shape[1:])), 0, dense(groups), values)
    return sums.ne(0) if kept is dtypes.bool else sums


def order_of(keys: np.ndarray) -> np.ndarray:
    """Returns the order that sorts keys; equal ones stay as they are. The kernel of `argsort` is faster than NumPy."""
    return F.argsort(dense(np.ascontiguousarray(keys)), stable=True)._array


def grouped(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns (distinct keys in order, the order that sorts them, the group of each sorted one)."""
    order = np.arange(len(keys)) if (keys[1:] >= keys[:-1]).all() else order_of(keys)
    ordered = keys[order]
    begins = np.ones(len(keys), bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    return ordered[begins], order, np.cumsum(begins) - 1


def with_entries_added(values: Tensor, keys: np.ndarray) -> tuple[np.ndarray, Tensor]:
    """Returns the distinct keys in order, and the sums of the values of each."""
    distinct, order, groups = grouped(keys)
    values = taken(values, order)
    return distinct, values if len(distinct) == len(keys) else added_up(values, groups, len(distinct))


def coalesced(array: SparseArray) -> SparseArray:
    """Returns an array of layout COO whose indices are sorted and distinct."""
    if array.coalesced:
        return array
    sizes = array.shape[: array.sparse_dim]
    (indices,) = array.index_arrays()
    keys, values = with_entries_added(array.values, keys_of(indices, sizes))
    return coo(indices_of(keys, sizes), values, array.shape, True)


def scattered(array: SparseArray) -> Tensor:
    """Returns the dense tensor of an array of layout COO."""
    sizes, rest = array.shape[: array.sparse_dim], array.shape[array.sparse_dim :]
    (indices,) = array.index_arrays()
    return F.reshape(added_up(array.values, keys_of(indices, sizes), prod(sizes)), (*sizes, *rest))


def gathered(tensor: Tensor, array: SparseArray) -> Tensor:
    """Returns the elements of a dense tensor at the entries of an array of layout COO."""
    sizes, rest = array.shape[: array.sparse_dim], array.shape[array.sparse_dim :]
    (indices,) = array.index_arrays()
    rows = F.reshape(tensor, (prod(sizes), *rest))
    return F.index_select(rows, 0, dense(keys_of(indices, sizes)))


def looked_up(source: SparseArray, array: SparseArray) -> Tensor:
    """Returns the values of a coalesced array at the entries of another of its shape; 0 where it has none."""
    sizes = array.shape[: array.sparse_dim]
    known, wanted = (keys_of(each.index_arrays()[0], sizes) for each in (source, array))
    if not len(known):
        return F.new_zeros_of(source.values.detach(), (len(wanted), *source.values.shape[1:]))
    positions = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    values = F.index_select(source.values, 0, dense(positions))
    absent = known[positions] != wanted
    if not absent.any():
        return values
    mask = dense(absent.reshape(-1, *[1] * (values.ndim - 1)))
    return F.masked_fill(values, mask, 0)
