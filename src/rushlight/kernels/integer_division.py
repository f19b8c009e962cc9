"""Quotients of whole numbers, and what is left of them.

A processor divides whole numbers one by one, and floats in vectors. Of numbers below 2**53 the quotient of floats is
right: it differs from the next whole number by a larger part of itself than rounding takes away. A vector in which one
is larger is divided number by number. NumPy asks of each quotient whether the signs differ, which nobody can foresee.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.policy import GRAIN, REDUCED
from rushlight.kernels.arguments import number_of
from rushlight.kernels.bit_shift import places_of
from rushlight.kernels.vectors import LANES, anywhere, load, spread, spread_wide, store
from rushlight.lower.language import atomic_store, floor
from rushlight.lower.native import Element, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")

EXACT = float(1 << 52)  # half of what float64 has for whole numbers: their product with a quotient is exact as well
BITS = 63  # of numbers that may be larger, but for the sign


def divisions(rounds_down: bool, gives_rest: bool):
    """The kernel of quotients rounded down or towards zero, or of what they leave."""

    @native
    def divide_each(out: pointer(T), array: pointer(T), by: pointer(T), step: int64, begin: int64):
        for i in range(begin, begin + LANES):
            value, divisor = array[i], by[i * step]
            quotient, rest = -value, T(0)
            if divisor != T(-1):  # the least number has no such quotient, and processors stop
                quotient = value // divisor
                rest = value - quotient * divisor
                if not rounds_down and rest != 0 and (value < 0) != (divisor < 0):
                    quotient, rest = quotient + T(1), rest - divisor
            out[i] = rest if gives_rest else quotient

    @native(inlined=True)
    def divide_some(out: pointer(T), array: pointer(T), by: pointer(T), step: int64, zeros: pointer(int64),
                    begin: int64, end: int64):  # fmt: skip
        for k in range(begin, end, LANES):
            at = min(k, end - LANES)
            divisors = load(by, at * step)
            value, divisor, most = float64(load(array, at)), float64(divisors), spread_wide(EXACT)
            if anywhere(divisors == spread(T(0))):
                atomic_store(zeros, 0, 1)
            elif places_of(array) == BITS and anywhere((abs(value) > most) | (abs(divisor) > most)):
                divide_each(out, array, by, step, at)
            else:
                quotient = value / divisor
                whole = float64(int64(floor(quotient) if rounds_down else quotient))
                store(out, at, T(int64(value - whole * divisor if gives_rest else whole)))

    @native(light=True)
    def divide(out: pointer(T), array: pointer(T), by: pointer(T), step: int64, zeros: pointer(int64), count: int64,
               grain: int64):  # fmt: skip
        """Divides an array by another, or by a vector of one number if the step is 0; counts no zero among them."""
        parallel_for(divide_some, count, grain, out, array, by, step, zeros)

    return divide


def many_only(kernel):
    """What stands in for NumPy's function, which refuses zeros: of arrays in C order, and of a number beside one."""

    def function(numerator, denominator):
        kind = number_of(numerator)
        if type(numerator) is not np.ndarray or kind is None or numerator.dtype.char not in "bhilqB":
            return None
        by = np.asarray(denominator)
        alike = by.ndim == 0
        if by.dtype != numerator.dtype or not (alike or by.shape == numerator.shape):
            return None
        if not all([each.flags.c_contiguous and each.flags.aligned for each in (numerator, by)]):
            return None
        found, zeros = np.empty(numerator.shape, numerator.dtype), np.zeros(1, np.int64)
        divisors = np.full(LANES, by) if alike else by
        kernel.machine(kind)(found, numerator, divisors, not alike, zeros, numerator.size, GRAIN)
        return None if zeros[0] else found

    return function


KERNELS = {
    "floor_divide": divisions(True, False),
    "remainder": divisions(True, True),
    "truncated_divide": divisions(False, False),
    "fmod": divisions(False, True),
}
for _name, _kernel in KERNELS.items():
    kernel_of(_name, least=REDUCED)(many_only(_kernel))
