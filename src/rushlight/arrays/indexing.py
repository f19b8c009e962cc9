"""Reads elements of raw arrays at indices in other arrays, with PyTorch's errors for indices out of range.

NumPy and PyTorch agree on index arrays, with two exceptions: functions along a dimension (`gather`, `index_select`) do
not accept negative indices, and their index may be smaller than the array they read from.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.arrays.reduce import highest
from rushlight.arrays.strided import axis, unmarked
from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.core.strides import inverse, outermost_first
from rushlight.core.tables import primitive, xp

UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
ALL = slice(None)
FEW = 1 << 10  # below this size NumPy's multi-dimensional search is faster than a flat one


def scalar_name(array) -> str:
    """Returns PyTorch's name of a raw array's dtype: `Float`, `Long`."""
    return SCALAR_NAMES[BY_NUMPY[array.dtype]]


def check_range(index, length: int, dim: int, error: type[Exception] = RuntimeError, *, name: str = "") -> None:
    """Raises if an index along a dimension is negative or too large."""
    if index.size == 0:
        return
    # One pass: as unsigned, negative indices are the largest.
    unsigned = UINT64 if index.itemsize == 8 else UINT32
    if highest((index if type(index) is np.ndarray else unmarked(index)).view(unsigned)) >= length:
        wrong = index[(index < 0) | (index >= length)].flat[0]
        raise error(f"{name}index {wrong} is out of bounds for dimension {dim} with size {length}")


RARE = 8  # number of elements copied in the time of one strided lookup


def is_rare(array, count: int) -> bool:
    """Whether so few elements of a non-contiguous array are read that it is not copied first.

    A copy of an expanded array may not even fit into memory.
    """
    return count * RARE < array.size and not array.flags.c_contiguous


def size_of_slice(shape: tuple, dim: int) -> int:
    """Returns the number of elements of a slice along a dimension."""
    return math.prod(shape[:dim]) * math.prod(shape[dim + 1 :])


# ---- x[index]


def key_of(indices) -> tuple:
    """Returns the index tuple for index arrays; None selects a whole dimension."""
    return tuple(ALL if index is None else index for index in indices)


@primitive
def take_indices(array, indices):
    """Copies the elements selected by index arrays; None selects a whole dimension."""
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    try:
        if len(dims) == 1 and not is_rare(array, indices[dims[0]].size * size_of_slice(array.shape, dims[0])):
            return array.take(indices[dims[0]], dims[0])
        return np.ascontiguousarray(array[key_of(indices)])
    except IndexError as error:
        raise explained(error, indices, array.shape) from None


def indexed(array, indices):
    """Returns the selected elements with PyTorch's memory order of dimensions for this input."""
    if array.flags.c_contiguous and all(
        [index is None or index.ndim < 2 or index.flags.c_contiguous for index in indices]
    ):
        return xp.take_indices(array, indices)
    shape, order, back = _order_of(array, indices)
    if back is None:
        return xp.take_indices(array, indices)
    if len(shape) == array.ndim and sum([index is not None for index in indices]) == 1:
        # read in the order of the result
        whole = (*indices, *(None,) * (array.ndim - len(indices)))
        return xp.take_indices(array.transpose(order), tuple([whole[dim] for dim in order])).transpose(back)
    return np.ascontiguousarray(xp.take_indices(array, indices).transpose(order)).transpose(back)


def indexed_without_numbers(array, indices) -> MetaArray:
    """Returns the metadata of `indexed` for an array without data."""
    shape, order, back = _order_of(array, indices)
    memory = MetaArray([shape[dim] for dim in order], array.dtype)
    return MetaArray(shape, array.dtype, [memory.strides[at] for at in back or order])


def _order_of(array, indices):
    layouts = tuple([None if index is None else (index.shape, index.strides) for index in indices])
    return order_of_selected(array.shape, array.strides, layouts)


