"""Python numbers beside arrays.

NumPy takes 0.3 us to find out what a Python number beside a float array is, and 0.02 us for a 0-d array of the same
dtype. So the fast paths look numbers up here. Derivatives ask for `F.numbers[g.dtype][2]`: on raw arrays that is such
an array, in the language of Tensors the number itself.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.tables import xp

# A program may use any number of numbers; it gets quick ones for this many at a time.
MANY = 1000


class NumbersOf(dict):
    """0-d arrays of one dtype, by number."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = np.dtype(dtype)
        self.zero = np.zeros((), self.dtype)
        self.zero.flags.writeable = False

    def __missing__(self, number):
        # Zero is not kept, since 0.0 and -0.0 are one key
        if not number and type(number) is not complex and math.copysign(1, number) > 0:
            return self.zero
        if type(number) is int and not -(2**63) <= number < 2**64:
            raise OverflowError("int too big to convert")
        token = set_errors(xp.IGNORED)  # a number that is too large is infinite
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
    """The numbers of every dtype that has been asked for."""

    def __init__(self, numbers_of: type[NumbersOf]):
        super().__init__()
        self.numbers_of = numbers_of

    def __missing__(self, dtype):
        # Of the dtype alone: one with a mark is the same key, and would mark the numbers of all others.
        self[dtype] = found = self.numbers_of(dtype if dtype.metadata is None else np.dtype(dtype.type))
        return found


ARRAY_NUMBERS = ArrayNumbers(NumbersOf)


class PlainNumbers:
    """Numbers as they are, whatever the dtype."""

    def __getitem__(self, key):
        return self if not isinstance(key, (int, float)) else key


PLAIN_NUMBERS = PlainNumbers()


NO_NUMBERS = (np.flexible, np.datetime64, np.timedelta64)  # what NumPy has beside numbers: words, records, times


def python_number(value):
    """A number of NumPy's as the Python number that PyTorch takes it for; anything else as it is.

    NumPy's own have a width: beside them float32 becomes float64, and 2 * np.uint8(200) is 144. PyTorch takes whole
    numbers for int, complex128 for complex and everything else for float: truth values too, and complex64 without its
    imaginary part, of which NumPy warns. Raises TypeError for a whole number beyond int64.
    """
    if not isinstance(value, np.generic) or isinstance(value, NO_NUMBERS):
        return value
    if isinstance(value, np.integer):
        if (found := int(value)) >= 2**63:
            raise TypeError("an integer is required")
        return found
    return complex(value) if isinstance(value, complex) else float(value)
