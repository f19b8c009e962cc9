"""Lazy conjugates and negatives: arrays whose values differ from those in memory.

`x.conj()` is a view: writes to either side are seen on the other, and no element is copied. Its raw array has this
class, which is not a NumPy array: code that reads or writes values without calling `plain`, or `beneath` and
`marks_of`, gets a TypeError, so that nothing computes with it by mistake.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.marked_dtypes import marked


class Unresolved:
    """An array whose values are the conjugates, negatives or both of those in the array beneath it."""

    __slots__ = ("array", "conj", "neg")
    __array_ufunc__ = None  # universal functions, and operators of NumPy arrays, raise TypeError

    def __init__(self, array, conj: bool, neg: bool):
        self.array, self.conj, self.neg = array, conj, neg

    # ---- properties that do not read elements

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    strides = property(lambda self: self.array.strides)
    itemsize = property(lambda self: self.array.itemsize)
    nbytes = property(lambda self: self.array.nbytes)
    flags = property(lambda self: self.array.flags)

    @property
    def dtype(self):
        """A marked dtype: the generated fast paths do not accept such an array."""
        return marked(self.array.dtype)

    # ---- its elements

    def resolved(self):
        """Returns the values, in fresh memory."""
        return self.apply_marks(self.array)

    def apply_marks(self, values):
        """Converts values in memory to those seen through this array, or back."""
        if self.conj:
            values = np.conjugate(values, out=...)
        return np.negative(values, out=...) if self.neg else values

    def copy(self, order="C"):
        """Returns the values, in fresh memory of that order."""
        return self.resolved().copy(order=order)

    def item(self):
        """Returns the only element, as a Python number."""
        return self.resolved().item()

    def __setitem__(self, index, value) -> None:
        value = plain(value)
        array = value if hasattr(value, "astype") else np.asarray(value)
        self.array[index] = self.apply_marks(array.astype(self.array.dtype))

    def through(self, view) -> Any:
        """Applies a function that takes a view of an array; returns a list if it returns several parts."""
        result = view(self.array)
        if isinstance(result, (tuple, list)):
            return [unresolved(part, conj=self.conj, neg=self.neg) for part in result]
        return unresolved(result, conj=self.conj, neg=self.neg)

    def reshape(self, shape, copy=None):
        """Returns the same memory in another shape. Raises ValueError if that needs a copy."""
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
            target, source = target.array, target.apply_marks(source.astype(target.array.dtype, copy=False))
        np.copyto(target, source, *rest, **keywords)

    def __eq__(self, other):
        raise TypeError(REFUSAL)

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError(REFUSAL)


REFUSAL = "the numbers of this array are not those in its memory: ask for plain(array)"


def unresolved(array, *, conj: bool = False, neg: bool = False):
    """Returns an array seen conjugated, negated or both: applying it twice cancels."""
    if getattr(array, "level", None) is not None:
        raise TypeError("the array belongs to a transform")  # which makes the conjugate of its value
    if type(array) is Unresolved:
        array, conj, neg = array.array, conj ^ array.conj, neg ^ array.neg
    return Unresolved(array, conj, neg) if conj or neg else array


def showing(values, like):
    """Wraps values with the marks of `like`, so that the wrapped array shows these values."""
    return Unresolved(like.apply_marks(values), like.conj, like.neg) if type(like) is Unresolved else values


def plain(array):
    """Returns a raw array with its values in memory: lazy arrays are computed, others are returned unchanged."""
    return array.resolved() if type(array) is Unresolved else array


def beneath(array):
    """Returns the raw array in memory: a lazy array without its marks."""
    return array.array if type(array) is Unresolved else array


def marks_of(array) -> tuple[bool, bool]:
    """Returns whether an array is seen conjugated, and whether negated."""
    while (value := getattr(array, "value", None)) is not None:  # inside a transform
        array = value._array
    return (array.conj, array.neg) if type(array) is Unresolved else (False, False)
