"""Bits of whole numbers moved to the left and to the right.

NumPy asks of each number by how many places, which keeps it from vectors. Here both answers are computed, and one of
them is chosen: by as many places as there are bits, or a negative number of them, nothing is left but the sign.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.policy import GRAIN, LARGE
from rushlight.kernels.arguments import number_of
from rushlight.lower.language import compiled_as
from rushlight.lower.machine_text import Value
from rushlight.lower.native import Element, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")


def _places_of(translation, array: Value) -> Value:
    return translation.literal(array.type.element.bits - 1)


@compiled_as(_places_of)
def places_of(array):
    """By how many places an element can be moved: one less than it has bits."""
    return 8 * array.itemsize - 1


@native
def to_the_left(value: T, places: T, most: T) -> T:
    return value << (places & most) if (places >= 0) & (places <= most) else T(0)


@native
def to_the_right(value: T, places: T, most: T) -> T:
    return value >> (places & most) if (places >= 0) & (places <= most) else value >> most >> T(1)


def shifts(moved):
    """The kernel that moves each element by its own number of places, or all by one."""

    @native(separate=True)
    def by_each(out: pointer(T), array: pointer(T), by: pointer(T), begin: int64, end: int64):
        most = T(places_of(array))
        for i in range(begin, end):
            out[i] = moved(array[i], by[i], most)

    @native(separate=True)
    def by_one(out: pointer(T), array: pointer(T), by: pointer(T), begin: int64, end: int64):
        places, most = by[0], T(places_of(array))
        for i in range(begin, end):
            out[i] = moved(array[i], places, most)

    @native
    def shifted(out: pointer(T), array: pointer(T), by: pointer(T), alike: int64, count: int64, grain: int64):
        if alike != 0:
            parallel_for(by_one, count, grain, out, array, by)
        else:
            parallel_for(by_each, count, grain, out, array, by)

    return shifted


def large_only(kernel):
    """What stands in for NumPy's function: of arrays in C order, and of a number beside one."""

    def function(array, by, *, out=None):
        if type(array) is not np.ndarray or array.size < LARGE or (out is not None and out is not ...):
            return None
        kind, alike = number_of(array), np.ndim(by) == 0
        if array.dtype.kind not in "iu" or by.dtype != array.dtype or not (alike or by.shape == array.shape):
            return None
        given = np.asarray(by)
        if not all([each.flags.c_contiguous and each.flags.aligned for each in (array, given)]):
            return None
        found = np.empty(array.shape, array.dtype)
        kernel.machine(kind)(found, array, given.reshape(-1), alike, array.size, GRAIN)
        return found

    return function


LEFT, RIGHT = shifts(to_the_left), shifts(to_the_right)
kernel_of("left_shift", sized=None)(large_only(LEFT))
kernel_of("right_shift", sized=None)(large_only(RIGHT))
