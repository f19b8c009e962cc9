"""Reading and writing raw arrays at positions that other arrays name, with PyTorch's words for positions that are not there.

NumPy and PyTorch agree on what an index array means, but for two things: functions along a dimension (`gather`,
`index_select`) take no negative positions, and their index may be smaller than the array they read from.
"""

from __future__ import annotations

import math
import re

import numpy as np

from rushlight.arrays.strided import axis
from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES

ALL = slice(None)


def scalar_name(array) -> str:
    """PyTorch's name of a raw array's dtype: `Float`, `Long`."""
    return SCALAR_NAMES[BY_NUMPY[array.dtype]]


def check_range(index, length: int, dim: int, error: type[Exception] = RuntimeError, *, name: str = "") -> None:
    """Raises if a position along a dimension is negative or too large."""
    if index.size == 0:
        return
    # One pass: as unsigned numbers, negative positions are the largest.
    unsigned = np.uint64 if index.itemsize == 8 else np.uint32
    if np.maximum.reduce(index.view(unsigned), None) >= length:
        wrong = index[(index < 0) | (index >= length)].flat[0]
        raise error(f"{name}index {wrong} is out of bounds for dimension {dim} with size {length}")


# ---- x[index]


def _key(indices) -> tuple:
    return tuple(ALL if each is None else each for each in indices)


def take_indices(array, indices):
    """A copy of what index arrays select; None stands for a whole dimension."""
    places = [at for at, each in enumerate(indices) if each is not None]
    try:
        if len(places) == 1:
            return array.take(indices[places[0]], places[0])
        return np.ascontiguousarray(array[_key(indices)])
    except IndexError as error:
        raise explained(error) from None


def put_indices(array, indices, values, accumulate):
    """A copy of `array` in which what index arrays select is replaced by, or increased by, `values`."""
    out = array.copy()
    key = _key(indices)
    try:
        if accumulate:
            np.add.at(out, key, values)
        else:
            out[key] = values
    except IndexError as error:
        raise explained(error) from None
    except ValueError:
        raise mismatched(values.shape, array[key].shape) from None
    return out


def placed_at(values, shape, indices):
    """Zeros of `shape` with `values` added where index arrays say: the transpose of `take_indices`."""
    out = np.zeros_like(values, shape=shape)
    np.add.at(out, _key(indices), values)
    return out


def explained(error: IndexError) -> IndexError:
    """NumPy's complaint about an index in PyTorch's words."""
    text = str(error)
    if text.startswith("shape mismatch"):
        shapes = ", ".join(str(list(map(int, re.findall(r"\d+", each)))) for each in re.findall(r"\([^)]*\)", text))
        return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")
    return IndexError(text.replace(" axis ", " dimension "))


def mismatched(given, wanted) -> RuntimeError:
    """Values that do not fit into what an index selects."""
    return RuntimeError(
        f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing result of shape {list(wanted)}"
    )


# ---- along a dimension


def along(index, dim: int) -> tuple:
    """The index tuple of everything that `index` names along a dimension, at its own position in all others."""
    grid = [np.arange(length).reshape((-1,) + (1,) * (index.ndim - at - 1)) for at, length in enumerate(index.shape)]
    grid[dim] = index
    return tuple(grid)


