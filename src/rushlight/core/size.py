"""`torch.Size`: a tuple that prints as `torch.Size([...])`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, Self, SupportsIndex, overload

from rushlight.core.errors import type_name

MANY = 1000  # number of cached shapes
LIMIT = 1 << 63  # of a length
make_size = tuple.__new__  # makes a shape from lengths that are known to be ints


def as_length(position: int, value) -> int:
    """Converts a length to int; accepts a tensor with one integer. Raises TypeError or ValueError otherwise."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {position} is '{type_name(value)}')") from None
    if not -LIMIT <= number < LIMIT:
        raise ValueError("Overflow when unpacking long long")
    return number


class Size(tuple[int, ...]):
    """A shape. Slicing or adding shapes gives shapes.

    >>> Size([2, 3, 4])[1:], Size([2, 3]).numel()
    (torch.Size([3, 4]), 6)
    """

    __slots__ = ()
    __module__ = "torch"

    def __new__(cls, lengths: Iterable[SupportsIndex] = ()) -> Self:
        """Makes a shape from integers. Raises TypeError for anything else."""
        sizes = tuple(lengths)
        for size in sizes:
            if type(size) is not int or not -LIMIT <= size < LIMIT:
                sizes = tuple([as_length(position, size) for position, size in enumerate(sizes)])
                break
        return tuple.__new__(cls, sizes)

    def numel(self) -> int:
        """Returns the number of elements of a tensor of this shape."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Size: ...
    def __getitem__(self, index: Any, /) -> Any:
        result = tuple.__getitem__(self, index)
        return make_size(Size, result) if type(index) is slice else result

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]
        if isinstance(other, tuple):
            return make_size(Size, tuple.__add__(self, other))
        words = f"can only concatenate tuple (not {type_name(other)}) to torch.Size"
        return by_right_operand(self, "__radd__", other, words)

    def __radd__(self, other: tuple[int, ...]) -> Size:
        if isinstance(other, tuple):
            return make_size(Size, tuple.__add__(other, self))
        if isinstance(other, Sequence):
            return NotImplemented  # `items += shape` extends a list
        raise TypeError(f"unsupported operand type(s) for +: '{type_name(other)}' and 'torch.Size'")

    def __mul__(self, count: SupportsIndex) -> Size:
        if hasattr(count, "__index__"):
            return make_size(Size, tuple.__mul__(self, count))
        words = f"can't multiply sequence by non-int of type '{type_name(count)}'"
        return by_right_operand(self, "__rmul__", count, words)

    __rmul__ = __mul__

    def __reduce__(self):
        # Through a function: pickle would look the class up in a module named `torch`.
        return (size_of, (tuple(self),))


def by_right_operand(size: Size, method: str, other: Any, words: str) -> Any:
    """Returns what the reflected method of a right operand makes of a shape. Raises TypeError if there is nothing."""
    reflected = None if isinstance(other, Sequence) else getattr(type(other), method, None)
    result = NotImplemented if reflected is None else reflected(other, size)
    if result is NotImplemented:
        raise TypeError(words)
    return result


class Sizes(dict):
    """A cache of shapes by their lengths: a lookup takes less than half the time of making a shape."""

    def __missing__(self, lengths: tuple) -> Size:
        if len(self) >= MANY:
            self.clear()
        size = self[lengths] = make_size(Size, lengths)
        return size


SIZES = Sizes()


def size_of(lengths: tuple) -> Size:
    """Makes a shape from its pickle."""
    return Size(lengths)
