"""Integer division: quotients rounded down or towards zero, and remainders.

Processors have no vector division of integers, but one of floats. For integers below 2**53 the float quotient truncates
to the right result: its distance to the next integer is larger than its rounding error. A vector with a larger element
is divided one by one. NumPy branches on the signs of each quotient, which is mispredicted.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.policy import GRAIN, REDUCED
from rushlight.kernels.arguments import number_of
from rushlight.kernels.bit_shift import largest_shift
from rushlight.kernels.vectors import LANES, any_lane, load, splat, splat_wide, store
from rushlight.lower.language import atomic_store, floor
from rushlight.lower.native import Element, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")

EXACT = float(1 << 52)  # half of float64's integer range: the product with a quotient is exact too
BITS = 63  # bits of integers that may be larger, without the sign


def divisions(rounds_down: bool, gives_rest: bool):
    """Returns the kernel of quotients, rounded down or towards zero, or of remainders."""

    @native
    def divide_lanes(out: pointer(T), array: pointer(T), by: pointer(T), step: int64, begin: int64):
        for i in range(begin, begin + LANES):
            value, divisor = array[i], by[i * step]
            quotient, rest = -value, T(0)
            if divisor != T(-1):  # the smallest integer has no such quotient, and processors trap
                quotient = value // divisor
                rest = value - quotient * divisor
                if not rounds_down and rest != 0 and (value < 0) != (divisor < 0):
                    quotient, rest = quotient + T(1), rest - divisor
            out[i] = rest if gives_rest else quotient

    @native(inlined=True)
    def divide_range(out: pointer(T), array: pointer(T), by: pointer(T), step: int64, zeros: pointer(int64),
                    begin: int64, end: int64):  # fmt: skip
        for k in range(begin, end, LANES):
            at = min(k, end - LANES)
            divisors = load(by, at * step)
            value, divisor, limit = float64(load(array, at)), float64(divisors), splat_wide(EXACT)
            if any_lane(divisors == splat(T(0))):
                atomic_store(zeros, 0, 1)
            elif largest_shift(array) == BITS and any_lane((abs(value) > limit) | (abs(divisor) > limit)):
                divide_lanes(out, array, by, step, at)
            else:
                quotient = value / divisor
                whole = float64(int64(floor(quotient) if rounds_down else quotient))
                store(out, at, T(int64(value - whole * divisor if gives_rest else whole)))

    @native(light=True)
    def divide(out: pointer(T), array: pointer(T), by: pointer(T), step: int64, zeros: pointer(int64), count: int64,
               grain: int64):  # fmt: skip
        """Divides an array by another, or by one repeated element if the step is 0; sets `zeros` if it divides by 0."""
        parallel_for(divide_range, count, grain, out, array, by, step, zeros)

    return divide


def large_only(kernel):
    """Returns a replacement of NumPy's function for contiguous arrays, or an array and a scalar; None if a divisor is
    zero.
    """

    def function(numerator, denominator):
        dtype = number_of(numerator)
        if type(numerator) is not np.ndarray or dtype is None or numerator.dtype.char not in "bhilqB":
            return None
        by = np.asarray(denominator)
        is_scalar = by.ndim == 0
        if by.dtype != numerator.dtype or not (is_scalar or by.shape == numerator.shape):
            return None
        if not all([x.flags.c_contiguous and x.flags.aligned for x in (numerator, by)]):
            return None
        result, zeros = np.empty(numerator.shape, numerator.dtype), np.zeros(1, np.int64)
        divisors = np.full(LANES, by) if is_scalar else by
        kernel.machine(dtype)(result, numerator, divisors, not is_scalar, zeros, numerator.size, GRAIN)
        return None if zeros[0] else result

    return function


KERNELS = {
    "floor_divide": divisions(True, False),
    "remainder": divisions(True, True),
    "truncated_divide": divisions(False, False),
    "fmod": divisions(False, True),
}
for _name, _kernel in KERNELS.items():
    kernel_of(_name, least=REDUCED)(large_only(_kernel))
