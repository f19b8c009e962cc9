"""Memory of a small program: buffers, and tensors as views of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.core.tensor import wrap
from rushlight.dispatch.planned import called
from rushlight.graph.trace import Meta, Ref, Step
from rushlight.lower.ir import BIT, F32, F64, I64

TYPES = {np.dtype(np.float32): F32, np.dtype(np.float64): F64, np.dtype(np.bool_): BIT, np.dtype(np.int64): I64}
SIZES = {F32: 4, F64: 8, BIT: 1, I64: 8}  # bytes of an element
GIVEN, CONSTANT, TABLE, MADE, LOCAL = "given", "constant", "table", "made", "local"


class Unsupported(Exception):
    """Raised for what a small program cannot compute; the trace runs otherwise."""


class Buffer:
    """Memory of elements of one type: given by the caller, a constant, a table, a result, or local to a call.

    `number` counts the buffers of one home, except that of a constant is its number in the trace.
    """

    __slots__ = ("home", "number", "size", "type")

    def __init__(self, home: str, number: int, size: int, type: str):
        self.home, self.number, self.size, self.type = home, number, size, type

    def __repr__(self):
        return f"{self.home}{self.number}"


class View(NamedTuple):
    """Elements of a buffer: the place of the first one, sizes, and strides in elements."""

    buffer: Buffer
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def type(self) -> str:
        return self.buffer.type

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    def expanded(self, shape: tuple[int, ...]) -> View:
        """Returns the view broadcast to a shape."""
        extra = len(shape) - len(self.shape)
        if extra < 0:
            raise Unsupported("an operand has more dimensions than the result")
        strides = [0] * extra
        for size, wanted, stride in zip(self.shape, shape[extra:], self.strides, strict=True):
            if size != wanted and size != 1:
                raise Unsupported("an operand does not fit the result")
            strides.append(stride if size == wanted and size != 1 else 0)
        return View(self.buffer, self.offset, shape, tuple(strides))

    def permuted(self, dims: list[int]) -> View:
        """Returns the view with some of its dimensions, in another order."""
        shape, strides = tuple([self.shape[dim] for dim in dims]), tuple([self.strides[dim] for dim in dims])
        return View(self.buffer, self.offset, shape, strides)


def in_order(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the strides of C order, in elements."""
    strides = [1] * len(shape)
    for dim in range(len(shape) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * shape[dim + 1]
    return tuple(strides)


def is_in_order(place: View) -> bool:
    """Whether elements lie in C order, one after the other."""
    dims = zip(place.shape, place.strides, in_order(place.shape), strict=True)
    return place.elements <= 1 or all([size == 1 or stride == wanted for size, stride, wanted in dims])


def extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Returns the elements from the first to the last one."""
    if 0 in shape:
        return 0
    return 1 + sum([(size - 1) * stride for size, stride in zip(shape, strides, strict=True)])


def type_of(meta: Meta) -> str:
    """Returns the type of a tensor's elements. Raises Unsupported for others than floats, bools and int64."""
    if meta.dtype not in TYPES:
        raise Unsupported(f"elements of {meta.dtype}")
    return TYPES[meta.dtype]


def strides_of(meta: Meta) -> tuple[int, ...]:
    """Returns strides in elements. Raises Unsupported if they split elements, or are negative."""
    if any([stride % meta.dtype.itemsize or stride < 0 for stride in meta.strides]):
        raise Unsupported("strides that split elements")
    return tuple([stride // meta.dtype.itemsize for stride in meta.strides])


def views_in(step: Step, source: View) -> list[View]:
    """Returns the views that a step makes of one tensor: the operator runs on an array of the same layout."""
    memory = np.empty(max(source.offset + extent(source.shape, source.strides), 1), np.int64)
    array = as_strided(memory[source.offset :], source.shape, [8 * stride for stride in source.strides])
    (name,) = [name for name, value in step.values.items() if type(value) is Ref]
    made: Any = called(step.op, [wrap(array) if each == name else value for each, value in step.values.items()])
    made = made if isinstance(made, tuple | list) else [made]
    return [place_of(each._array, memory, source.buffer) for each in made]


def place_of(array: np.ndarray, memory: np.ndarray, buffer: Buffer) -> View:
    """Returns the view of a buffer that corresponds to an array in `memory`, which has the buffer's layout."""
    if type(array) is not np.ndarray or array.dtype != np.int64:
        raise Unsupported("a view of other elements")
    offset = (array.ctypes.data - memory.ctypes.data) // 8 if array.size else 0
    strides = tuple([stride // 8 for stride in array.strides])
    if array.size and not 0 <= offset <= offset + extent(array.shape, strides) <= len(memory):
        raise Unsupported("a view that is a copy")
    if min(strides, default=0) < 0:
        raise Unsupported("negative strides")
    return View(buffer, offset, array.shape, strides)
