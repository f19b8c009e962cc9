"""Arrays of the layouts CSR, CSC, BSR and BSC: rows, or columns, as ranges of entries or of blocks."""

from __future__ import annotations

from math import prod

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.shape_queries import SPARSE_COO
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import wrap as dense
from rushlight.sparse.array import BLOCKS, BY_ROWS, SparseArray
from rushlight.sparse.coordinates import added_up, coalesced, coo, indices_of, keys_of, order_of, taken


def starts_of(rows: np.ndarray, count: int) -> np.ndarray:
    """Returns where the entries of each row begin and end, given the sorted row of each entry."""
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))]).astype(np.int64)


def owners_of(starts: np.ndarray) -> np.ndarray:
    """Returns the row of each entry, given where rows begin and end."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def as_coo(array: SparseArray) -> SparseArray:
    """Returns the same entries in the layout COO; dimensions of a batch become sparse."""
    if array.layout is SPARSE_COO:
        return array
    made = as_stored(array)
    (indices,) = made.index_arrays()
    keys = keys_of(indices, made.shape[: len(indices)])
    if (keys[1:] > keys[:-1]).all():
        made.coalesced = True
        return made
    order = order_of(keys)
    keys = keys[order]
    return coo(indices[:, order], taken(made.values, order), made.shape, bool((keys[1:] > keys[:-1]).all()))


def as_stored(array: SparseArray) -> SparseArray:
    """Returns the same entries in the layout COO, in the order in which they are stored."""
    if array.layout is SPARSE_COO:
        return array
    batch = array.shape[: array.batch_dim]
    starts, others = (each.reshape(prod(batch), each.shape[-1]) for each in array.index_arrays())
    owners = np.stack([owners_of(each) for each in starts]) if len(starts) else np.zeros((0, 0), np.int64)
    pair = (owners, others) if array.layout in BY_ROWS else (others, owners)
    if array.blocksize is not None:
        pair = in_blocks(pair[0], pair[1], array.blocksize)
    front = indices_of(np.repeat(np.arange(len(starts)), pair[0].size // max(len(starts), 1)), batch)
    indices = np.concatenate([front, [each.reshape(-1) for each in pair]])
    last = len(batch) + (2 if array.blocksize is not None else 0)
    values = F.flatten(array.values, 0, last) if last else array.values
    return coo(indices, values, array.shape)


def in_blocks(rows: np.ndarray, columns: np.ndarray, blocksize: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the rows and the columns of the elements of blocks, given those of the blocks."""
    height, width = blocksize
    rows = rows[..., None, None] * height + np.arange(height)[:, None]
    return tuple(np.broadcast_arrays(rows, columns[..., None, None] * width + np.arange(width)))  # type: ignore[return-value]


def in_own_order(array: SparseArray, read) -> Tensor:
    """Returns what `read` gives for the entries of an array in the layout COO, in the shape of its values."""
    entries = read(as_stored(array))
    return F.reshape(entries, array.values.shape) if array.batch_dim or array.blocksize else entries


def compressed(array: SparseArray, layout, blocksize: tuple[int, int] | None = None) -> SparseArray:
    """Returns the entries of an array of layout COO, with two sparse dimensions, by rows or by columns."""
    array = coalesced(array)
    if layout in BLOCKS:
        return blocked(array, layout, blocksize)
    (indices,) = array.index_arrays()
    values, along = array.values, 0 if layout in BY_ROWS else 1
    if along:
        order = order_of(indices[1])
        indices, values = indices[:, order], taken(values, order)
    starts = starts_of(indices[along], array.shape[along])
    return SparseArray(layout, (dense(starts), dense(np.ascontiguousarray(indices[1 - along]))), values, array.shape)


def blocked(array: SparseArray, layout, blocksize: tuple[int, int] | None) -> SparseArray:
    """Returns the blocks of a coalesced array that have an entry."""
    if blocksize is None:
        raise RuntimeError(f"a tensor of layout {layout} needs a blocksize")
    height, width = blocksize
    (rows, columns), counts = array.index_arrays()[0], (array.shape[0] // height, array.shape[1] // width)
    pair = (rows // height, columns // width)
    along, across = (0, 1) if layout in BY_ROWS else (1, 0)
    blocks, owners = np.unique(pair[along] * counts[across] + pair[across], return_inverse=True)
    positions = owners.reshape(-1) * (height * width) + rows % height * width + columns % width
    values = added_up(array.values, positions, len(blocks) * height * width)
    values = F.reshape(values, (len(blocks), height, width, *array.values.shape[1:]))
    major, minor = np.divmod(blocks, max(counts[across], 1))
    starts = starts_of(major, counts[along])
    return SparseArray(layout, (dense(starts), dense(np.ascontiguousarray(minor))), values, array.shape)


def of_batch(tensor: Tensor, layout, dense_dim: int, blocksize: tuple[int, int] | None = None) -> SparseArray:
    """Returns a dense tensor of more than two dimensions as matrices with the same number of entries."""
    batch = tensor.shape[: tensor.ndim - 2 - dense_dim]
    matrices = F.reshape(tensor, (prod(batch), *tensor.shape[len(batch) :]))
    parts = [compressed(of_dense(each, 2), layout, blocksize) for each in matrices]
    if len({part.entries for part in parts}) > 1:
        raise RuntimeError("Expect the same number of specified elements per batch.")
    first, second, values = (
        F.stack(each).reshape(*batch, *each[0].shape)
        for each in (
            [part.indices[0] for part in parts],
            [part.indices[1] for part in parts],
            [p.values for p in parts],
        )
    )
    return SparseArray(layout, (first, second), values, tensor.shape)


def of_dense(tensor: Tensor, sparse_dim: int) -> SparseArray:
    """Returns the elements of a dense tensor that are not zero, as an array of layout COO."""
    sizes, rest = tensor.shape[:sparse_dim], tensor.shape[sparse_dim:]
    rows = F.reshape(tensor, (prod(sizes), *rest))
    kept = tensor.detach().ne(0)
    kept = F.reshape(kept, (prod(sizes), prod(rest))).any(1)
    keys = np.flatnonzero(np.asarray(kept._array))
    return coo(indices_of(keys, sizes), F.index_select(rows, 0, dense(keys)), tensor.shape, True)
