"""The shape of a tensor as PyTorch gives it: a tuple that prints as `torch.Size([...])`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import index
from typing import Any, Self, SupportsIndex, overload

from rushlight.core.errors import type_name

MANY = 1000  # shapes that are kept
LIMIT = 1 << 63  # of a length
made = tuple.__new__  # a shape of lengths that are known to be whole numbers


def whole(place: int, value) -> int:
    """A length as Python's number; a tensor of one whole number may stand for it."""
    try:
        number = index(value)
    except TypeError:
        name = type_name(value)
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{name}')") from None
    if not -LIMIT <= number < LIMIT:
        raise ValueError("Overflow when unpacking long long")
    return number


class Size(tuple[int, ...]):
    """A shape. Slices and sums of shapes are shapes.

    >>> Size([2, 3, 4])[1:], Size([2, 3]).numel()
    (torch.Size([3, 4]), 6)
    """

    __slots__ = ()
    __module__ = "torch"

    def __new__(cls, lengths: Iterable[SupportsIndex] = ()) -> Self:
        """A shape of whole numbers. Raises TypeError for anything else."""
        given = tuple(lengths)
        for each in given:
            if type(each) is not int or not -LIMIT <= each < LIMIT:
                given = tuple([whole(place, each) for place, each in enumerate(given)])
                break
        return tuple.__new__(cls, given)

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Size: ...
    def __getitem__(self, index: Any, /) -> Any:
        found = tuple.__getitem__(self, index)
        return made(Size, found) if type(index) is slice else found

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]
        return made(Size, tuple.__add__(self, other))

    def __radd__(self, other: tuple[int, ...]) -> Size:
        return made(Size, tuple.__add__(other, self))

    def __mul__(self, count: SupportsIndex) -> Size:
        return made(Size, tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __reduce__(self):
        # By a function, for pickle would look the class up in a module of the name `torch`.
        return (size_of, (tuple(self),))


class Sizes(dict):
    """Shapes by their lengths: to look one up takes less than half as long as to make it."""

    def __missing__(self, lengths: tuple) -> Size:
        if len(self) >= MANY:
            self.clear()
        found = self[lengths] = made(Size, lengths)
        return found


SIZES = Sizes()


def size_of(lengths: tuple) -> Size:
    """A shape from its pickle."""
    return Size(lengths)
