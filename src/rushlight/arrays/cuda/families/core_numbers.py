"""Numbers next to arrays of the device: NumPy's scalars, which CuPy takes; it takes no arrays of the CPU."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.fp_errors import IGNORED, reset_errors, set_errors


class NumbersOf(dict):
    """Scalars of one dtype, by number."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype
        self.zero = dtype.type(0)

    def __missing__(self, number):
        if not number and type(number) is not complex and math.copysign(1, number) > 0:
            return self.zero
        if type(number) is int and not -(2**63) <= number < 2**64:
            raise OverflowError("int too big to convert")
        token = set_errors(IGNORED)  # a number that is too large becomes infinite
        try:
            return self.dtype.type(number)
        finally:
            reset_errors(token)


class ArrayNumbers(dict):
    """A `NumbersOf` for each dtype, made on first use."""

    def __init__(self, numbers_of: type[NumbersOf]):
        super().__init__()
        self.numbers_of = numbers_of

    def __missing__(self, dtype):
        plain = dtype if dtype.metadata is None else np.dtype(dtype.type)
        self[dtype] = numbers = self.numbers_of(plain)
        return numbers


ARRAY_NUMBERS = ArrayNumbers(NumbersOf)
