"""Reductions over neighbouring dimensions: an array (before, length, after) becomes (before, after).

What lies in memory one behind the other is reduced in vectors, in blocks of at most BLOCK elements whose results are
then joined in float64: no sum loses more digits than a block's. Across lines the columns are carried along. The blocks
depend on shapes alone, so that the number of threads changes no digit.

Most processors read ahead by themselves as far as a page goes, begin anew in the next, and not far enough for one core
to get from the last cache what that could give: a kernel asks for each line beforehand. A Zen 4 is asked for what comes
next only, and reads by halves of its vectors: 16 MB are added up in a tenth less time than whole ones without asking.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.core.policy import GRAIN, LAID, REDUCED, SPREAD
from rushlight.kernels.arguments import packed
from rushlight.kernels.copies import copied
from rushlight.kernels.extreme_calls import MOST, as_tuple, ends
from rushlight.kernels.reduce_axes import Stages, staged
from rushlight.kernels.reduce_calls import (
    ACROSS,
    AFTER,
    BEFORE,
    BLOCK,
    INNER,
    INNER_STEP,
    KIND,
    LENGTH,
    OUTER_STEP,
    PARTS,
    ROWS,
    STEP,
    STRIPS,
    WIDE,
    along,
    in_turn,
)
from rushlight.kernels.vectors import (
    LANES,
    chosen,
    even,
    lanes_before,
    load,
    load_some,
    over_lanes,
    prefetch_lines,
    spread,
    store,
    store_some,
)
from rushlight.lower.language import compiled_as, larger, local, offset, smaller
from rushlight.lower.machine_text import Value
from rushlight.lower.native import (
    OF_NUMPY,
    Element,
    Native,
    Type,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    native,
    pointer,
    uint8,
)
from rushlight.lower.nontemporal import ahead
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
A = Element("A")  # what is computed in

AT_ONCE = 4  # of these: the processor reads ahead in each, and what has been carried along is touched less often
FOUR = 4 * LANES  # what a line is read in, since a sum waits for the one before it
AHEAD = ahead(1 << 14)  # bytes: a third of the first cache or a half


# What kernels are made of, for numbers and for vectors.
plus = compiled_as(lambda translation, *pair: translation.computed(ast.Add(), *pair))(operator.add)
times = compiled_as(lambda translation, *pair: translation.computed(ast.Mult(), *pair))(operator.mul)


@compiled_as(lambda translation, value, shift: value)
def plain(value, shift):
    return value


def _squared(translation, *pair: Value) -> Value:
    change = translation.computed(ast.Sub(), *pair)
    return translation.computed(ast.Mult(), change, change)


@compiled_as(_squared)
def squared(value, shift):
    return (value - shift) * (value - shift)


def _unless_nan(translation, value: Value, shift: Value) -> Value:
    test, form = translation.compared(ast.Eq(), value, value), value.type.register
    zero = translation.literal_as(0, value.type, True).text
    return translation.emit(value.type, f"select {test.type.register} {test.text}, {form} {value.text}, {form} {zero}")


@compiled_as(_unless_nan)
def unless_nan(value, shift):
    return np.where(value == value, value, value.dtype.type(0))


@compiled_as(lambda translation, value: value)
def itself(value):
    return value


def number(first: int):
    """What sums or products begin with, whatever comes first."""
    return compiled_as(lambda translation, value: translation.literal_as(first, value.type, True))(lambda value: first)


def _widest(translation, value: Value) -> Value:
    return translation.converted(value, float64, explicit=True) if value.type.kind == "f" else value


@compiled_as(_widest)
def widest(value):
    """Floats as float64."""
    return float64(value) if value.dtype.kind == "f" else value


def line_of(combine, prepare):
    """The function that combines elements one behind the other; in any lane it begins with what changes nothing."""

    @native(inlined=True)
    def line(source: pointer(T), many: int64, first: A, by: A) -> A:
        whole, shift, a = many // FOUR * FOUR, spread(by), spread(first)
        b, c, d = a, a, a
        for k in range(0, whole, FOUR):
            prefetch_lines(source, k, FOUR, AHEAD)
            a = combine(a, prepare(A(load(source, k)), shift))
            b = combine(b, prepare(A(load(source, k + LANES)), shift))
            c = combine(c, prepare(A(load(source, k + 2 * LANES)), shift))
            d = combine(d, prepare(A(load(source, k + 3 * LANES)), shift))
        for k in range(whole, many, LANES):
            now = prepare(A(load_some(source, k, 0, many - k)), shift)
            a = chosen(lanes_before(many - k), combine(a, now), a)
        if whole > 0:
            a = combine(combine(a, b), combine(c, d))
        return over_lanes(a, combine)

    return line


@native(inlined=True)
def place_of(row: int64, plan: pointer(int64)) -> int64:
    """Where a line or the first of some columns begins."""
    high = row // plan[INNER]
    return high * plan[OUTER_STEP] + (row - high * plan[INNER]) * plan[INNER_STEP]


def joining(combine):
    """The function that combines the results of parts, in the places from `begin` to `end`: of floats in float64."""

    @native(inlined=True)
    def joined(out: pointer(A), found: pointer(A), parts: int64, after: int64, begin: int64, end: int64):
        for k in range(begin, end, LANES):
            total = widest(load_some(found, k, 0, end - k))
            for part in range(1, parts):
                total = combine(total, widest(load_some(found, part * after + k, 0, end - k)))
            store_some(out, k, A(total), end - k)

    return joined


def lines(start, combine, prepare):
    """The kernel that combines the elements of lines, each prepared with the shift of its line."""
    line, joined = line_of(combine, prepare), joining(combine)

    @native(inlined=True)
    def blocks(found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, plan: pointer(int64),
               begin: int64, end: int64):  # fmt: skip
        length, parts, step, room = plan[LENGTH], plan[PARTS], plan[STEP], local(T, BLOCK)
        row = begin // parts
        part, low, place = begin - row * parts, row % plan[INNER], place_of(row, plan)
        for piece in range(begin, end):
            source, many = offset(array, place + part * BLOCK * step), min(BLOCK, length - part * BLOCK)
            if step != 1:
                together = max(0, many - 1) // LANES * LANES if step == 2 else 0
                for k in range(0, together, LANES):
                    store(room, k, even(load(source, 2 * k), load(source, 2 * k + LANES)))
                for k in range(together, many):
                    room[k] = source[k * step]
            near = source if step == 1 else room
            found[piece] = line(near, many, start(A(source[0])), shifts[row * shifted])
            part += 1
            if part == parts:
                row, part, low, place = row + 1, 0, low + 1, place + plan[INNER_STEP]
                if low == plan[INNER]:
                    low, place = 0, place_of(row, plan)

    # Extremes take several instructions for a vector, which are twice as many for halves.
    @native(light=True, halves=combine is plus)
    def of_lines(out: pointer(A), found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64,
                 plan: pointer(int64), grain: int64):  # fmt: skip
        before, length, parts = plan[BEFORE], plan[LENGTH], plan[PARTS]
        least = max(1, grain // min(length, BLOCK))
        parallel_for(blocks, before * parts, least, found, array, shifts, shifted, plan)
        if parts > 1:
            for block in range(before):
                joined(offset(out, block), offset(found, block * parts), parts, 1, 0, 1)

    return of_lines


def columns(start, combine, prepare):
    """The kernel that combines the elements of columns, each prepared with the shift of its column.

    If they are whole vectors they are carried along where they are to stand. If not, the last vector of a strip, and
    the last strip, begin so early that they are whole, in room of their own: what is found there twice is the same.
    """
    joined = joining(combine)

    @native(inlined=True)
    def strips(found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, plan: pointer(int64),
               begin: int64, end: int64):  # fmt: skip
        length, parts, step, after = plan[LENGTH], plan[PARTS], plan[STEP], plan[AFTER]
        width, many = plan[ACROSS], plan[STRIPS]
        room, piece, fits = local(A, WIDE), begin // many, after % LANES == 0
        strip, block = begin - piece * many, piece // parts
        part = piece - block * parts
        for _ in range(begin, end):
            left = min(strip * width, after - LANES)
            first, across = part * ROWS, min(width, after - left)
            rows, last = min(ROWS, length - first), across - LANES
            source = offset(array, place_of(block, plan) + first * step + left)
            to = offset(found, (block * parts + part) * after + left)
            shift, singles = offset(shifts, (block * after + left) * shifted), rows % AT_ONCE
            sums = to if fits else room
            for row in range(singles):
                single = offset(source, row * step)
                for k in range(0, across, LANES):
                    at = min(k, last)
                    now = A(load(single, at))
                    old = load(sums, k) if row > 0 else start(now)
                    store(sums, k, combine(old, prepare(now, load(shift, at * shifted))))
            for row in range(singles, rows, AT_ONCE):
                a = offset(source, row * step)
                b, c, d = offset(a, step), offset(a, 2 * step), offset(a, 3 * step)
                for k in range(0, across, LANES):
                    at = min(k, last)
                    by = load(shift, at * shifted)
                    now = A(load(a, at))
                    old = load(sums, k) if row > 0 else start(now)
                    two = combine(prepare(now, by), prepare(A(load(b, at)), by))
                    others = combine(prepare(A(load(c, at)), by), prepare(A(load(d, at)), by))
                    store(sums, k, combine(old, combine(two, others)))
            if not fits:
                for k in range(0, across, LANES):
                    store(to, min(k, last), load(sums, k))
            strip += 1
            if strip == many:
                strip, part = 0, part + 1
            if part == parts:
                block, part = block + 1, 0

    @native(light=True)
    def of_columns(out: pointer(A), found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64,
                   plan: pointer(int64), grain: int64):  # fmt: skip
        parts, after = plan[PARTS], plan[AFTER]
        least = max(1, grain // (min(plan[LENGTH], ROWS) * min(after, plan[ACROSS])))
        parallel_for(strips, plan[BEFORE] * parts * plan[STRIPS], least, found, array, shifts, shifted, plan)
        if parts > 1:
            for block in range(plan[BEFORE]):
                source, to = offset(found, block * parts * after), offset(out, block * after)
                parallel_for(joined, after, max(FOUR, grain // parts), to, source, parts, after)

    return of_columns


def few_columns(start, combine, prepare):
    """The same of columns that may be fewer than a vector has lanes, of which the others stand for nothing."""
    joined = joining(combine)

    @native(inlined=True)
    def blocks(found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, plan: pointer(int64),
               begin: int64, end: int64):  # fmt: skip
        parts, step, after = plan[PARTS], plan[STEP], plan[AFTER]
        for piece in range(begin, end):
            block = piece // parts
            part = piece - block * parts
            first, rows = place_of(block, plan) + part * ROWS * step, min(ROWS, plan[LENGTH] - part * ROWS)
            for left in range(0, after, LANES):
                some, source = after - left, offset(array, first + left)
                by = load_some(shifts, (block * after + left) * shifted, 0, some)
                a = start(A(load_some(source, 0, 0, some)))
                b, c, d, whole = a, a, a, rows // AT_ONCE * AT_ONCE
                for row in range(0, whole, AT_ONCE):
                    a = combine(a, prepare(A(load_some(source, row * step, 0, some)), by))
                    b = combine(b, prepare(A(load_some(source, (row + 1) * step, 0, some)), by))
                    c = combine(c, prepare(A(load_some(source, (row + 2) * step, 0, some)), by))
                    d = combine(d, prepare(A(load_some(source, (row + 3) * step, 0, some)), by))
                for row in range(whole, rows):
                    a = combine(a, prepare(A(load_some(source, row * step, 0, some)), by))
                if whole > 0:
                    a = combine(combine(a, b), combine(c, d))
                store_some(found, piece * after + left, a, some)

    @native(light=True)
    def of_few(out: pointer(A), found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64,
               plan: pointer(int64), grain: int64):  # fmt: skip
        parts, after = plan[PARTS], plan[AFTER]
        least = max(1, grain // (min(plan[LENGTH], ROWS) * LANES))
        parallel_for(blocks, plan[BEFORE] * parts, least, found, array, shifts, shifted, plan)
        if parts > 1:
            for block in range(plan[BEFORE]):
                joined(offset(out, block * after), offset(found, block * parts * after), parts, after, 0, after)

    return of_few


def short_rows(start, combine, prepare):
    """The same of rows that lie one behind the other, and are so short that a vector has several whole ones."""
    joined = joining(combine)

    @native(inlined=True)
    def blocks(found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, plan: pointer(int64),
               begin: int64, end: int64):  # fmt: skip
        length, parts, after, room, by = plan[LENGTH], plan[PARTS], plan[AFTER], local(A, LANES), local(A, LANES)
        longest = BLOCK // after
        for piece in range(begin, end):
            block = piece // parts
            part = piece - block * parts
            source = offset(array, place_of(block, plan) + part * BLOCK)
            column = 0
            for k in range(LANES):
                room[k], by[k] = A(source[column]), shifts[(block * after + column) * shifted]
                column = column + 1 if column + 1 < after else 0
            many, shift, a = min(longest, length - part * longest) * after, load(by, 0), start(load(room, 0))
            b, c, d, whole = a, a, a, many // FOUR * FOUR
            for k in range(0, whole, FOUR):
                a = combine(a, prepare(A(load(source, k)), shift))
                b = combine(b, prepare(A(load(source, k + LANES)), shift))
                c = combine(c, prepare(A(load(source, k + 2 * LANES)), shift))
                d = combine(d, prepare(A(load(source, k + 3 * LANES)), shift))
            for k in range(whole, many, LANES):
                now = prepare(A(load_some(source, k, 0, many - k)), shift)
                a = chosen(lanes_before(many - k), combine(a, now), a)
            if whole > 0:
                a = combine(combine(a, b), combine(c, d))
            store(room, 0, a)
            total, place = load_some(room, 0, 0, after), after
            while place < LANES:
                total = combine(total, load_some(room, place, 0, after))
                place += after
            store_some(found, piece * after, total, after)

    @native(light=True)
    def of_short_rows(out: pointer(A), found: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64,
                      plan: pointer(int64), grain: int64):  # fmt: skip
        parts, after = plan[PARTS], plan[AFTER]
        least = max(1, grain // min(plan[LENGTH] * after, BLOCK))
        parallel_for(blocks, plan[BEFORE] * parts, least, found, array, shifts, shifted, plan)
        if parts > 1:
            for block in range(plan[BEFORE]):
                joined(offset(out, block * after), offset(found, block * parts * after), parts, after, 0, after)

    return of_short_rows


def reduction(start, combine, prepare):
    """The kernels of lines, of columns, of few columns and of short rows."""
    return tuple(kernel(start, combine, prepare) for kernel in (lines, columns, few_columns, short_rows))


REDUCTIONS = {
    "sum": reduction(number(0), plus, plain),
    "product": reduction(number(1), times, plain),
    "amax": reduction(itself, larger, plain),
    "amin": reduction(itself, smaller, plain),
    "squares": reduction(number(0), plus, squared),
    "numbers": reduction(number(0), plus, unless_nan),
}
LATER = {"squares": "sum", "numbers": "sum"}  # what the results of a first stage are to be joined by
ORDERED = {each.numpy for each in (float32, float64, int64, int32, int16, int8, uint8)}


class Recipe(NamedTuple):
    """What `along` is told of a reduction of arrays of a dtype; kernels are compiled when there is something for them.

    `along` is the function that Python calls; it has kernels from `words`, by address.
    """

    along: Callable
    words: np.ndarray
    kernels: tuple[Native, ...]
    types: tuple[Type, Type]

    def compiles(self, kind: int) -> bool:
        """Compiles the kernel of that kind; False if it is there already."""
        if self.words[kind]:
            return False
        self.words[kind] = self.kernels[kind].address(*self.types)
        return True


@lru_cache(maxsize=256)
def recipe(name: str, given: np.dtype, wide: np.dtype | None) -> Recipe | None:
    """For arrays of that dtype, computed in another if that is given; None where there is no kernel."""
    kind, computed = OF_NUMPY.get(given), OF_NUMPY.get(given if wide is None else wide)
    if kind is None or computed is None:
        return None
    words = np.array([0, 0, 0, 0, given.num, computed.numpy.num, computed.numpy.itemsize, GRAIN])
    return Recipe(along.machine(), words, REDUCTIONS[name], (computed, kind))


def in_order(array) -> bool:
    """Whether elements lie one behind the other where their dtype wants them."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned and array.ndim > 0


