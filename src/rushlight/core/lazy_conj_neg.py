"""Conjugates and negatives that nobody has computed yet: arrays whose numbers are not those in their memory.

`x.conj()` is a view, so writing to either side is seen on the other, and no number is touched. Its raw array is of this
class, which is no NumPy array: everything that reads or writes numbers without having asked for `plain` ones, or for
the array `beneath` and the marks, is refused with a TypeError. Nothing can compute with it by mistake.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.marked_dtypes import marked


class Unresolved:
    """An array of which the numbers are the conjugates, the negatives or both of those in the array beneath it."""

    __slots__ = ("array", "conj", "neg")
    __array_ufunc__ = None  # universal functions, and operators of NumPy arrays, raise TypeError

    def __init__(self, array, conj: bool, neg: bool):
        self.array, self.conj, self.neg = array, conj, neg

    # ---- what it is, but for its numbers

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    strides = property(lambda self: self.array.strides)
    itemsize = property(lambda self: self.array.itemsize)
    nbytes = property(lambda self: self.array.nbytes)
    flags = property(lambda self: self.array.flags)

    @property
    def dtype(self):
        """A marked one: the generated fast paths leave such an array alone."""
        return marked(self.array.dtype)

    # ---- its numbers

    def resolved(self):
        """The numbers, in fresh memory."""
        return self.turned(self.array)

    def turned(self, numbers):
        """Numbers that others see through this array as they are in memory, and the other way round."""
        if self.conj:
            numbers = np.conjugate(numbers, out=...)
        return np.negative(numbers, out=...) if self.neg else numbers

    def copy(self, order="C"):
        """The numbers, in fresh memory of that order."""
        return self.resolved().copy(order=order)

    def item(self):
        """The one number, as Python's."""
        return self.resolved().item()

    def __setitem__(self, index, value) -> None:
        value = plain(value)
        numbers = value if hasattr(value, "astype") else np.asarray(value)
        self.array[index] = self.turned(numbers.astype(self.array.dtype))

    def through(self, view) -> Any:
        """What a function that takes a view of an array makes of this one; of several parts a list."""
        found = view(self.array)
        if isinstance(found, (tuple, list)):
            return [unresolved(each, conj=self.conj, neg=self.neg) for each in found]
        return unresolved(found, conj=self.conj, neg=self.neg)

    def reshape(self, shape, copy=None):
        """The same memory in another shape. Raises ValueError where it cannot be."""
        return self.through(lambda array: array.reshape(shape, copy=False))

    # ---- refusals

    def __array__(self, dtype=None, copy=None):
        raise TypeError(REFUSAL)

    def __array_function__(self, function, types, arguments, keywords):
        if function is not np.copyto:
            raise TypeError(REFUSAL)
        target, source, *rest = arguments
        source = plain(source)
        if type(target) is Unresolved:
            target, source = target.array, target.turned(source.astype(target.array.dtype, copy=False))
        np.copyto(target, source, *rest, **keywords)

    def __eq__(self, other):
        raise TypeError(REFUSAL)

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError(REFUSAL)


REFUSAL = "the numbers of this array are not those in its memory: ask for plain(array)"


def unresolved(array, *, conj: bool = False, neg: bool = False):
    """An array seen conjugated or negated, or both: twice is not at all."""
    if type(array) is Unresolved:
        array, conj, neg = array.array, conj ^ array.conj, neg ^ array.neg
    return Unresolved(array, conj, neg) if conj or neg else array


def showing(numbers, like):
    """Numbers as an array that is marked as another one is: what is seen are the numbers."""
    return Unresolved(like.turned(numbers), like.conj, like.neg) if type(like) is Unresolved else numbers


def plain(array):
    """A raw array with its numbers in memory: what is unresolved is computed, anything else comes back as it is."""
    return array.resolved() if type(array) is Unresolved else array


def beneath(array):
    """The raw array that lies where this one does: what is unresolved without its marks."""
    return array.array if type(array) is Unresolved else array


def marks_of(array) -> tuple[bool, bool]:
    """Whether an array is seen conjugated, and whether negated."""
    return (array.conj, array.neg) if type(array) is Unresolved else (False, False)