@lru_cache(maxsize=256)
def order_of_selected(shape, strides, indices) -> tuple[tuple, tuple, tuple | None]:
    """Returns the shape selected by index arrays, the memory order of its dimensions, and the inverse of that order,
    None for the identity. Of the array and the indices only the shapes and strides count.

    Index dimensions replace the first indexed dimension, or come first if indexed dimensions are not adjacent. Raises
    IndexError if the shapes of the indices do not broadcast.
    """
    indexed_dims = [dim for dim, layout in enumerate(indices) if layout is not None]
    layouts = [indices[dim] for dim in indexed_dims]
    try:
        index_shape = np.broadcast_shapes(*(layout for layout, _ in layouts))
    except ValueError:
        raise unlike(", ".join(str(list(layout)) for layout, _ in layouts)) from None
    rest = [dim for dim in range(len(shape)) if dim not in indexed_dims]
    at = indexed_dims[0] if indexed_dims[-1] - indexed_dims[0] < len(indexed_dims) else 0
    before, after = rest[:at], rest[at:]
    own_strides = (*(strides[dim] for dim in before), *(0,) * len(index_shape), *(strides[dim] for dim in after))
    index_strides = [(*(0,) * len(before), *_repeated(*layout, index_shape), *(0,) * len(after)) for layout in layouts]
    lengths = (*(shape[dim] for dim in before), *index_shape, *(shape[dim] for dim in after))
    order = tuple(outermost_first(lengths, own_strides, *index_strides))
    return lengths, order, None if order == tuple(range(len(order))) else tuple(inverse(order))


def _repeated(shape: tuple, strides: tuple, target: tuple) -> tuple:
    """Returns the strides of an array broadcast to a shape: 0 in repeated dimensions."""
    missing = len(target) - len(shape)
    kept = zip(shape, strides, target[missing:], strict=True)
    return (*(0,) * missing, *(step if length == size else 0 for length, step, size in kept))


def unlike(shapes: str) -> IndexError:
    """Returns the error for index arrays whose shapes do not broadcast."""
    return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")


def explained(error: IndexError, indices, shape: tuple) -> IndexError:
    """Converts NumPy's error about index arrays to PyTorch's, which counts only the indexed dimensions."""
    text = str(error)
    if any([index is not None and not size for index, size in zip(indices, shape, strict=False)]):
        return IndexError("index is out of bounds for dimension with size 0")
    if text.startswith("shape mismatch"):
        shapes = ", ".join(str(list(map(int, re.findall(r"\d+", each)))) for each in re.findall(r"\([^)]*\)", text))
        return unlike(shapes)
    match = re.search(r" axis (\d+) ", text)
    if match is None:
        return error
    number = sum(each is not None for each in indices[: int(match[1])])
    return IndexError(text.replace(match[0], f" dimension {number} "))


def mismatched(shape, selected) -> RuntimeError:
    """Returns the error for values that do not fit the selected elements."""
    return RuntimeError(
        f"shape mismatch: value tensor of shape {list(shape)} cannot be broadcast to indexing result of shape "
        f"{list(selected)}"
    )


# ---- along a dimension