def reduced(name: str, array, axes, keepdims: bool, wide: np.dtype | None = None, shift=None):
    """The reduction of that name, in the dtype `wide`; None where there is no kernel."""
    if type(array) is not np.ndarray or array.size < SPREAD:
        return None
    known = recipe(name, array.dtype, wide)
    if known is None:
        return None
    first, last = (axes, axes) if type(axes) is int else ends(axes, array.ndim)
    shifts = None if shift is None else packed(shift)
    found = known.along(array, first, last, keepdims, known.words, shifts)
    if found is not None:
        return found
    if name in ONCE and 0 in array.strides:
        found = of_repeated(name, array, axes, keepdims, wide)
        if found is not None:
            return found
    stages = staged(array.shape, array.strides, axes, keepdims, array.itemsize) if array.flags.aligned else None
    if stages is None or (shift is not None and stages.shifts is None):
        copy = copied(array) if LAID <= array.size <= MOST and not array.flags.c_contiguous else None
        return None if copy is None else reduced(name, copy, axes, keepdims, wide, shift)
    if len(stages.plans) == 1 and in_order(array) and known.compiles(stages.plans[0, KIND]):
        return known.along(array, first, last, keepdims, known.words, shifts)
    return in_stages(name, known, array, stages, shift)


def in_stages(name: str, known: Recipe, array, stages: Stages, shift):
    """The reduction of an array as it lies; what is subtracted is subtracted in the first stage."""
    kind = known.types[0].numpy
    out, room = np.empty(stages.results, kind), np.empty(stages.room, kind)
    later, shifts = recipe(LATER.get(name, name), kind, None), None
    if shift is not None:
        shape, order = stages.shifts
        shifts = packed(np.broadcast_to(shift, shape).transpose(order))
    call, given = in_turn.machine(), (array, out, room, stages.plans, known.words, later.words, shifts)
    if call(*given) is None:
        for at, plan in enumerate(stages.plans):
            (later if at else known).compiles(plan[KIND])
        if call(*given) is None:
            return None
    return stages.finished(out)


