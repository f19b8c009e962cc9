"""Index tensors of a `vmap` in `x[index]` and `x[index] = value`: each sample has another index.

Their numbers cannot be read, so they cannot become index arrays. The view that an index begins with is made as ever,
with numbers instead of these tensors. Then the indexed dimensions of the view become one, and the tensors one
vector of positions in it: what is left is `index_select`, `index_copy` or `index_add`, which compute with batches.

The tensors of a recorded function become index arrays all the same: the level knows the array of an integer tensor.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.index_items import MASKS
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import TRACED, BatchedArray, RecordedArray, Untraceable, every_sample, settled
from rushlight.declarations.batches import from_front
from rushlight.declarations.dtype_rules import INT64, raw_dtype

FIRST = -(2**63)  # which no index tensor can contain


def known(tensor: Tensor) -> Tensor:
    """Returns an index tensor without levels that all samples share; one that differs between them as it is.

    One of a recorded function differs between the runs of its program.
    """
    tensor = settled(tensor)
    while type(array := tensor._array) in TRACED and type(array) is not RecordedArray:
        if type(array) is BatchedArray and array.batched:
            break
        tensor = settled(array.value)
    return tensor


def without_levels(index):
    """Returns an index in which only tensors that differ between samples are traced."""
    if isinstance(index, Tensor):
        return known(index)
    if type(index) in (tuple, list) and any([isinstance(each, Tensor) for each in index]):
        return type(index)([known(each) if isinstance(each, Tensor) else each for each in index])
    return index


def is_traced(item) -> bool:
    """Whether an item of an index is a tensor inside a transform."""
    return isinstance(item, Tensor) and type(item._array) in TRACED


def has_traced(index) -> bool:
    """Whether an index has a tensor inside a transform."""
    return is_traced(index) or (type(index) in (tuple, list) and any(map(is_traced, index)))


class TracedIndex:
    """An index with tensors of a `vmap` in it: `shown` is the index with the number of each in its place."""

    def __init__(self, F, index):
        self.F = F
        self.tensors: dict[int, Tensor] = {}
        items = index if type(index) is tuple else tuple(index) if type(index) is list else (index,)
        self.shown = tuple([self._shown(each) if is_traced(each) else each for each in items])

    def _shown(self, tensor: Tensor) -> Tensor:
        if type(tensor._array) is RecordedArray and (raw_dtype(tensor) in MASKS or not tensor.ndim):
            raise Untraceable("an index is a mask or a number, which is only known when the program runs")
        if raw_dtype(tensor) in MASKS:
            raise RuntimeError(  # the samples of a mask select different numbers of elements
                "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
                "indexing with a boolean mask."
            )
        number = FIRST + len(self.tensors)
        self.tensors[number] = tensor
        return wrap(np.full(tuple(tensor.shape) or (1,), number, np.int64))

    def tensors_of(self, indices) -> list:
        """Returns index arrays with the traced tensors instead of their numbers."""
        return [self.tensors.get(each.flat[0], each) if each is not None and each.size else each for each in indices]

    def arrays_of(self, indices) -> tuple | None:
        """Returns index arrays, those of recorded tensors included; None if a tensor differs between samples."""
        tensors = self.tensors_of(indices)
        if any([isinstance(each, Tensor) and type(each._array) is not RecordedArray for each in tensors]):
            return None
        whole = [self.F.cast(each, INT64) if isinstance(each, Tensor) else each for each in tensors]
        return tuple([each._array.value._array if isinstance(each, Tensor) else each for each in whole])


def check_range(tensor, dim: int, length: int) -> None:
    """Raises IndexError if an index is out of range in any sample."""
    numbers = every_sample(tensor)
    for number in (int(numbers.min()), int(numbers.max())) if numbers.numel() else ():
        if not -length <= number < length:
            raise IndexError(f"index {number} is out of bounds for dimension {dim} with size {length}")


class Rows:
    """The dimensions of a tensor that index tensors select from, as one; `at` are the positions in it."""

    def __init__(self, F, input, indices):
        self.F, self.input = F, input
        self.dims = [dim for dim, each in enumerate(indices) if each is not None]
        tensors = [indices[dim] for dim in self.dims]
        tensors = [each if isinstance(each, Tensor) else wrap(each) for each in tensors]
        self.lengths = tuple([input.shape[dim] for dim in self.dims])
        self.rest = tuple([n for dim, n in enumerate(input.shape) if dim not in self.dims])
        positions = None
        for tensor, dim, length in zip(tensors, self.dims, self.lengths, strict=True):
            check_range(tensor, dim, length)
            one = from_front(F, F.cast(tensor, INT64), length)
            positions = one if positions is None else positions * length + one
        self.shape = tuple(positions.shape)
        self.at = F.reshape(positions, (-1,))
        parted = self.dims[-1] - self.dims[0] >= len(self.dims)
        self.first = 0 if parted else self.dims[0]  # where the dimensions of the index are in the result

    def rows(self):
        """Returns (rows, *rest)."""
        F, count = self.F, len(self.dims)
        moved = F.movedim(self.input, tuple(self.dims), tuple(range(count))) if count > 1 else self.only(self.input)
        return F.reshape(moved, (math.prod(self.lengths), *self.rest))

    def only(self, input):
        return self.F.movedim(input, self.dims[0], 0) if self.dims[0] else input

    def read(self):
        """Returns the elements at the index."""
        elements = self.F.reshape(self.F.index_select(self.rows(), 0, self.at), (*self.shape, *self.rest))
        return self._turned(elements, range(len(self.shape)), self.first)

    def written(self, values, accumulate: bool):
        """Returns the tensor with values at the index, or added there."""
        F, rank = self.F, len(self.shape)
        shape = (*self.rest[: self.first], *self.shape, *self.rest[self.first :])
        values = F.expand(values, shape)
        values = F.movedim(values, tuple(range(self.first, self.first + rank)), tuple(range(rank))) if rank else values
        values = F.reshape(values, (math.prod(self.shape), *self.rest))
        write = F.index_add if accumulate else F.index_copy
        result = F.reshape(write(self.rows(), 0, self.at, values), (*self.lengths, *self.rest))
        count = len(self.dims)
        return F.movedim(result, tuple(range(count)), tuple(self.dims))

    def _turned(self, elements, dims, first: int):
        if not first or not len(dims):
            return elements
        return self.F.movedim(elements, tuple(dims), tuple(range(first, first + len(dims))))


def filled_where(F, input, mask, value):
    """`input` with a value where a mask of its first dimensions holds."""
    mask = F.reshape(mask, (*mask.shape, *[1] * (input.ndim - mask.ndim)))
    return F.where(mask, F.reshape(value, ()), input)
