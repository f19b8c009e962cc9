"""Copies of raw arrays with other elements at the positions that arrays of indices, or masks, name."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays import scatter
from rushlight.arrays.indexing import ALL, check_slices, explained, flat_positions, key_of, masked_select, mismatched
from rushlight.arrays.reduce import highest
from rushlight.arrays.strided import axis
from rushlight.core.determinism import alert
from rushlight.core.tables import primitive, xp

# Up to so many elements NumPy's `add.at` is done before a better way has been prepared.
FEW = 1 << 11


def put_indices(array, indices, values, accumulate):
    """A copy of `array` in which what index arrays select is replaced by, or increased by, `values`."""
    key = key_of(indices)
    try:
        if accumulate:
            return _increased(array, indices, values)
        out = array.copy()
        out[key] = values
        return out
    except IndexError as error:
        raise explained(error, indices) from None
    except ValueError:
        raise mismatched(values.shape, array[key].shape) from None


def _increased(array, indices, values):
    key = key_of(indices)
    if array.size <= FEW and array.dtype.kind in "biufc":
        out = array.copy()
        scatter.add_at(out, key, values)
        return out
    places, led = rows_named(array.shape, indices)
    if places is None:
        np.broadcast_to(values, array[key].shape)
        return scatter.put(array, key, values, accumulate=True)
    table = array.reshape(-1, math.prod(array.shape[led:]))
    values = values.astype(table.dtype, copy=False)
    if values.shape != (shape := (*places.shape, *array.shape[led:])):
        values = np.broadcast_to(values, shape)
    values = values.reshape(places.size, table.shape[1])
    return xp.with_rows_added(table, places.reshape(-1), values).reshape(array.shape)


def rows_named(shape, indices):
    """Which rows index arrays name, the first dimensions taken as one, and how many these are; None for the rows where
    other dimensions come first, or one is not there.

    >>> rows_named((3, 4, 2), (np.array([0, -1]), np.array([1, 3])))
    (array([ 1, 11]), 2)
    """
    named = list(indices)
    while named and named[-1] is None:
        named.pop()
    places = None
    for index, length in zip(named, shape, strict=False):
        if index is None or index.dtype.kind not in "iu" or not index.size:
            return None, 0
        index = index.astype(np.intp, copy=False)
        if highest(index.view(np.uintp)) >= length:  # seen as unsigned, a negative number is too large as well
            if index.min() < -length or index.max() >= length:
                return None, 0
            index = np.where(index < 0, index + length, index)
        places = index if places is None else places * length + index
    return places, len(named)


@primitive
def placed_at(values, shape, indices):
    """Zeros of `shape` with `values` added where index arrays say: the transpose of reading there."""
    zeros = np.zeros_like(values, shape=shape)
    return _increased(zeros, indices, values) if values.size else zeros


def scatter_value(array, dim, index, value):
    """A copy of `array` with a number at the positions that `index` names along a dimension."""
    return xp.scatter(array, dim, index, np.asarray(value).astype(array.dtype))


@primitive
def index_write(array, dim, index, source):
    """A copy of `array` with the slices that a vector of positions names replaced by `source`, an array or a number."""
    if not array.ndim:
        return np.array(source if index.size else array, array.dtype).reshape(())
    out = array.copy()
    if not out.size:
        return out  # whatever the positions, as in PyTorch
    out[(ALL,) * axis(dim, array.ndim) + (index.reshape(-1),)] = source
    return out


@primitive
def index_reduce(array, dim, index, source, reduce, include_self):
    """A copy of `array` with slices of `source` reduced into those that a vector of positions names."""
    place = axis(dim, array.ndim)
    if array.ndim:
        check_slices(index, array.shape, place)
    if reduce == "mean" and array.ndim:
        return mean_of_slices(array, place, index.reshape(-1), source, include_self)
    spread = index.reshape((-1,) + (1,) * max(array.ndim - place - 1, 0)) if array.ndim else index.reshape(())
    return xp.scatter(array, place, np.broadcast_to(spread, source.shape), source, reduce, include_self)


def mean_of_slices(array, dim, index, source, include_self):
    """What was added up, over how many there were; the array where there was nothing."""
    wide = scatter.widened(array)
    total = xp.index_add(
        wide if include_self else np.zeros_like(wide), dim, index, source.astype(wide.dtype, copy=False)
    )
    counted = np.bincount(index, minlength=array.shape[dim]) + bool(include_self)
    counted = counted.reshape((-1,) + (1,) * (array.ndim - dim - 1))
    return scatter.mean_of(total, counted, wide, include_self).astype(array.dtype, copy=False)


def put_flat(array, index, source, accumulate):
    """A copy of `array` with `source` written, or added, at positions in the flattened array."""
    flat = array.flatten()
    places = flat_positions(array.size, index).reshape(-1)
    if accumulate:
        np.add.at(flat, places, source.reshape(-1))
    else:
        alert("put_")
        flat[places] = source.reshape(-1)
    return flat.reshape(array.shape)


def masked_scatter(array, mask, source):
    """A copy of `array`, broadcast with a mask, with the first elements of `source` where the mask holds."""
    if array.shape == mask.shape:
        out, places = array.copy(), mask
    else:
        shape = np.broadcast_shapes(array.shape, mask.shape)
        out, places = np.broadcast_to(array, shape).copy(), np.broadcast_to(mask, shape)
    count = int(np.count_nonzero(places))
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out[places] = source.reshape(-1)[:count]
    return out


def masked_source(g, mask, shape):
    """The transpose of `masked_scatter` for its source: what the mask selects, in front of zeros."""
    chosen = masked_select(g, mask)
    out = np.zeros_like(g, order="C", shape=shape)
    out.reshape(-1)[: chosen.size] = chosen
    return out
