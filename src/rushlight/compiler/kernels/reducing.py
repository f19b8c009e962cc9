"""Reductions over neighbouring dimensions: an array (before, length, after) becomes (before, after).

What lies in memory one behind the other is reduced in vectors, in blocks of at most BLOCK elements whose results are
then reduced in float64: no sum loses more digits than a block's. Across lines the columns are carried along. The blocks
depend on shapes alone, so that the number of threads changes no digit.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.compiler.kernels.replacing import GRAIN, LARGE, number_of, packed, replaces
from rushlight.compiler.language import larger, offset, smaller
from rushlight.compiler.native import (
    Element,
    boolean,
    float32,
    float64,
    int32,
    int64,
    native,
    pointer,
)
from rushlight.compiler.parallel import parallel_for

T = Element("T")
A = Element("A")  # what is computed in

BLOCK = 1 << 10
ROWS = 128  # lines that are added up before they are added to the others
FEW = 16  # such parts that are added as they are: a sum of so many lines loses no more digits than one of a block
NARROW = 16  # fewer columns than a vector has


@native(reassociate=True)
def plus(a: A, b: A) -> A:
    return a + b


@native(reassociate=True)
def times(a: A, b: A) -> A:
    return a * b


@native
def largest(a: A, b: A) -> A:
    return larger(a, b)


@native
def smallest(a: A, b: A) -> A:
    return smaller(a, b)


@native
def plain(a: A, shift: A) -> A:
    return a


@native
def squared(a: A, shift: A) -> A:
    return (a - shift) * (a - shift)


@native
def zero(first: A) -> A:
    return A(0)


@native
def one(first: A) -> A:
    return A(1)


@native
def itself(first: A) -> A:
    return first


def reduction(start, combine, prepare, wide=A):
    """The kernel that combines elements of an array, each prepared with the shift of its line or column.

    What the parts of a line give is combined in the type `wide`; those of columns are left in `found`.
    """

    @native(separate=True)
    def blocks(out: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, length: int64, parts: int64,
               begin: int64, end: int64):  # fmt: skip
        for piece in range(begin, end):
            line, part = piece // parts, piece % parts
            source = offset(array, line * length + part * BLOCK)
            many = min(BLOCK, length - part * BLOCK)
            shift = shifts[line * shifted]
            found = start(A(source[0]))
            for k in range(many):
                found = combine(found, prepare(A(source[k]), shift))
            out[piece] = found

    @native(separate=True)
    def columns(out: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, length: int64, parts: int64,
                after: int64, begin: int64, end: int64):  # fmt: skip
        for piece in range(begin, end):
            block, part = piece // parts, piece % parts
            first = part * ROWS
            source = offset(array, (block * length + first) * after)
            to, shift = offset(out, piece * after), offset(shifts, block * after * shifted)
            for k in range(after):
                to[k] = prepare(A(source[k]), shift[k * shifted])
            for row in range(1, min(ROWS, length - first)):
                line = offset(source, row * after)
                for k in range(after):
                    to[k] = combine(to[k], prepare(A(line[k]), shift[k * shifted]))

    @native(one_at_a_time=True)
    def lines_of_parts(out: pointer(A), found: pointer(A), parts: int64, begin: int64, end: int64):
        for line in range(begin, end):
            source = offset(found, line * parts)
            total = wide(source[0])
            for part in range(1, parts):
                total = combine(total, wide(source[part]))
            out[line] = A(total)

    @native
    def whole(out: pointer(A), found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, before: int64,
              length: int64, after: int64, parts: int64, grain: int64):  # fmt: skip
        if after == 1:
            least = max(1, grain // min(length, BLOCK))
            parallel_for(blocks, before * parts, least, found, array, shifts, shifted, length, parts)
            if parts > 1:
                parallel_for(lines_of_parts, before, max(1, grain // parts), out, found, parts)
        else:
            least = max(1, grain // (min(length, ROWS) * after))
            parallel_for(columns, before * parts, least, found, array, shifts, shifted, length, parts, after)

    return whole


REDUCTIONS = {
    "sum": (reduction(zero, plus, plain, float64), np.add),
    "count": (reduction(zero, plus, plain), np.add),
    "product": (reduction(one, times, plain), np.multiply),
    "amax": (reduction(itself, largest, plain), np.maximum),
    "amin": (reduction(itself, smallest, plain), np.minimum),
    "squares": (reduction(zero, plus, squared, float64), np.add),
}
ORDERED = (float32, float64, int64, int32)


def split(shape, axes) -> tuple[int, int, int] | None:
    """(before, length, after) if the axes, None for all, are neighbours."""
    if axes is None:
        return 1, math.prod(shape), 1
    axes = sorted(each % len(shape) for each in (axes if isinstance(axes, tuple) else (axes,)))
    if not axes or axes != list(range(axes[0], axes[-1] + 1)):
        return None
    return math.prod(shape[: axes[0]]), math.prod(shape[axes[0] : axes[-1] + 1]), math.prod(shape[axes[-1] + 1 :])


def reduced(name: str, array, axes, keepdims: bool, wide=None, shift=None):
    """The reduction of that name, in the dtype `wide`; None where there is no kernel."""
    if array.size < LARGE or type(array) is not np.ndarray or not array.ndim:
        return None
    sizes, kind = split(array.shape, axes), number_of(array)
    wide = number_of(array) if wide is None else wide
    if sizes is None or kind is None or (sizes[2] != 1 and sizes[2] < NARROW) or not array.flags.c_contiguous:
        return None
    before, length, after = sizes
    if length < 2:
        return None
    parts = -(-length // (BLOCK if after == 1 else ROWS))
    found = np.empty((before, parts, after), wide.numpy)
    out = np.empty(before, wide.numpy) if parts > 1 and after == 1 else found
    shifts = np.zeros(1, wide.numpy) if shift is None else packed(shift)
    kernel, ufunc = REDUCTIONS[name]
    kernel.machine(wide, kind)(out, found, packed(array), shifts, shift is not None, *sizes, parts, GRAIN)
    if parts > 1 and after > 1:
        out = together(ufunc, found, wide)
    return out.reshape(kept(array.shape, axes, keepdims))


def together(ufunc, found, wide):
    """The parts of columns (before, parts, after), combined; many sums of floats in float64."""
    if ufunc is np.add and wide is float32 and found.shape[1] > FEW:
        return ufunc.reduce(found, 1, np.float64).astype(np.float32)
    return ufunc.reduce(found, 1, found.dtype)


def kept(shape, axes, keepdims: bool) -> tuple:
    """The shape of the result."""
    whole = range(len(shape)) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    gone = {each % len(shape) for each in whole}
    return tuple(1 if at in gone else n for at, n in enumerate(shape) if keepdims or at not in gone)


@replaces("totals", "total")
def total(array, axes=None, dtype=None, keepdims=False):
    kind = number_of(array) if type(array) is np.ndarray else None
    if kind in (float32, float64) and (dtype is None or dtype == array.dtype):
        return reduced("sum", array, axes, keepdims)
    if dtype == np.int64 and kind is not None and kind.kind in "iub":
        return reduced("count", array, axes, keepdims, int64)
    return None


@replaces("totals", "total_of_any")
def total_of_any(array, axes, dtype, keepdims):
    if dtype is not None or type(array) is not np.ndarray or array.itemsize != 2 or array.dtype.kind not in "fV":
        return None
    if number_of(array) is None:
        return None
    found = reduced("sum", array, axes, keepdims, float32)
    return None if found is None else found.astype(array.dtype)


@replaces("totals", "product")
def product(array, axes, dtype, keepdims):
    if number_of(array) not in (float32, float64) or (dtype is not None and dtype != array.dtype):
        return None
    return reduced("product", array, axes, keepdims)


@replaces("totals", "variance")
def variance(array, axes, correction, keepdims):
    if type(array) is not np.ndarray or number_of(array) not in (float32, float64):
        return None
    summed = reduced("sum", array, axes, True)
    if summed is None:
        return None
    count = array.size // summed.size
    middle = summed / array.dtype.type(count)
    found = reduced("squares", array, axes, keepdims, shift=middle)
    found = np.divide(found, max(count - correction, 0))
    return found, middle if keepdims else middle.reshape(found.shape)


@replaces("totals", "total_of_squares")
def total_of_squares(array, axes, keepdims):
    if number_of(array) not in (float32, float64) or (axes is None and not keepdims):
        return None  # of a whole array BLAS does it as fast
    return reduced("squares", array, axes, keepdims)


def extreme_of(name: str):
    def function(array, axis=None, dtype=None, out=None, keepdims=False):
        if dtype is not None or out is not None or type(array) is not np.ndarray or number_of(array) not in ORDERED:
            return None
        return reduced(name, array, axis, keepdims)

    return function


replaces("cpu", "amax")(extreme_of("amax"))
replaces("cpu", "amin")(extreme_of("amin"))


# ---- where the extremes are


def extreme_positions(combine, beats):
    """The kernel that finds the extreme of every line or column, and where it is first; NaN before all numbers."""

    @native
    def lines(out: pointer(T), where: pointer(int64), array: pointer(T), length: int64, begin: int64, end: int64):
        for line in range(begin, end):
            source = offset(array, line * length)
            found = source[0]
            for k in range(length):
                found = combine(found, source[k])
            place = 0
            while source[place] != found and source[place] == source[place]:
                place += 1
            out[line] = found
            where[line] = place

    @native
    def columns(out: pointer(T), where: pointer(int64), array: pointer(T), length: int64, after: int64, width: int64,
                begin: int64, end: int64):  # fmt: skip
        for piece in range(begin, end):
            block, first = piece // width, piece % width * STRIP
            many = min(STRIP, after - first)
            to, places = offset(out, block * after + first), offset(where, block * after + first)
            source = offset(array, block * length * after + first)
            for k in range(many):
                to[k] = source[k]
                places[k] = 0
            for row in range(1, length):
                for k in range(many):
                    new, old = source[row * after + k], to[k]
                    better = beats(new, old) or (new != new and old == old)
                    to[k] = new if better else old
                    places[k] = row if better else places[k]

    @native
    def whole(out: pointer(T), where: pointer(int64), array: pointer(T), before: int64, length: int64, after: int64,
              grain: int64):  # fmt: skip
        if after == 1:
            parallel_for(lines, before, max(1, grain // length), out, where, array, length)
        else:
            width = (after + STRIP - 1) // STRIP
            least = max(1, grain // (length * min(after, STRIP)))
            parallel_for(columns, before * width, least, out, where, array, length, after, width)

    return whole


STRIP = 128  # columns that are looked through together


@native
def more(a: T, b: T) -> boolean:
    return a > b


@native
def less(a: T, b: T) -> boolean:
    return a < b


@native
def largest_element(a: T, b: T) -> T:
    return larger(a, b)


@native
def smallest_element(a: T, b: T) -> T:
    return smaller(a, b)


EXTREMES = {True: extreme_positions(largest_element, more), False: extreme_positions(smallest_element, less)}


def extremes(array, axis, keepdims: bool, is_largest: bool):
    """(values, positions) of the extremes along an axis, or of everything; None where there is no kernel."""
    if array.size < LARGE or type(array) is not np.ndarray or not array.ndim or not array.flags.c_contiguous:
        return None
    kind, sizes = number_of(array), split(array.shape, axis)
    if kind not in ORDERED or sizes is None or (sizes[2] != 1 and sizes[2] < NARROW):
        return None
    shape = kept(array.shape, axis, keepdims)
    values, places = np.empty(shape, array.dtype), np.empty(shape, np.int64)
    EXTREMES[is_largest].machine(kind)(values, places, packed(array), *sizes, GRAIN)
    return values, places


@replaces("order", "extreme")
def extreme(array, axis, keepdims, largest):
    return extremes(array, axis, keepdims, largest)


def position_of(is_largest: bool):
    def function(array, axis=None, out=None, *, keepdims=False):
        found = extremes(array, axis, keepdims, is_largest) if out is None and type(array) is np.ndarray else None
        return None if found is None else found[1]

    return function


replaces("cpu", "argmax")(position_of(True))
replaces("cpu", "argmin")(position_of(False))
