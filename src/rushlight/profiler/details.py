"""What is noted of a call besides its times: line or stack, shapes, new memory, elements read and written."""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from rushlight.core.source_lines import PROGRAM, entered, outside
from rushlight.core.storage import owner
from rushlight.core.tensor import PLAIN_TYPES, Tensor

DEEPEST = 64  # frames of a stack


class Wanted(NamedTuple):
    """What is noted of calls."""

    shapes: bool = False  # of the arguments, with their dtypes
    memory: bool = False  # bytes of new arrays
    moved: bool = False  # bytes of all arrays: what a call reads and writes at least
    line: bool = False  # the line of the program
    stack: bool = False  # all lines of the program on the stack

    def any(self) -> bool:
        return True in self


class Details(NamedTuple):
    """What was noted of one call."""

    lines: tuple = ()  # (code, instruction) of lines of the program, innermost first
    arguments: tuple = ()  # of each argument: `Shape`, a tuple of them, or a value
    names: tuple[str, ...] = ()  # of the last arguments, those that were given by name
    new: int = 0  # bytes
    moved: int = 0  # bytes


class Shape(NamedTuple):
    """A tensor among the arguments."""

    sizes: tuple[int, ...]
    dtype: Any


Place = tuple[CodeType, int]


def details_of(wanted: Wanted):
    """Returns a function that notes what is wanted, as the fields of `Details`; None if nothing is."""
    if not wanted.any():
        return None
    shapes, memory, moved, line, stack = wanted

    def details(frame: FrameType, arguments: tuple, keywords: dict, result: Any) -> tuple:
        lines = stack_of(frame) if stack else (line_at(frame),) if line else ()
        if not (shapes or memory or moved):
            return (lines,)
        operands = (*arguments, *keywords.values()) if keywords else arguments
        if not (shapes or memory):
            return lines, (), (), 0, bytes_moved(operands, result)
        noted = tuple([argument_of(each) for each in operands]) if shapes else ()
        names = tuple(keywords) if shapes else ()
        new = new_bytes(operands, result) if memory else 0
        return lines, noted, names, new, bytes_moved(operands, result) if moved else 0

    return details


def line_at(frame: FrameType) -> Place:
    """Returns the line of the program that led to a frame."""
    if (code := frame.f_code).co_filename in PROGRAM:
        return code, frame.f_lasti
    place = entered()
    return outside(frame) if place is None else place[:2]


def stack_of(frame: FrameType | None) -> tuple[Place, ...]:
    """Returns the lines of the program on the stack, innermost first."""
    lines: list[Place] = []
    while frame is not None and len(lines) < DEEPEST:
        place = outside(frame)
        while frame is not None and (frame.f_code, frame.f_lasti) != place:
            frame = frame.f_back
        if frame is not None:
            lines.append(place)
            frame = frame.f_back
    return tuple(lines)


def arrays_in(values: Iterable[Any]) -> list[ndarray]:
    """Returns the arrays of tensors, and of tensors in lists."""
    arrays: list[ndarray] = []
    for value in values:
        kind = type(value)
        if kind in PLAIN_TYPES or isinstance(value, Tensor):
            value = value._array
            kind = type(value)
        if kind is ndarray:
            arrays.append(value)
        elif kind is list or kind is tuple:
            arrays += arrays_in(value)
    return arrays


def new_bytes(operands: tuple, result: Any) -> int:
    """Returns the size of the memory of a result that is not that of an argument."""
    if not (made := arrays_in((result,))):
        return 0
    known = {id(owner(array)) for array in arrays_in(operands)}
    total = 0
    for array in made:
        memory = owner(array)
        if id(memory) not in known:
            known.add(id(memory))
            total += memory.nbytes
    return total


def bytes_moved(operands: tuple, result: Any) -> int:
    """Returns the size of all elements that a call reads and writes at least: of its operands and its result.

    A result that is a view moves none.
    """
    total = 0
    if not (operands and result is operands[0]):
        kind = type(result)
        if (kind in PLAIN_TYPES and result._base is not None) or (kind is ndarray and is_view(result, operands)):
            return 0
        total = size_of(result)
    for value in operands:
        total += size_of(value)
    return total


def size_of(value: Any) -> int:
    """Returns the bytes of a tensor, an array, or tensors in a list."""
    kind = type(value)
    if kind in PLAIN_TYPES:
        array = value._array
        return array.nbytes if type(array) is ndarray else 0
    if kind is ndarray:
        return value.nbytes
    return sum([array.nbytes for array in arrays_in((value,))]) if isinstance(value, (list, tuple, Tensor)) else 0


def is_view(array: ndarray, operands: tuple) -> bool:
    """Whether an array is a view of one of the operands."""
    return array.base is not None and any([owner(array) is owner(each) for each in arrays_in(operands)])


def argument_of(value: Any) -> Any:
    """Returns an argument as it is noted: nothing of it is kept alive."""
    if isinstance(value, Tensor):
        value = value._array
    if isinstance(shape := getattr(value, "shape", None), tuple) and hasattr(value, "dtype"):
        return Shape(tuple(shape), value.dtype)
    if isinstance(value, (list, tuple)):
        return tuple([argument_of(each) for each in value])
    return value if isinstance(value, (int, float, bool, complex, str, type(None), np.generic)) else ""