@primitive
def index_select(array, dim, index):
    """Copies the slices along a dimension selected by a vector of indices."""
    dim = axis(dim, array.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not array.ndim and index.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
    if index.size and array.ndim and not array.shape[dim]:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    check_slices(index, array.shape or (1,), dim, INNER)
    if not array.ndim:
        return array.copy()
    index = index.reshape(-1)
    if is_rare(array, index.size * size_of_slice(array.shape, dim)):
        return np.ascontiguousarray(array[(ALL,) * dim + (index,)])
    return array.take(index, dim)


INNER = "INDICES element is out of DATA bounds, id={} axis_dim={}"  # PyTorch's text for the second dimension


def check_slices(index, shape: tuple, dim: int, inner: str | None = None) -> None:
    """Raises IndexError for an index out of range; in the second dimension RuntimeError with text `inner`, if given."""
    try:
        check_range(index, shape[dim], dim, IndexError)
    except IndexError:
        if inner is None or dim != 1:
            raise IndexError("index out of range in self") from None
        wrong = index[(index < 0) | (index >= shape[1])].flat[0]
        raise RuntimeError(inner.format(wrong, shape[1])) from None


def take(array, index):
    """Returns the elements at indices into the flattened array; negative ones count from the end."""
    at = flat_positions(array.size, index)
    if is_rare(array, index.size):
        return np.asarray(array[np.unravel_index(at, array.shape)], order="C")
    return array.reshape(-1).take(at)


def flat_positions(size: int, index):
    """Returns indices into a flattened array, counted from the front. Raises IndexError for one out of range."""
    if index.dtype == np.int64 and (not index.size or highest(unmarked(index).view(np.uint64)) < size):
        return index  # as unsigned, negative indices are the largest
    wrong = (index < -size) | (index >= size)
    if wrong.any():
        raise IndexError(f"out of range: tried to access index {index[wrong].flat[0]} on a tensor of {size} elements.")
    return np.where(index < 0, index + size, index)


def masked_select(array, mask):
    """Returns the elements where a mask is true, as a vector."""
    if array.shape != mask.shape:
        shape = np.broadcast_shapes(array.shape, mask.shape)
        array, mask = np.broadcast_to(array, shape), np.broadcast_to(mask, shape)
    if array.size >= FEW and array.flags.c_contiguous:
        return array.reshape(-1).take(mask.reshape(-1).nonzero()[0])
    return array[mask].reshape(-1)


@primitive
def nonzero(array):
    """Returns the indices of all nonzero elements, one row each."""
    if array.dtype.kind == "V":
        array = array != 0
    if not array.ndim:
        return np.zeros((int(bool(array)), 0), np.int64)
    indices = array.nonzero() if array.size < FEW else nonzero_indices(array)
    out = np.empty((array.ndim, indices[0].size), np.int64)
    for row, column in zip(out, indices, strict=True):
        row[...] = column
    return out.T  # the columns are contiguous, as in PyTorch


def nonzero_indices(array) -> list:
    """Returns the indices of all nonzero elements, a vector for each dimension.

    Flat indices are divided by the sizes of the dimensions, because NumPy's multi-dimensional search is slow.
    """
    flat = (array if array.dtype.kind == "b" else array != 0).reshape(-1).nonzero()[0]
    result = []
    for length in array.shape[:0:-1]:
        flat, whole = flat // length, flat
        result.append(whole - flat * length)
    return [flat, *reversed(result)]


# ---- sorted boundaries


@primitive
def search(sorted_sequence, values, right: bool, dtype):
    """Returns where each value would be inserted among sorted ones, along the last dimension, row by row."""
    side = "right" if right else "left"
    if sorted_sequence.ndim == 1:
        return np.asarray(_search(sorted_sequence, values, side)).astype(dtype, copy=False)
    length = sorted_sequence.shape[-1]
    rows = sorted_sequence.reshape(math.prod(sorted_sequence.shape[:-1]), length)
    value_rows = values.reshape(len(rows), values.shape[-1] if values.ndim else 1)
    result = np.empty(value_rows.shape, dtype)
    for row, value, out in zip(rows, value_rows, result, strict=True):
        out[...] = _search(row, value, side)
    return result.reshape(values.shape)


def _search(row, values, side: str):
    if row.dtype is not values.dtype or row.dtype.kind == "V":
        dtype = np.promote_types(row.dtype, values.dtype)
        if dtype.kind == "V":
            dtype = np.dtype(np.float32)  # NumPy cannot sort bfloat16 with NaN
        row, values = row.astype(dtype, copy=False), values.astype(dtype, copy=False)
    if row.size and row[-1] != row[-1]:
        return _bisect(row, values, side)
    return row.searchsorted(values, side)


def _bisect(row, values, side: str):
    """Searches like PyTorch in rows that end in NaN, with which every comparison is false."""
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, row.size)
    for _ in range(row.size.bit_length()):
        middle = (low + high) // 2
        middle_values, open_still = row[np.minimum(middle, row.size - 1)], low < high
        is_behind = middle_values >= values if side == "left" else middle_values > values
        high = np.where(open_still & is_behind, middle, high)
        low = np.where(open_still & ~is_behind, middle + 1, low)
    return low
