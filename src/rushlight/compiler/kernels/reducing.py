"""Reductions over neighbouring dimensions: an array (before, length, after) becomes (before, after).

What lies in memory one behind the other is reduced in vectors, in blocks of at most BLOCK elements whose results are
then reduced in float64: no sum loses more digits than a block's. Across lines the columns are carried along. The blocks
depend on shapes alone, so that the number of threads changes no digit.

A processor reads ahead by itself as far as a page goes, and begins anew in the next. How long it then takes depends on
where the system has put the pages, up to a tenth of the whole; so a kernel asks for some of their lines beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.compiler.kernels.replacing import packed, replaces
from rushlight.compiler.kernels.vectors import prefetch
from rushlight.compiler.language import larger, offset, smaller
from rushlight.compiler.native import (
    OF_NUMPY,
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
from rushlight.compiler.sizes import GRAIN, REDUCED, SPREAD

T = Element("T")
A = Element("A")  # what is computed in

BLOCK = 1 << 12
ROWS = 128  # lines that are added up before they are added to the others
AT_ONCE = 4  # of these: the processor reads ahead in each, and what has been carried along is touched less often
WIDE = 1 << 11  # columns of a piece, at most: what is carried along stays in the first cache beside the lines
NARROW = 16  # fewer columns than a vector has
APART, AHEAD = 1 << 8, 1 << 11  # elements between the lines that are asked for, and to where they are


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


@native
def width_of(after: int64) -> int64:
    """The width of strips that are as wide as the others: whole lines of the cache, no two threads write to one."""
    strips = (after + WIDE - 1) // WIDE
    return ((after + strips - 1) // strips + 15) // 16 * 16


@native
def begin_pages(array: pointer(T), many: int64):
    """Asks for lines of what comes after so many elements, which need not exist."""
    for at in range(0, many - APART + 1, APART):
        prefetch(array, at + AHEAD)


def reduction(start, combine, prepare):
    """Kernels that combine elements of lines, or of columns, each prepared with the shift of its line or column."""

    @native(separate=True)
    def blocks(out: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, length: int64, parts: int64,
               begin: int64, end: int64):  # fmt: skip
        for piece in range(begin, end):
            line, part = piece // parts, piece % parts
            source = offset(array, line * length + part * BLOCK)
            many = min(BLOCK, length - part * BLOCK)
            shift = shifts[line * shifted]
            found = start(A(source[0]))
            begin_pages(source, many)
            for k in range(many):
                found = combine(found, prepare(A(source[k]), shift))
            out[piece] = found

    @native(separate=True, one_vector=True)
    def columns(out: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, length: int64, parts: int64,
                after: int64, begin: int64, end: int64):  # fmt: skip
        width = width_of(after)
        strips = (after + width - 1) // width
        for piece in range(begin, end):
            line, left = piece // strips, piece % strips * width
            block, part = line // parts, line % parts
            wide, many = min(width, after - left), min(ROWS, length - part * ROWS)
            source = offset(array, (block * length + part * ROWS) * after + left)
            to, shift = offset(out, line * after + left), offset(shifts, (block * after + left) * shifted)
            for k in range(wide):
                to[k] = start(A(source[k]))
            for row in range(many % AT_ONCE):
                single = offset(source, row * after)
                for k in range(wide):
                    to[k] = combine(to[k], prepare(A(single[k]), shift[k * shifted]))
            for row in range(many % AT_ONCE, many, AT_ONCE):
                a = offset(source, row * after)
                b, c, d = offset(a, after), offset(a, 2 * after), offset(a, 3 * after)
                for k in range(wide):
                    by = shift[k * shifted]
                    two = combine(prepare(A(a[k]), by), prepare(A(b[k]), by))
                    others = combine(prepare(A(c[k]), by), prepare(A(d[k]), by))
                    to[k] = combine(to[k], combine(two, others))

    @native
    def of_lines(out: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, before: int64, length: int64,
                 after: int64, parts: int64, grain: int64):  # fmt: skip
        least = max(1, grain // min(length, BLOCK))
        parallel_for(blocks, before * parts, least, out, array, shifts, shifted, length, parts)

    @native
    def of_columns(out: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, before: int64,
                   length: int64, after: int64, parts: int64, grain: int64):  # fmt: skip
        width = width_of(after)
        pieces = before * parts * ((after + width - 1) // width)
        least = max(1, grain // (min(length, ROWS) * min(after, width)))
        parallel_for(columns, pieces, least, out, array, shifts, shifted, length, parts, after)

    return of_lines, of_columns


def joining(combine):
    """The kernel that combines the results of parts (before, parts, after): sums of floats in float64."""

    @native(separate=True, one_vector=True)
    def strips(out: pointer(T), found: pointer(T), carried: pointer(A), parts: int64, after: int64, begin: int64,
               end: int64):  # fmt: skip
        width = (after + STRIP - 1) // STRIP
        for piece in range(begin, end):
            block, first = piece // width, piece % width * STRIP
            many = min(STRIP, after - first)
            source, to = offset(found, block * parts * after + first), offset(carried, block * after + first)
            for k in range(many):
                to[k] = A(source[k])
            for part in range(1, parts):
                for k in range(many):
                    to[k] = combine(to[k], A(source[part * after + k]))
            for k in range(many):
                out[block * after + first + k] = T(to[k])

    @native
    def joined(out: pointer(T), found: pointer(T), carried: pointer(A), before: int64, parts: int64, after: int64,
               grain: int64):  # fmt: skip
        pieces = before * ((after + STRIP - 1) // STRIP)
        least = max(1, grain // (parts * min(after, STRIP)))
        parallel_for(strips, pieces, least, out, found, carried, parts, after)

    return joined


STRIP = 128  # columns that are carried along together
IN_ORDER = joining(plus), joining(times), joining(largest), joining(smallest)
REDUCTIONS = {
    "sum": (reduction(zero, plus, plain), IN_ORDER[0]),
    "product": (reduction(one, times, plain), IN_ORDER[1]),
    "amax": (reduction(itself, largest, plain), IN_ORDER[2]),
    "amin": (reduction(itself, smallest, plain), IN_ORDER[3]),
    "squares": (reduction(zero, plus, squared), IN_ORDER[0]),
}
ORDERED = {each.numpy for each in (float32, float64, int64, int32)}
NO_SHIFT = np.zeros(1)  # read as a number of any dtype, and not used


class Plan(NamedTuple):
    """How an array of a shape is reduced along axes: (before, length, after), in parts, to a shape."""

    before: int
    length: int
    after: int
    parts: int
    shape: tuple[int, ...]


@lru_cache(maxsize=1024)
def planned(shape: tuple[int, ...], axes, keepdims: bool) -> Plan | None:
    """The plan if the axes, None for all, are neighbours, and what is reduced is more than one element."""
    sizes = split(shape, axes)
    if sizes is None or (sizes[2] != 1 and sizes[2] < NARROW) or sizes[1] < 2:
        return None
    parts = -(-sizes[1] // (BLOCK if sizes[2] == 1 else ROWS))
    return Plan(*sizes, parts, kept(shape, axes, keepdims))


def split(shape, axes) -> tuple[int, int, int] | None:
    """(before, length, after) if the axes, None for all, are neighbours."""
    if axes is None:
        return 1, math.prod(shape), 1
    axes = sorted(each % len(shape) for each in (axes if isinstance(axes, tuple) else (axes,)))
    if not axes or axes != list(range(axes[0], axes[-1] + 1)):
        return None
    return math.prod(shape[: axes[0]]), math.prod(shape[axes[0] : axes[-1] + 1]), math.prod(shape[axes[-1] + 1 :])


def kept(shape, axes, keepdims: bool) -> tuple:
    """The shape of the result."""
    whole = range(len(shape)) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    gone = {each % len(shape) for each in whole}
    return tuple(1 if at in gone else n for at, n in enumerate(shape) if keepdims or at not in gone)


class Way(NamedTuple):
    """What reduces arrays of a dtype, and the dtypes that it and what joins the parts compute in."""

    kernel: Callable
    computed: np.dtype
    carried: np.dtype


@cache
def way(name: str, given: np.dtype, wide: np.dtype | None, columns: bool) -> Way | None:
    """The way to reduce lines, or columns, of a dtype; None where there is no kernel."""
    kind = OF_NUMPY.get(given)
    computed = kind if wide is None else OF_NUMPY[wide]
    if kind is None or computed is None:
        return None
    carried = np.dtype(np.float64) if computed is float32 and name in ("sum", "squares") else computed.numpy
    return Way(REDUCTIONS[name][0][columns].machine(computed, kind), computed.numpy, carried)


@cache
def joiner(name: str, computed: np.dtype, carried: np.dtype) -> Callable:
    """What joins the parts."""
    return REDUCTIONS[name][1].machine(OF_NUMPY[computed], OF_NUMPY[carried])


def in_order(array) -> bool:
    """Whether elements lie one behind the other where their dtype wants them."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned and array.ndim > 0


