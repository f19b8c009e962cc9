"""Left and right shifts of integers, elementwise, vectorized and parallel.

NumPy branches on each shift count, which prevents vectorization. Here both results are computed and one is selected: a
count that is negative or at least the number of bits leaves only the sign.
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


def _largest_shift(translation, array: Value) -> Value:
    return translation.literal(array.type.element.bits - 1)


@compiled_as(_largest_shift)
def largest_shift(array):
    """Returns the largest valid shift count: bits of an element minus one."""
    return 8 * array.itemsize - 1


@native
def shift_left(value: T, places: T, most: T) -> T:
    return value << (places & most) if (places >= 0) & (places <= most) else T(0)


@native
def shift_right(value: T, places: T, most: T) -> T:
    return value >> (places & most) if (places >= 0) & (places <= most) else value >> most >> T(1)


def shifts(shift):
    """Returns the kernel for one shift function; counts are per element or one scalar for all."""

    @native(separate=True)
    def by_array(out: pointer(T), array: pointer(T), by: pointer(T), begin: int64, end: int64):
        largest = T(largest_shift(array))
        for i in range(begin, end):
            out[i] = shift(array[i], by[i], largest)

    @native(separate=True)
    def by_scalar(out: pointer(T), array: pointer(T), by: pointer(T), begin: int64, end: int64):
        places, largest = by[0], T(largest_shift(array))
        for i in range(begin, end):
            out[i] = shift(array[i], places, largest)

    @native
    def shifted(out: pointer(T), array: pointer(T), by: pointer(T), alike: int64, count: int64, grain: int64):
        if alike != 0:
            parallel_for(by_scalar, count, grain, out, array, by)
        else:
            parallel_for(by_array, count, grain, out, array, by)

    return shifted


def large_only(kernel):
    """Returns a replacement of NumPy's function for large contiguous arrays with counts of the same shape, or a scalar
    count.
    """

    def function(array, by, *, out=None):
        if type(array) is not np.ndarray or array.size < LARGE or (out is not None and out is not ...):
            return None
        dtype, is_scalar = number_of(array), np.ndim(by) == 0
        if array.dtype.kind not in "iu" or by.dtype != array.dtype or not (is_scalar or by.shape == array.shape):
            return None
        counts = np.asarray(by)
        if not all([operand.flags.c_contiguous and operand.flags.aligned for operand in (array, counts)]):
            return None
        result = np.empty(array.shape, array.dtype)
        kernel.machine(dtype)(result, array, counts.reshape(-1), is_scalar, array.size, GRAIN)
        return result

    return function


LEFT, RIGHT = shifts(shift_left), shifts(shift_right)
kernel_of("left_shift", sized=None)(large_only(LEFT))
kernel_of("right_shift", sized=None)(large_only(RIGHT))