def check_gather(array, dim, index) -> None:
    """Raises unless an index fits into an array but along one dimension."""
    dim = axis(dim, array.ndim)
    if (index.ndim or 1) != (array.ndim or 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    if array.ndim and any(n > m for at, (n, m) in enumerate(zip(index.shape, array.shape)) if at != dim):
        raise RuntimeError(
            f"Size does not match at dimension {dim} expected index {list(index.shape)} to be no larger than self "
            f"{list(array.shape)} apart from dimension {dim}"
        )


def gather(array, dim, index):
    """The elements that `index` names along a dimension."""
    dim = axis(dim, array.ndim)
    if array.ndim == 0:
        check_range(index, 1, 0)
        return np.broadcast_to(array, index.shape).copy()
    if index.ndim == 0:
        return gather(array, dim, index.reshape(1)).reshape(())
    check_range(index, array.shape[dim], dim)
    return array[along(index, dim)]


def index_select(array, dim, index):
    """The slices along a dimension that a vector of positions names."""
    dim = axis(dim, array.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    try:
        check_range(index, array.shape[dim] if array.ndim else 1, dim, IndexError)
    except IndexError:
        raise IndexError("index out of range in self") from None
    if not array.ndim:
        return array.copy()
    return array.take(index.reshape(-1), dim)


def take(array, index):
    """The elements at positions in the flattened array, which may count from the end."""
    return array.reshape(-1)[flat_positions(array.size, index)]


def flat_positions(size: int, index):
    """Positions in a flattened array counted from the front. Raises IndexError for one that is not there."""
    wrong = (index < -size) | (index >= size)
    if wrong.any():
        raise IndexError(
            f"out of range: tried to access index {index[wrong].flat[0]} on a tensor of {size} elements."
        )
    return np.where(index < 0, index + size, index)


def masked_select(array, mask):
    """The elements at which a mask holds, in one dimension."""
    shape = np.broadcast_shapes(array.shape, mask.shape)
    return np.broadcast_to(array, shape)[np.broadcast_to(mask, shape)].reshape(-1)


def nonzero(array):
    """The positions of all elements that are not zero, one row each."""
    if array.dtype.kind == "V":
        array = array != 0
    if not array.ndim:
        return np.zeros((int(bool(array)), 0), np.int64)
    return np.stack(array.nonzero(), -1).astype(np.int64, copy=False)


# ---- sorted boundaries


def search(sorted_sequence, values, right: bool, dtype):
    """Where each value would go among sorted ones: along the last dimension, row by row if there are several."""
    side = "right" if right else "left"
    if sorted_sequence.ndim == 1:
        return _search(sorted_sequence, values, side).astype(dtype)
    length = sorted_sequence.shape[-1]
    rows = sorted_sequence.reshape(math.prod(sorted_sequence.shape[:-1]), length)
    wanted = values.reshape(len(rows), values.shape[-1] if values.ndim else 1)
    found = np.empty(wanted.shape, dtype)
    for row, value, out in zip(rows, wanted, found, strict=True):
        out[...] = _search(row, value, side)
    return found.reshape(values.shape)


def _search(row, values, side: str):
    kind = np.promote_types(row.dtype, values.dtype)
    return np.searchsorted(row.astype(kind, copy=False), values.astype(kind, copy=False), side)


# ---- writing along a dimension

REDUCTIONS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def neutral(reduce: str, dtype):
    """What changes nothing when it is reduced with."""
    if reduce in ("sum", "mean", "prod"):
        return dtype.type(reduce == "prod")
    if dtype.kind == "b":
        return np.bool_(reduce == "amin")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return limits.min if reduce == "amax" else limits.max
    return dtype.type(-np.inf if reduce == "amax" else np.inf)


def combine_at(array, key, src, reduce, include_self):
    """A copy of `array` with `src` reduced into the places that a key names, some of them several times."""
    out = array.copy()
    if not include_self:
        out[key] = neutral(reduce, out.dtype)
    REDUCTIONS[reduce].at(out, key, src)
    if reduce == "mean":
        counts = np.full(out.shape, int(include_self))
        np.add.at(counts, key, 1)
        counts = np.maximum(counts, 1)
        out = out // counts.astype(out.dtype) if out.dtype.kind in "iu" else (out / counts).astype(out.dtype)
    return out


def _lined(array, dim: int):
    """An array and a dimension, 0-d ones with a dimension to write along."""
    return (array.reshape(1), 0) if array.ndim == 0 else (array, axis(dim, array.ndim))


def scatter(array, dim, index, src, reduce=None, include_self=True):
    """A copy of `array` with `src`, an array or a number, written or reduced into the places that `index` names."""
    lined, dim = _lined(array, dim)
    index = index.reshape(1) if index.ndim == 0 else index
    check_range(index, lined.shape[dim], dim)
    key = along(index, dim)
    if hasattr(src, "ndim"):
        src = src.reshape(1) if src.ndim == 0 else src
        src = src[tuple(map(slice, index.shape))]
    if reduce is not None:
        return combine_at(lined, key, src, reduce, include_self).reshape(array.shape)
    out = lined.copy()
    out[key] = src
    return out.reshape(array.shape)


def index_write(array, dim, index, src, reduce=None, include_self=True):
    """A copy of `array` with the slices that a vector of positions names written, or reduced into."""
    lined, dim = _lined(array, dim)
    key = (ALL,) * dim + (index.reshape(-1),)
    if hasattr(src, "ndim") and src.ndim == 0:
        src = src.reshape(1)
    if reduce is not None:
        return combine_at(lined, key, src, reduce, include_self).reshape(array.shape)
    out = lined.copy()
    out[key] = src
    return out.reshape(array.shape)


# ---- writing to flat positions and to masks


def put(array, index, source, accumulate):
    """A copy of `array` with `source` written, or added, at positions in the flattened array."""
    out = array.copy()
    flat = out.reshape(-1)
    places = flat_positions(array.size, index).reshape(-1)
    if accumulate:
        np.add.at(flat, places, source.reshape(-1))
    else:
        flat[places] = source.reshape(-1)
    return flat.reshape(array.shape)


def masked_scatter(array, mask, source):
    """A copy of `array`, broadcast with a mask, with the first elements of `source` where the mask holds."""
    shape = np.broadcast_shapes(array.shape, mask.shape)
    out = np.broadcast_to(array, shape).copy()
    places = np.broadcast_to(mask, shape)
    count = int(np.count_nonzero(places))
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out[places] = source.reshape(-1)[:count]
    return out


def masked_source(g, mask, shape):
    """The transpose of `masked_scatter` for its source: what the mask selects, in front of zeros."""
    chosen = masked_select(g, mask)
    out = np.zeros_like(g, shape=shape)
    out.reshape(-1)[: chosen.size] = chosen
    return out