def reduced(name: str, array, axes, keepdims: bool, wide: np.dtype | None = None, shift=None):
    """The reduction of that name, in the dtype `wide`; None where there is no kernel."""
    if type(array) is not np.ndarray or array.size < SPREAD or not in_order(array):
        return None
    plan = planned(array.shape, axes, keepdims)
    known = None if plan is None else way(name, array.dtype, wide, plan.after != 1)
    if plan is None or known is None:
        return None
    before, length, after, parts, shape = plan
    kernel, computed, carried = known
    out = np.empty(shape, computed)
    found = out if parts == 1 else np.empty(before * parts * after, computed)
    shifts = NO_SHIFT if shift is None else packed(shift)
    kernel(found, array, shifts, shift is not None, before, length, after, parts, GRAIN)
    if parts > 1:
        join = joiner(name, computed, carried)
        join(out, found, np.empty(before * after, carried), before, parts, after, GRAIN)
    return out


FLOATS = {np.dtype(np.float32), np.dtype(np.float64)}
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)


@replaces("totals", "total", least=REDUCED)
def total(array, axes=None, dtype=None, keepdims=False):
    given = array.dtype
    if given in FLOATS and (dtype is None or dtype == given):
        return reduced("sum", array, axes, keepdims)
    if dtype == INT64 and given.kind in "iub":
        return reduced("sum", array, axes, keepdims, INT64)
    return None