# A product is not among them: float32 does not know whether more than 2**24 is even.
ONCE = {"sum": np.add, "amax": np.maximum, "amin": np.minimum}


def of_repeated(name: str, array, axes, keepdims: bool, wide: np.dtype | None):
    """The reduction of what repeats itself along some axes: of it once, a sum as often; None where nothing does.

    Such is the gradient of a sum, which is summed again for whatever has been broadcast.
    """
    steps, shape = array.strides, array.shape
    whole = range(array.ndim) if axes is None else [each % array.ndim for each in as_tuple(axes)]
    repeated = [each for each in whole if not steps[each] and shape[each] > 1]
    if not repeated:
        return None
    once = array[tuple([slice(1) if each in repeated else slice(None) for each in range(array.ndim)])]
    found = reduced(name, once, axes, keepdims, wide)
    if found is None:
        found = ONCE[name].reduce(once if wide is None else once.astype(wide), axes, keepdims=keepdims, out=...)
    return np.multiply(found, math.prod([shape[each] for each in repeated]), out=...) if name == "sum" else found


FLOATS = {np.dtype(np.float32), np.dtype(np.float64)}
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)


def total_of_pairs(array, axes, keepdims: bool):
    """The sum of complex numbers: of pairs of floats, with the axis of a pair behind all others."""
    whole = range(array.ndim) if axes is None else [each % array.ndim for each in as_tuple(axes)]
    found = reduced("sum", array[..., None].view(array.real.dtype), tuple(whole), keepdims)
    return None if found is None else found.view(array.dtype)[..., 0]


