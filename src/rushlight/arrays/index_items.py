"""Parses the index of `x[...]` into a basic index, which gives a view, and index arrays.

Tensors among the items are replaced by their raw arrays. PyTorch differs from NumPy: integers next to index arrays
select first, a sequence may be treated as a tuple, and steps are positive.
"""

from __future__ import annotations

import sys
import warnings
from operator import index as as_integer

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.errors import noted
from rushlight.core.lazy_conj_neg import plain

ALL = slice(None)
END = sys.maxsize  # the end of a slice without an end, as in PyTorch
INT64 = np.dtype(np.int64)
BOUND = frozenset((int, type(None)))
SEQUENCES = (list, tuple, range)
MASKS = (np.dtype(np.bool_), np.dtype(np.uint8))


# ---- common cases


def simple(rank: int, index) -> tuple | None:
    """Returns the basic index, ending in `...`, in common cases; None leaves the index to `Selection`."""
    cls = type(index)
    if cls is int or index is None:
        return (index, ...)
    if cls is slice:
        return (index, ...) if is_plain(index) else None
    if cls is not tuple:
        return None
    not_dims = 0  # number of items that select no dimension: `...` and None
    for item in index:
        cls = type(item)
        if item is None or item is Ellipsis:
            not_dims += 1
        elif cls is not int and not (cls is slice and is_plain(item)):
            return None
    if len(index) - not_dims > rank:
        return None
    return _trimmed(_without_dots(rank, index) if not_dims and Ellipsis in index else index)


def is_plain(item: slice) -> bool:
    """Whether the bounds of a slice need no conversion."""
    step = item.step
    return (step is None or (type(step) is int and step > 0)) and type(item.start) in BOUND and type(item.stop) in BOUND


def one_step(first, second) -> tuple | None:
    """Returns the view operation for an index of two items, with its arguments, in the most common cases."""
    cls = type(second)
    if type(first) is slice:
        if not first.start is first.stop is first.step is None:
            return None
        dim = 1
    elif type(first) is int:
        return ("getitem_view", (first, second, ...)) if cls is int else None
    elif first is None:
        return ("unsqueeze", 0) if cls is slice and is_plain(second) and second == ALL else None
    elif first is ...:
        dim = -1
    else:
        return None
    if cls is int:
        return ("select", dim, second)
    if second is None:
        return ("unsqueeze", dim)
    if dim == 1 and cls is slice and is_plain(second) and second != ALL:
        return ("slice_view", 1, second.start or 0, END if second.stop is None else second.stop, second.step or 1)
    return None


def _without_dots(rank: int, index: tuple) -> tuple:
    """Expands the `...` of an index to whole dimensions; a second one is ignored."""
    at = index.index(Ellipsis)
    before, rest = index[:at], index[at + 1 :]
    if Ellipsis in rest:
        rest = tuple(item for item in rest if item is not Ellipsis)
    selected_dims = len(before) + len(rest) - before.count(None) - rest.count(None)
    return (*before, *(ALL,) * (rank - selected_dims), *rest)


def _trimmed(index: tuple) -> tuple:
    """Removes whole dimensions at the end of an index."""
    end = len(index)
    while end and index[end - 1] == ALL:
        end -= 1
    return (*index[:end], ...)


# ---- every case


class Selection:
    """A parsed index: a basic index, and index arrays for the view that it gives.

    `indices` has None for a dimension that is kept whole. `masks` are the masks among the items, with their positions
    in `indices`: their shapes are checked when the view exists. `copies`: index arrays are copied for a caller that
    keeps them.
    """

    def __init__(self, rank: int, index, copies: bool):
        items = items_of(index)
        if not rank and not isinstance(index, tuple) and len(items) == 1:
            _check_zero_dims(items[0])
        selected_dims = sum(map(_dims, items))
        if selected_dims > rank:
            raise IndexError(f"too many indices for tensor of dimension {rank}")
        self.copies = copies
        self.basic: list = []
        self.indices: list = []
        self.masks: list = []
        self.integers: list = []  # (value, position in the index, dimension that it selects from)
        for position, item in enumerate(items):
            if isinstance(item, int) and not isinstance(item, bool):
                self.integers.append((item, position, sum(entry is not None for entry in self.basic)))
            self._add(item, rank - selected_dims)
        self._drop_whole_dims()

    def _add(self, item, rest: int) -> None:
        if item is Ellipsis:
            self._extend([ALL] * rest, [None] * rest)
        elif item is None:
            self._extend([None], [None])
        elif isinstance(item, bool):
            self._extend([None], [np.zeros(1 if item else 0, np.int64)])
        elif isinstance(item, slice):
            self._extend([_plain(item)], [None])
        elif isinstance(item, int):
            self._extend([item], [])
        elif item.dtype in MASKS:
            self.masks.append((len(self.indices), item))
            self._extend([ALL] * item.ndim, mask_indices(item))
        else:
            self._extend([ALL], [item.astype(np.int64, copy=self.copies)])

    def _extend(self, basic: list, indices: list) -> None:
        self.basic += basic
        self.indices += indices

    def _drop_whole_dims(self) -> None:
        """Removes trailing entries that select everything."""
        while self.indices and self.indices[-1] is None:
            self.indices.pop()
        while self.basic and self.basic[-1] == ALL:
            self.basic.pop()

    def check_known(self) -> None:
        """Raises NotImplementedError if a mask has no data: the number of elements it selects is unknown."""
        if any([isinstance(mask, MetaArray) for _, mask in self.masks]):
            raise no_positions()

    def check_masks(self, shape: tuple) -> None:
        """Raises IndexError if a mask does not fit the view."""
        for at, mask in self.masks:
            if isinstance(mask, MetaArray):
                continue  # PyTorch computes the indices of a mask first, and accepts any shape on meta
            check_mask(shape, at, mask)

    def out_of_bounds(self, shape: tuple) -> Exception:
        """Returns the error for integers that are out of range."""
        for value, position, dim in self.integers:
            if not -(2**63) <= value < 2**63:
                return ValueError("Overflow when unpacking long long")
            if not -shape[dim] <= value < shape[dim]:
                return IndexError(f"index {value} is out of bounds for dimension {position} with size {shape[dim]}")
        return IndexError(f"too many indices for tensor of dimension {len(shape)}")


