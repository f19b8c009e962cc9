"""Copies of raw arrays with replaced elements, selected by index arrays or masks."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays import scatter
from rushlight.arrays.indexing import ALL, check_slices, explained, flat_positions, key_of, masked_select, mismatched
from rushlight.arrays.reduce import highest
from rushlight.arrays.strided import axis
from rushlight.core.determinism import alert
from rushlight.core.tables import primitive, xp

# Up to this many elements NumPy's `add.at` is faster than preparing a better method.
FEW = 1 << 11
# Reductions that round in each step, with their first value.
STEPS = {"prod": (np.multiply, 1), "mean": (np.add, 0)}


def put_indices(array, indices, values, accumulate):
    """Copies `array` with the elements selected by index arrays replaced by, or increased by, `values`."""
    key = key_of(indices)
    try:
        if accumulate:
            return _increased(array, indices, values)
        out = array.copy()
        out[key] = values
        return out
    except IndexError as error:
        raise explained(error, indices, array.shape) from None
    except ValueError:
        raise mismatched(values.shape, array[key].shape) from None


def _increased(array, indices, values):
    key = key_of(indices)
    if array.size <= FEW and array.dtype.kind in "biufc":
        out = array.copy()
        scatter.add_at(out, key, values)
        return out
    rows, row_dims = rows_named(array.shape, indices)
    if rows is None:
        np.broadcast_to(values, array[key].shape)
        return scatter.put(array, key, values, accumulate=True)
    table = array.reshape(-1, math.prod(array.shape[row_dims:]))
    values = values.astype(table.dtype, copy=False)
    if values.shape != (shape := (*rows.shape, *array.shape[row_dims:])):
        values = np.broadcast_to(values, shape)
    values = values.reshape(rows.size, table.shape[1])
    return xp.with_rows_added(table, rows.reshape(-1), values).reshape(array.shape)


def rows_named(shape, indices):
    """Returns the rows that index arrays select, with the first dimensions flattened, and the number of these
    dimensions; None for the rows if the indexed dimensions are not the first ones, or an index is out of range.

    >>> rows_named((3, 4, 2), (np.array([0, -1]), np.array([1, 3])))
    (array([ 1, 11]), 2)
    """
    index_arrays = list(indices)
    while index_arrays and index_arrays[-1] is None:
        index_arrays.pop()
    rows = None
    for index, length in zip(index_arrays, shape, strict=False):
        if index is None or index.dtype.kind not in "iu" or not index.size:
            return None, 0
        index = index.astype(np.intp, copy=False)
        if highest(index.view(np.uintp)) >= length:  # as unsigned, negative indices are too large as well
            if index.min() < -length or index.max() >= length:
                return None, 0
            index = np.where(index < 0, index + length, index)
        rows = index if rows is None else rows * length + index
    return rows, len(index_arrays)


@primitive
def placed_at(values, shape, indices):
    """Returns zeros of `shape` with `values` added at index arrays: the transpose of reading there."""
    zeros = np.zeros_like(values, shape=shape)
    return _increased(zeros, indices, values) if values.size else zeros


def scatter_value(array, dim, index, value):
    """Copies `array` with a number written at `index` along a dimension."""
    return xp.scatter(array, dim, index, np.asarray(value).astype(array.dtype))


@primitive
def index_write(array, dim, index, source):
    """Copies `array` with the slices selected by a vector replaced by `source`, an array or a number."""
    if not array.ndim:
        return np.array(source if index.size else array, array.dtype).reshape(())
    out = array.copy()
    if not out.size:
        return out  # any indices are accepted, as in PyTorch
    out[(ALL,) * axis(dim, array.ndim) + (index.reshape(-1),)] = source
    return out


@primitive
def index_reduce(array, dim, index, source, reduce, include_self):
    """Copies `array` with slices of `source` reduced into the slices selected by a vector."""
    axis_ = axis(dim, array.ndim)
    if array.ndim:
        check_slices(index, array.shape, axis_)
    if reduce in STEPS and array.ndim and array.dtype.itemsize == 2 and array.dtype.kind in "fV":
        return reduced_in_steps(array, axis_, index.reshape(-1), source, reduce, include_self)
    if reduce == "mean" and array.ndim:
        return mean_of_slices(array, axis_, index.reshape(-1), source, include_self)
    broadcast_index = index.reshape((-1,) + (1,) * max(array.ndim - axis_ - 1, 0)) if array.ndim else index.reshape(())
    return xp.scatter(array, axis_, np.broadcast_to(broadcast_index, source.shape), source, reduce, include_self)


def reduced_in_steps(array, dim, index, source, reduce, include_self):
    """Reduces slices of half precision one after another, and rounds each result, as PyTorch does.

    The k-th slices of all positions are one step.
    """
    operator, start = STEPS[reduce]
    out = array.copy()
    targets, slices = np.moveaxis(out, dim, 0), np.moveaxis(source, dim, 0)
    if not include_self:
        targets[index] = start
    order = np.argsort(index, kind="stable")
    first = np.searchsorted(index[order], index[order])
    times = np.empty_like(order)
    times[order] = np.arange(len(order)) - first  # how often the position came before
    for step in range(times.max(initial=-1) + 1):
        at = times == step
        targets[index[at]] = operator(targets[index[at]], slices[at])
    if reduce == "mean":
        counts = np.bincount(index, minlength=array.shape[dim]) + bool(include_self)
        targets /= np.maximum(counts, 1).astype(array.dtype).reshape((-1,) + (1,) * (array.ndim - 1))
    return out


def mean_of_slices(array, dim, index, source, include_self):
    """Returns means of the slices added to each slice of the array; unchanged slices if there are none."""
    wide = scatter.widened(array)
    total = xp.index_add(
        wide if include_self else np.zeros_like(wide), dim, index, source.astype(wide.dtype, copy=False)
    )
    counts = np.bincount(index, minlength=array.shape[dim]) + bool(include_self)
    counts = counts.reshape((-1,) + (1,) * (array.ndim - dim - 1))
    return scatter.mean_of(total, counts, wide, include_self).astype(array.dtype, copy=False)


def put_flat(array, index, source, accumulate):
    """Copies `array` with `source` written, or added, at indices into the flattened array."""
    flat = array.flatten()
    indices = flat_positions(array.size, index).reshape(-1)
    if accumulate:
        np.add.at(flat, indices, source.reshape(-1))
    else:
        alert("put_")
        flat[indices] = source.reshape(-1)
    return flat.reshape(array.shape)


def masked_scatter(array, mask, source):
    """Copies `array`, broadcast with a mask, with the first elements of `source` where the mask is true."""
    if array.shape == mask.shape:
        out, selected = array.copy(), mask
    else:
        shape = np.broadcast_shapes(array.shape, mask.shape)
        out, selected = np.broadcast_to(array, shape).copy(), np.broadcast_to(mask, shape)
    count = int(np.count_nonzero(selected))
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out[selected] = source.reshape(-1)[:count]
    return out


def masked_source(g, mask, shape):
    """The transpose of `masked_scatter` for its source: the elements selected by the mask, followed by zeros."""
    chosen = masked_select(g, mask)
    out = np.zeros_like(g, order="C", shape=shape)
    out.reshape(-1)[: chosen.size] = chosen
    return out
