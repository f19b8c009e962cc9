"""Reading raw arrays at positions that other arrays name, with PyTorch's words for positions that are not there.

NumPy and PyTorch agree on what an index array means, but for two things: functions along a dimension (`gather`,
`index_select`) take no negative positions, and their index may be smaller than the array they read from.
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
FEW = 1 << 10  # elements among which NumPy finds positions in several dimensions faster than in one


def scalar_name(array) -> str:
    """PyTorch's name of a raw array's dtype: `Float`, `Long`."""
    return SCALAR_NAMES[BY_NUMPY[array.dtype]]


def check_range(index, length: int, dim: int, error: type[Exception] = RuntimeError, *, name: str = "") -> None:
    """Raises if a position along a dimension is negative or too large."""
    if index.size == 0:
        return
    # One pass: as unsigned numbers, negative positions are the largest.
    unsigned = UINT64 if index.itemsize == 8 else UINT32
    if highest((index if type(index) is np.ndarray else unmarked(index)).view(unsigned)) >= length:
        wrong = index[(index < 0) | (index >= length)].flat[0]
        raise error(f"{name}index {wrong} is out of bounds for dimension {dim} with size {length}")


RARE = 8  # elements that are copied in the time of one that is looked up where it lies


def is_rare(array, count: int) -> bool:
    """Whether so few elements of an array with gaps are read that no copy of it is made first.

    One of an expanded array may not even fit into the memory.
    """
    return count * RARE < array.size and not array.flags.c_contiguous


def size_of_slice(shape: tuple, dim: int) -> int:
    """How many elements a slice along a dimension has."""
    return math.prod(shape[:dim]) * math.prod(shape[dim + 1 :])


# ---- x[index]


def key_of(indices) -> tuple:
    """The index tuple of index arrays, None among them standing for a whole dimension."""
    return tuple(ALL if each is None else each for each in indices)


@primitive
def take_indices(array, indices):
    """A copy of what index arrays select; None stands for a whole dimension."""
    places = [at for at, each in enumerate(indices) if each is not None]
    try:
        if len(places) == 1 and not is_rare(array, indices[places[0]].size * size_of_slice(array.shape, places[0])):
            return array.take(indices[places[0]], places[0])
        return np.ascontiguousarray(array[key_of(indices)])
    except IndexError as error:
        raise explained(error, indices) from None


def indexed(array, indices):
    """What index arrays select, its dimensions in the order in memory that PyTorch gives a copy of this input."""
    if array.flags.c_contiguous and all([each is None or each.ndim < 2 or each.flags.c_contiguous for each in indices]):
        return xp.take_indices(array, indices)
    shape, order, back = _order_of(array, indices)
    if back is None:
        return xp.take_indices(array, indices)
    if len(shape) == array.ndim and sum([each is not None for each in indices]) == 1:
        # read in the order of the result
        whole = (*indices, *(None,) * (array.ndim - len(indices)))
        return xp.take_indices(array.transpose(order), tuple([whole[dim] for dim in order])).transpose(back)
    return np.ascontiguousarray(xp.take_indices(array, indices).transpose(order)).transpose(back)


def indexed_without_numbers(array, indices) -> MetaArray:
    """What is known of the same where there are no numbers."""
    shape, order, back = _order_of(array, indices)
    memory = MetaArray([shape[dim] for dim in order], array.dtype)
    return MetaArray(shape, array.dtype, [memory.strides[at] for at in back or order])


def _order_of(array, indices):
    layouts = tuple([None if each is None else (each.shape, each.strides) for each in indices])
    return order_of_selected(array.shape, array.strides, layouts)


@lru_cache(maxsize=256)
def order_of_selected(shape, strides, indices) -> tuple[tuple, tuple, tuple | None]:
    """The shape of what index arrays select, in which order its dimensions lie in memory, and the order that undoes
    this one, None where they lie as they are. Of the array and the indices only the shapes and strides count.

    Dimensions of positions come where the first of them was, or in front where others lie between them. Raises
    IndexError where the shapes of positions do not fit each other.
    """
    places = [dim for dim, each in enumerate(indices) if each is not None]
    given = [indices[dim] for dim in places]
    try:
        chosen = np.broadcast_shapes(*(each for each, _ in given))
    except ValueError:
        raise unlike(", ".join(str(list(each)) for each, _ in given)) from None
    rest = [dim for dim in range(len(shape)) if dim not in places]
    at = places[0] if places[-1] - places[0] < len(places) else 0
    before, after = rest[:at], rest[at:]
    own = (*(strides[dim] for dim in before), *(0,) * len(chosen), *(strides[dim] for dim in after))
    spread = [(*(0,) * len(before), *_repeated(*each, chosen), *(0,) * len(after)) for each in given]
    lengths = (*(shape[dim] for dim in before), *chosen, *(shape[dim] for dim in after))
    order = tuple(outermost_first(lengths, own, *spread))
    return lengths, order, None if order == tuple(range(len(order))) else tuple(inverse(order))


def _repeated(shape: tuple, strides: tuple, wanted: tuple) -> tuple:
    """The strides of an array that is broadcast to a shape: 0 where it is repeated."""
    missing = len(wanted) - len(shape)
    kept = zip(shape, strides, wanted[missing:], strict=True)
    return (*(0,) * missing, *(step if length == size else 0 for length, step, size in kept))


def unlike(shapes: str) -> IndexError:
    """Index arrays whose shapes do not fit each other."""
    return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")


def explained(error: IndexError, indices) -> IndexError:
    """NumPy's complaint about index arrays in PyTorch's words, which count the dimensions that have one."""
    text = str(error)
    if text.startswith("shape mismatch"):
        shapes = ", ".join(str(list(map(int, re.findall(r"\d+", each)))) for each in re.findall(r"\([^)]*\)", text))
        return unlike(shapes)
    found = re.search(r" axis (\d+) ", text)
    if found is None:
        return error
    number = sum(each is not None for each in indices[: int(found[1])])
    return IndexError(text.replace(found[0], f" dimension {number} "))


def mismatched(given, wanted) -> RuntimeError:
    """Values that do not fit into what an index selects."""
    return RuntimeError(
        f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing result of shape "
        f"{list(wanted)}"
    )


# ---- along a dimension


@primitive
def index_select(array, dim, index):
    """The slices along a dimension that a vector of positions names."""
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


INNER = "INDICES element is out of DATA bounds, id={} axis_dim={}"  # of the second dimension PyTorch says it so


def check_slices(index, shape: tuple, dim: int, inner: str | None = None) -> None:
    """Raises IndexError for a slice that is not there; in the second dimension `inner`, if given, as RuntimeError."""
    try:
        check_range(index, shape[dim], dim, IndexError)
    except IndexError:
        if inner is None or dim != 1:
            raise IndexError("index out of range in self") from None
        wrong = index[(index < 0) | (index >= shape[1])].flat[0]
        raise RuntimeError(inner.format(wrong, shape[1])) from None


def take(array, index):
    """The elements at positions in the flattened array, which may count from the end."""
    at = flat_positions(array.size, index)
    if is_rare(array, index.size):
        return np.asarray(array[np.unravel_index(at, array.shape)], order="C")
    return array.reshape(-1).take(at)


def flat_positions(size: int, index):
    """Positions in a flattened array counted from the front. Raises IndexError for one that is not there."""
    if index.dtype == np.int64 and (not index.size or highest(unmarked(index).view(np.uint64)) < size):
        return index  # as unsigned numbers, negative positions are the largest
    wrong = (index < -size) | (index >= size)
    if wrong.any():
        raise IndexError(f"out of range: tried to access index {index[wrong].flat[0]} on a tensor of {size} elements.")
    return np.where(index < 0, index + size, index)


def masked_select(array, mask):
    """The elements at which a mask holds, in one dimension."""
    if array.shape != mask.shape:
        shape = np.broadcast_shapes(array.shape, mask.shape)
        array, mask = np.broadcast_to(array, shape), np.broadcast_to(mask, shape)
    if array.size >= FEW and array.flags.c_contiguous:
        return array.reshape(-1).take(mask.reshape(-1).nonzero()[0])
    return array[mask].reshape(-1)


@primitive
def nonzero(array):
    """The positions of all elements that are not zero, one row each."""
    if array.dtype.kind == "V":
        array = array != 0
    if not array.ndim:
        return np.zeros((int(bool(array)), 0), np.int64)
    found = array.nonzero() if array.size < FEW else places_of(array)
    out = np.empty((array.ndim, found[0].size), np.int64)
    for row, places in zip(out, found, strict=True):
        row[...] = places
    return out.T  # whose columns lie in order, as in PyTorch


def places_of(array) -> list:
    """The positions of all elements that are not zero, a vector for each dimension.

    What is found in the flat array is divided by the sizes of the dimensions: NumPy looks for several at a time slowly.
    """
    flat = (array if array.dtype.kind == "b" else array != 0).reshape(-1).nonzero()[0]
    found = []
    for length in array.shape[:0:-1]:
        flat, whole = flat // length, flat
        found.append(whole - flat * length)
    return [flat, *reversed(found)]


# ---- sorted boundaries


@primitive
def search(sorted_sequence, values, right: bool, dtype):
    """Where each value would go among sorted ones: along the last dimension, row by row if there are several."""
    side = "right" if right else "left"
    if sorted_sequence.ndim == 1:
        return np.asarray(_search(sorted_sequence, values, side)).astype(dtype, copy=False)
    length = sorted_sequence.shape[-1]
    rows = sorted_sequence.reshape(math.prod(sorted_sequence.shape[:-1]), length)
    wanted = values.reshape(len(rows), values.shape[-1] if values.ndim else 1)
    found = np.empty(wanted.shape, dtype)
    for row, value, out in zip(rows, wanted, found, strict=True):
        out[...] = _search(row, value, side)
    return found.reshape(values.shape)


def _search(row, values, side: str):
    if row.dtype is not values.dtype or row.dtype.kind == "V":
        kind = np.promote_types(row.dtype, values.dtype)
        if kind.kind == "V":
            kind = np.dtype(np.float32)  # NumPy orders no bfloat16 beside NaN
        row, values = row.astype(kind, copy=False), values.astype(kind, copy=False)
    if row.size and row[-1] != row[-1]:
        return _by_halves(row, values, side)
    return row.searchsorted(values, side)


def _by_halves(row, values, side: str):
    """The same in PyTorch's steps, among numbers that end in NaN: of which no comparison is true."""
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, row.size)
    for _ in range(row.size.bit_length()):
        middle = (low + high) // 2
        there, open_still = row[np.minimum(middle, row.size - 1)], low < high
        is_behind = there >= values if side == "left" else there > values
        high = np.where(open_still & is_behind, middle, high)
        low = np.where(open_still & ~is_behind, middle + 1, low)
    return low
