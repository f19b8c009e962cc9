"""In-place methods that call a Python function for each element, and `fill_diagonal_`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import starmap
from numbers import Number

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.device import host
from rushlight.core.modes import announce_write
from rushlight.core.numbers import python_number
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.tensor import Tensor
from rushlight.dispatch.destination import FILLS, run_in_place, scalar_array
from rushlight.dispatch.message import type_name


def apply_(self, callable) -> Tensor:
    """Replaces each element by `callable(element)`. Raises RuntimeError for a tensor that requires grad.

    >>> import rushlight as torch
    >>> torch.tensor([1.0, 2.0]).apply_(lambda x: x + 1)
    tensor([2., 3.])
    """
    _check_plain(self, "apply_")
    return _put(self, map(callable, self.reshape(-1).tolist()))


def map_(self, other, callable) -> Tensor:
    """Replaces each element by `callable(element, element of other)`; `other` is broadcast."""
    if not isinstance(other, Tensor):
        raise TypeError(f"map_(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")
    _check_plain(self, "map_")
    _check_plain(other, "map_")
    if other.dtype is not self.dtype:
        raise TypeError(f"map_: expected {self.type()} for 'other' (got {other.type()})")
    pairs = zip(self.reshape(-1).tolist(), other.expand(self.shape).reshape(-1).tolist(), strict=True)
    return _put(self, starmap(callable, pairs))


def map2_(self, x, y, callable) -> Tensor:
    """Replaces each element by `callable(element, element of x, element of y)`; `x` and `y` are broadcast."""
    for position, (name, other) in enumerate((("x", x), ("y", y)), 1):
        if not isinstance(other, Tensor):
            raise TypeError(f"map2_(): argument '{name}' (position {position}) must be Tensor, not {type_name(other)}")
    for tensor in (self, x, y):
        _check_plain(tensor, "map2_")
    for name, other in (("x", x), ("y", y)):
        if other.dtype is not self.dtype:
            raise TypeError(f"map2_: expected {self.type()} for argument '{name}' (got {other.type()})")
    shape = self.shape
    tensors = [self, x.expand(shape), y.expand(shape)]
    return _put(self, starmap(callable, zip(*(t.reshape(-1).tolist() for t in tensors), strict=True)))


def _check_plain(tensor: Tensor, name: str) -> None:
    if tensor.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    if not tensor.is_cpu:
        raise TypeError(f"{name} is only implemented on CPU tensors")


def _put(tensor: Tensor, values: Iterable) -> Tensor:
    """Overwrites a tensor with an iterable of numbers. Raises TypeError before writing if one is no number."""
    array = np.empty(tensor.numel(), tensor._array.dtype)
    for index, value in enumerate(values):
        number = host(value) if isinstance(value, Tensor) else value
        if not isinstance(number, (Number, np.generic, np.ndarray)):
            raise TypeError(f"must be real number, not {type_name(value)}")
        array[index] = number
    announce_write(tensor)
    tensor._array[...] = array.reshape(tensor.shape)
    tensor._storage.written()
    if NOTING:
        note_write(tensor._storage, 2, map_)
    return tensor


def fill_diagonal_(self, fill_value, wrap=False) -> Tensor:
    """Fills the main diagonal with a number; `wrap` continues it below the first square of a tall matrix.

    >>> import rushlight as torch
    >>> torch.zeros(4, 2).fill_diagonal_(1, wrap=True).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """
    if isinstance(fill_value, Tensor) and not fill_value.ndim:
        fill_value = fill_value.item()
    fill_value = python_number(fill_value)
    if not isinstance(fill_value, Number):
        raise TypeError(
            f"fill_diagonal_(): argument 'fill_value' (position 1) must be Number, not {type_name(fill_value)}"
        )
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    height, width = self.shape[:2]
    once = not wrap or self.ndim > 2 or height <= width + 1
    if once and run_in_place(_fill_diagonal, fill_diagonal_, FILLS, self, fill_value):
        return self
    strides, start, length = self.stride(), self.storage_offset(), min(height, width)
    F.fill_(F.as_strided(self, (length,), (sum(strides),), start), fill_value)
    if not once:  # computed as if rows were contiguous, as in PyTorch
        rest = math.ceil(height * width / (width + 1)) - length
        F.fill_(F.as_strided(self, (rest,), (sum(strides),), start + strides[0] * (width + 1)), fill_value)
    return self


def _fill_diagonal(array, value) -> None:
    """Writes a scalar to the main diagonal. Raises ValueError unless the array is in C order."""
    if not array.flags.c_contiguous:
        raise ValueError
    value, step = scalar_array(value, array.dtype), sum(array.strides) // array.itemsize
    array.reshape(-1)[: min(array.shape) * step : step] = value


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for function in (apply_, map_, map2_, fill_diagonal_):
        setattr(Tensor, function.__name__, function)