@kernel_of("total", least=REDUCED)
def total(array, axes=None, dtype=None, keepdims=False):
    given = array.dtype
    if given in FLOATS and (dtype is None or dtype == given):
        return reduced("sum", array, axes, keepdims)
    if given.kind == "c" and (dtype is None or dtype == given) and type(array) is np.ndarray and array.ndim:
        return total_of_pairs(array, axes, keepdims)
    if dtype == INT64 and given.kind in "iub":
        return reduced("sum", array, axes, keepdims, INT64)
    return None


@kernel_of("total_of_any", least=REDUCED)
def total_of_any(array, axes, dtype, keepdims):
    if dtype is not None or array.itemsize != 2 or array.dtype.kind not in "fV":
        return None
    found = reduced("sum", array, axes, keepdims, FLOAT32)
    return None if found is None else found.astype(array.dtype)


@kernel_of("total_of_numbers", least=REDUCED)
def total_of_numbers(array, axes, dtype, keepdims):
    return reduced("numbers", array, axes, keepdims) if array.dtype in FLOATS and dtype == array.dtype else None


@kernel_of("product", least=REDUCED)
def product(array, axes, dtype, keepdims):
    if array.dtype not in FLOATS or (dtype is not None and dtype != array.dtype):
        return None
    return reduced("product", array, axes, keepdims)