@replaces("totals", "total_of_any", least=REDUCED)
def total_of_any(array, axes, dtype, keepdims):
    if dtype is not None or array.itemsize != 2 or array.dtype.kind not in "fV":
        return None
    found = reduced("sum", array, axes, keepdims, FLOAT32)
    return None if found is None else found.astype(array.dtype)


@replaces("totals", "product", least=REDUCED)
def product(array, axes, dtype, keepdims):
    if array.dtype not in FLOATS or (dtype is not None and dtype != array.dtype):
        return None
    return reduced("product", array, axes, keepdims)


@replaces("totals", "mean", least=REDUCED)
def mean(array, axes=None, dtype=None, keepdims=False):
    found = total(array, axes, dtype, keepdims) if array.dtype in FLOATS else None
    return None if found is None else np.divide(found, array.size / found.size, out=found)


@replaces("totals", "variance", least=SPREAD)
def variance(array, axes, correction, keepdims):
    middle = mean(array, axes, None, True)
    if middle is None:
        return None
    found = reduced("squares", array, axes, keepdims, shift=middle)
    count = array.size // middle.size
    np.divide(found, max(count - correction, 0), out=found)
    return found, middle if keepdims else middle.reshape(found.shape)


@replaces("totals", "total_of_squares", least=REDUCED)
def total_of_squares(array, axes, keepdims):
    if array.dtype not in FLOATS or (axes is None and not keepdims):
        return None  # of a whole array BLAS does it as fast
    return reduced("squares", array, axes, keepdims)


def extreme_of(name: str):
    def function(array, axis=None, dtype=None, out=None, keepdims=False):
        if dtype is not None or out is not None or array.dtype not in ORDERED:
            return None
        return reduced(name, array, axis, keepdims)

    return function


replaces("cpu", "amax", least=REDUCED)(extreme_of("amax"))
replaces("cpu", "amin", least=REDUCED)(extreme_of("amin"))


# ---- where the extremes are


def extreme_positions(combine, beats):
    """Kernels that find the extreme of every line, or column, and where it is first; NaN before all numbers."""

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
    def of_lines(out: pointer(T), where: pointer(int64), array: pointer(T), before: int64, length: int64, after: int64,
                 grain: int64):  # fmt: skip
        parallel_for(lines, before, max(1, grain // length), out, where, array, length)

    @native
    def of_columns(out: pointer(T), where: pointer(int64), array: pointer(T), before: int64, length: int64,
                   after: int64, grain: int64):  # fmt: skip
        width = (after + STRIP - 1) // STRIP
        least = max(1, grain // (length * min(after, STRIP)))
        parallel_for(columns, before * width, least, out, where, array, length, after, width)

    return of_lines, of_columns


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
    if type(array) is not np.ndarray or array.size < SPREAD or array.dtype not in ORDERED or not in_order(array):
        return None
    plan = planned(array.shape, axis, keepdims)
    if plan is None:
        return None
    values, places = np.empty(plan.shape, array.dtype), np.empty(plan.shape, np.int64)
    kernel = EXTREMES[is_largest][plan.after != 1].machine(OF_NUMPY[array.dtype])
    kernel(values, places, array, plan.before, plan.length, plan.after, GRAIN)
    return values, places


@replaces("order", "extreme", least=SPREAD)
def extreme(array, axis, keepdims, largest):
    return extremes(array, axis, keepdims, largest)


def position_of(is_largest: bool):
    def function(array, axis=None, out=None, *, keepdims=False):
        if out is not None or axis is None or axis % max(array.ndim, 1) == array.ndim - 1:
            return None  # along lines NumPy has vectors for this, and keeps no values
        found = extremes(array, axis, keepdims, is_largest)
        return None if found is None else found[1]

    return function


replaces("cpu", "argmax", least=REDUCED)(position_of(True))
replaces("cpu", "argmin", least=REDUCED)(position_of(False))