def as_bools(mask):
    """Converts a mask to bools; uint8 masks are deprecated."""
    if mask.dtype == np.bool_:
        return mask
    warnings.warn(
        "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
        UserWarning,
        stacklevel=7,
    )
    return mask != 0


def mask_indices(mask) -> list:
    """Returns the indices where a mask is true, an array per dimension; without data, arrays of one element."""
    mask = as_bools(mask)
    return [MetaArray((1,), np.int64)] * mask.ndim if isinstance(mask, MetaArray) else list(mask.nonzero())


def check_mask(shape: tuple, at: int, mask) -> None:
    """Raises IndexError if a mask does not have the sizes of the dimensions starting at `at`."""
    for dim, length in enumerate(mask.shape):
        if length != shape[at + dim]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {dim} does not match the shape of the indexed "
                "tensor "
                f"{list(shape)} at index {at + dim}"
            )


def _check_zero_dims(item) -> None:
    if isinstance(item, slice):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if isinstance(item, int) and not isinstance(item, bool):
        if item:
            raise IndexError(f"index {item} is out of bounds for dimension 0 with size 0")
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )


def _dims(item) -> int:
    """Returns the number of input dimensions that an item selects from."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if hasattr(item, "dtype") and item.dtype in MASKS else 1


# ---- individual items


def items_of(index) -> list:
    """Returns the index as a list of integers, slices, bools, arrays, `...` and None."""
    if type(index) is list and (positions := array_of_ints(index)) is not None:
        return [positions]
    if isinstance(index, tuple):
        return list(map(_item, index))
    if isinstance(index, list) and len(index) < 32 and any(map(_makes_a_tuple, index)):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
            "pytorch 2.9; "
            "use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
            "x[torch.tensor(seq)], which will result either in an error or a different result",
            UserWarning,
            stacklevel=7,
        )
        return list(map(_item, index))
    return [_item(index)]


def array_of_ints(index: list):
    """Converts a list of ints, the common case, to an array; returns None for other lists."""
    if not index or not all([type(x) is int for x in index]):
        return None
    array = np.array(index)
    return array if array.dtype is INT64 else None


def _makes_a_tuple(item) -> bool:
    return item is None or item is Ellipsis or hasattr(item, "_array") or isinstance(item, (slice, str, *SEQUENCES))


def _item(item):
    if type(item) in BOUND or type(item) in (slice, bool) or item is Ellipsis:
        return item
    if type(item) is list and (positions := array_of_ints(item)) is not None:
        return positions
    if hasattr(item, "_array"):
        item = checked(item._array)
    elif isinstance(item, (*SEQUENCES, np.ndarray)):
        item = _positions(item)
    elif hasattr(type(item), "__index__"):
        return as_integer(item)
    else:
        raise _not_an_item(item)
    if item.ndim == 0:
        if isinstance(item, MetaArray):
            raise RuntimeError("Tensor.item() cannot be called on meta tensors")
        return int(item) if item.dtype.kind == "i" else bool(item)
    return item


def _not_an_item(item) -> Exception:
    if isinstance(item, str):
        return TypeError("new(): invalid data type 'str'")
    name = f"{type(item).__module__}.".removeprefix("builtins.") + type(item).__name__
    return IndexError(
        f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {name})"
    )


def checked(array):
    """Returns the array of an index tensor. Raises IndexError for a dtype that cannot be an index."""
    array = plain(array)
    small = array.dtype in (np.int8, np.int16) and array.ndim
    if small or (array.dtype.kind not in "bi" and array.dtype != np.uint8):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return array


def _positions(sequence):
    """Converts a sequence of integers or bools to an array."""
    array = np.asarray(sequence if isinstance(sequence, np.ndarray) else _numbers(sequence))
    if array.dtype.kind not in "biuf":
        raise TypeError(f"new(): invalid data type '{array.dtype.name}'")
    return array if array.dtype in MASKS else array.astype(np.int64, copy=False)


def _numbers(sequence):
    if hasattr(sequence, "_array"):
        return sequence.tolist()
    return list(map(_numbers, sequence)) if isinstance(sequence, SEQUENCES) else sequence


def _plain(item: slice) -> slice:
    """Converts the bounds of a slice to ints. Raises ValueError for a step that PyTorch does not accept."""
    start, stop, step = (
        bound if type(bound) in BOUND else _bound(bound) for bound in (item.start, item.stop, item.step)
    )
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step is not None and step < 0:
        raise noted(
            ValueError("step must be greater than zero"),
            "Tensors have no negative strides: tensor.flip(dim) gives a reversed copy.",
        )
    return slice(start, stop, step)


def _bound(value) -> int:
    if not hasattr(type(value), "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return as_integer(value)


def no_positions() -> NotImplementedError:
    """Returns the error for nonzero elements of an array without data."""
    return NotImplementedError(
        "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct "
        "data-independent implementation does not exist. This implementation returns a fake value, assuming "
        "all elements of the tensor are non-zero. To enable this registration, please set "
        "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
    )