@kernel_of("mean", least=REDUCED)
def mean(array, axes=None, dtype=None, keepdims=False):
    found = total(array, axes, dtype, keepdims) if array.dtype.kind in "fc" else None
    return None if found is None else np.divide(found, array.size / found.size, out=found)


@kernel_of("variance", least=SPREAD)
def variance(array, axes, correction, keepdims):
    middle = mean(array, axes, None, True)
    if middle is None:
        return None
    found = reduced("squares", array, axes, keepdims, shift=middle)
    if found is None:
        return None
    count = array.size // middle.size
    np.divide(found, max(count - correction, 0), out=found)
    return found, middle if keepdims else middle.reshape(found.shape)


@kernel_of("total_of_squares", least=REDUCED)
def total_of_squares(array, axes, keepdims):
    if array.dtype not in FLOATS or (axes is None and not keepdims and array.flags.c_contiguous):
        return None  # of a whole array BLAS does it as fast
    return reduced("squares", array, axes, keepdims)


def extreme_of(name: str):
    def function(array, axis=None, dtype=None, out=None, keepdims=False):
        if dtype is not None or out is not None or array.dtype not in ORDERED:
            return None
        return reduced(name, array, axis, keepdims)

    return function


kernel_of("amax", least=REDUCED)(extreme_of("amax"))
kernel_of("amin", least=REDUCED)(extreme_of("amin"))
