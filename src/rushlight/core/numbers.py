"""Python numbers as operands next to arrays.

NumPy takes 0.3 us to convert a Python number next to a float array, and 0.02 us for a 0-d array of the same dtype. So
the fast paths look numbers up here. Derivatives use `F.numbers[g.dtype][2]`: on raw arrays that is such an array, on
Tensors the number itself.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.tables import xp

# Programs may use any number of scalars; this many are cached per dtype.
MANY = 1000


class NumbersOf(dict):
    """0-d arrays of one dtype, by number."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = np.dtype(dtype)
        self.zero = np.zeros((), self.dtype)
        self.zero.flags.writeable = False

    def __missing__(self, number):
        # Zero is not cached: 0.0 and -0.0 are one key
        if not number and type(number) is not complex and math.copysign(1, number) > 0:
            return self.zero
        if type(number) is int and not -(2**63) <= number < 2**64:
            raise OverflowError("int too big to convert")
        token = set_errors(xp.IGNORED)  # a number that is too large becomes infinite
        try:
            array = np.asarray(number, self.dtype)
        finally:
            reset_errors(token)
        array.flags.writeable = False
        if len(self) >= MANY:
            self.clear()
        if number:
            self[number] = array
        return array


class ArrayNumbers(dict):
    """A `NumbersOf` for each dtype, made on first use."""

    def __init__(self, numbers_of: type[NumbersOf]):
        super().__init__()
        self.numbers_of = numbers_of

    def __missing__(self, dtype):
        # Without metadata: a marked dtype is the same key, and would mark the numbers of all arrays.
        self[dtype] = numbers = self.numbers_of(dtype if dtype.metadata is None else np.dtype(dtype.type))
        return numbers


ARRAY_NUMBERS = ArrayNumbers(NumbersOf)


class PlainNumbers:
    """Returns numbers unchanged, for any dtype."""

    def __getitem__(self, key):
        return self if not isinstance(key, (int, float)) else key


PLAIN_NUMBERS = PlainNumbers()


NO_NUMBERS = (np.flexible, np.datetime64, np.timedelta64)  # NumPy scalars that are not numbers: strings, records, times


def python_number(value):
    """Converts a NumPy scalar to the Python number that PyTorch takes it for; returns other values unchanged.

    NumPy scalars have a width: with them float32 becomes float64, and 2 * np.uint8(200) is 144. PyTorch takes integers
    for int, complex128 for complex and all others for float, including bools, and complex64 without its imaginary part,
    for which NumPy warns. Raises TypeError for an integer beyond int64.
    """
    if not isinstance(value, np.generic) or isinstance(value, NO_NUMBERS):
        return value
    if isinstance(value, np.integer):
        if (number := int(value)) >= 2**63:
            raise TypeError("an integer is required")
        return number
    return complex(value) if isinstance(value, complex) else float(value)
