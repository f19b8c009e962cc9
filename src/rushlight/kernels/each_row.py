"""An elementwise kernel on the arrays of many parameters: one builtin function goes through lists of arrays.

A model has hundreds of parameters. NumPy needs a microsecond to begin a call, this a dozen nanoseconds to check the
arrays of a row: the parameter, its gradient and its state, which lie at one position of the lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.kernels.loops import MOST, OPERANDS, WIDTHS, run
from rushlight.lower import ufunc
from rushlight.lower.language import local
from rushlight.lower.machine_types import boolean, int32, int64, pointer
from rushlight.lower.native import native
from rushlight.lower.objects import (
    ARRAY,
    CLASS,
    DATA,
    IN_ORDER,
    RANK,
    SIZES,
    WRITEABLE,
    Object,
    flags_of,
    is_readable,
)
from rushlight.lower.python_layout import LENGTH, LIST_ITEMS, TUPLE_ITEMS

# The words of a plan: the type number of the arrays, how many operands and results there are, and for each the list
# that it comes from and 0, or NUMBER and the address of a number.
KIND, COUNT, SOURCES = range(3)
NUMBER = -1


@native(light=True)  # O2 takes 40 ms more at the first step, and makes steps of small parameters 1 % faster
def step_rows(lists: Object, plan: pointer(int64), kernel: pointer(int64), begin: int64) -> int64:
    """Computes the rows from `begin` on; returns the first one that does not fit, else how many there are."""
    data, steps, dims, count = local(int64, MOST), local(int64, MOST), local(int64, 1), plan[COUNT]
    rows = Object(lists[TUPLE_ITEMS])[LENGTH]
    for row in range(begin, rows):
        dims[0] = -1
        for at in range(count):
            source, number = plan[SOURCES + 2 * at], plan[SOURCES + 2 * at + 1]
            data[at], steps[at] = number, 0
            if source != NUMBER:
                array = Object(Object(Object(lists[TUPLE_ITEMS + source])[LIST_ITEMS])[row])
                if not fits(array, plan[KIND], dims, at >= kernel[OPERANDS]):
                    return row
                data[at], steps[at] = array[DATA], kernel[WIDTHS + at]
        if dims[0] > 0:
            if overlaps(data, kernel, count, dims[0]):
                return row
            run(data, dims, steps, kernel)
    return rows


@native(inlined=True)
def fits(array: Object, kind: int64, dims: pointer(int64), written: boolean) -> boolean:
    """Returns whether this is an array in C order, as large as those before it, that may be written if it has to."""
    array_type, size = ARRAY, int64(1)
    if array[CLASS] != int64(array_type) or not is_readable(array, kind):
        return False
    for axis in range(int64(pointer(int32)(array)[2 * RANK])):
        size *= Object(array[SIZES])[axis]
    if dims[0] < 0:
        dims[0] = size
    flags = flags_of(array)
    return size == dims[0] and flags & IN_ORDER != 0 and (flags & WRITEABLE != 0 or not written)


@native(inlined=True)
def overlaps(data: pointer(int64), kernel: pointer(int64), count: int64, size: int64) -> boolean:
    """Returns whether a result overlaps another array, and does not begin with it."""
    for result in range(kernel[OPERANDS], count):
        length = size * kernel[WIDTHS + result]
        for other in range(result):
            apart = data[result] - data[other]
            if apart != 0 and kernel[WIDTHS + other] != 0 and -length < apart < length:
                return True
    return False


class Rows:
    """A kernel for rows: `sources` says for each operand which list it comes from, or is a number; results follow."""

    def __init__(self, kernel: np.ufunc, dtype: np.dtype, sources: Sequence[int | None], results: Sequence[int]):
        self.numbers = np.zeros(len(sources), dtype)
        self.kernel = ufunc.loops_of(kernel)[bytes([dtype.num] * kernel.nargs)][1]
        words = [dtype.num, len(sources) + len(results)]
        for at, source in enumerate((*sources, *results)):
            number = self.numbers.ctypes.data + at * dtype.itemsize
            words += [NUMBER, number] if source is None else [source, 0]
        self.plan = np.array(words, np.int64)

    def __call__(self, lists: tuple[list, ...], begin: int) -> int:
        """Computes the rows from `begin` on; returns the first one that does not fit, else how many there are."""
        row: Any = step_rows.machine()(id(lists), self.plan, self.kernel, begin)
        return row
