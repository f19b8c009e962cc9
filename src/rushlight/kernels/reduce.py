"""Reductions over adjacent axes: an array (before, length, after) becomes (before, after).

Contiguous elements are reduced in vectors, in blocks of at most BLOCK elements whose results are joined in float64, so
that rounding errors are those of a block. Across rows, columns are accumulated in place. Blocks depend on shapes only,
so results do not depend on the number of threads. Parallel over blocks or strips of columns.

Most hardware prefetchers stop at page borders, and do not run far enough ahead for one core to use the bandwidth of the
last cache: kernels prefetch each line. On Zen 4 only the next lines are prefetched, and loads are half vectors: 16 MB
are summed in a tenth less time than with whole vectors and no prefetch.
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
    reduce_along,
    run_stages,
)
from rushlight.kernels.vectors import (
    LANES,
    even,
    lanes_before,
    load,
    load_some,
    prefetch_lines,
    reduce_lanes,
    select,
    splat,
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
A = Element("A")  # the dtype of the computation

AT_ONCE = 4  # rows per step: the hardware prefetches each, and accumulators are touched less often
FOUR = 4 * LANES  # elements per step of a row: four independent accumulators
AHEAD = ahead(1 << 14)  # bytes: a third to a half of the first cache


# Building blocks of the kernels, for scalars and vectors.
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
    """Returns the start value of sums or products."""
    return compiled_as(lambda translation, value: translation.literal_as(first, value.type, True))(lambda value: first)


def _widest(translation, value: Value) -> Value:
    return translation.converted(value, float64, explicit=True) if value.type.kind == "f" else value


@compiled_as(_widest)
def widest(value):
    """Returns floats as float64."""
    return float64(value) if value.dtype.kind == "f" else value


def line_of(combine, prepare):
    """Returns the function that combines contiguous elements; all lanes begin with the neutral element."""

    @native(inlined=True)
    def line(source: pointer(T), many: int64, first: A, by: A) -> A:
        whole, shift, a = many // FOUR * FOUR, splat(by), splat(first)
        b, c, d = a, a, a
        for k in range(0, whole, FOUR):
            prefetch_lines(source, k, FOUR, AHEAD)
            a = combine(a, prepare(A(load(source, k)), shift))
            b = combine(b, prepare(A(load(source, k + LANES)), shift))
            c = combine(c, prepare(A(load(source, k + 2 * LANES)), shift))
            d = combine(d, prepare(A(load(source, k + 3 * LANES)), shift))
        for k in range(whole, many, LANES):
            values = prepare(A(load_some(source, k, 0, many - k)), shift)
            a = select(lanes_before(many - k), combine(a, values), a)
        if whole > 0:
            a = combine(combine(a, b), combine(c, d))
        return reduce_lanes(a, combine)

    return line


@native(inlined=True)
def row_offset(row: int64, plan: pointer(int64)) -> int64:
    """Returns the offset of a row, or of the first of some columns."""
    high = row // plan[INNER]
    return high * plan[OUTER_STEP] + (row - high * plan[INNER]) * plan[INNER_STEP]


def joining(combine):
    """Returns the function that combines the results of parts, positions [begin, end); floats in float64."""

    @native(inlined=True)
    def joined(out: pointer(A), partial: pointer(A), parts: int64, after: int64, begin: int64, end: int64):
        for k in range(begin, end, LANES):
            total = widest(load_some(partial, k, 0, end - k))
            for part in range(1, parts):
                total = combine(total, widest(load_some(partial, part * after + k, 0, end - k)))
            store_some(out, k, A(total), end - k)

    return joined


def lines(start, combine, prepare):
    """Returns the kernel that reduces rows; each element is prepared with the shift of its row."""
    line, joined = line_of(combine, prepare), joining(combine)

    @native(inlined=True)
    def blocks(partial: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, plan: pointer(int64),
               begin: int64, end: int64):  # fmt: skip
        length, parts, step, buffer = plan[LENGTH], plan[PARTS], plan[STEP], local(T, BLOCK)
        row = begin // parts
        part, inner_index, row_start = begin - row * parts, row % plan[INNER], row_offset(row, plan)
        for index in range(begin, end):
            source, many = offset(array, row_start + part * BLOCK * step), min(BLOCK, length - part * BLOCK)
            if step != 1:
                together = max(0, many - 1) // LANES * LANES if step == 2 else 0
                for k in range(0, together, LANES):
                    store(buffer, k, even(load(source, 2 * k), load(source, 2 * k + LANES)))
                for k in range(together, many):
                    buffer[k] = source[k * step]
            contiguous = source if step == 1 else buffer
            partial[index] = line(contiguous, many, start(A(source[0])), shifts[row * shifted])
            part += 1
            if part == parts:
                row, part, inner_index, row_start = row + 1, 0, inner_index + 1, row_start + plan[INNER_STEP]
                if inner_index == plan[INNER]:
                    inner_index, row_start = 0, row_offset(row, plan)

    # Extremes take several instructions per vector, twice as many for half vectors.
    @native(light=True, halves=combine is plus)
    def of_lines(out: pointer(A), partial: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64,
                 plan: pointer(int64), grain: int64):  # fmt: skip
        before, length, parts = plan[BEFORE], plan[LENGTH], plan[PARTS]
        least = max(1, grain // min(length, BLOCK))
        parallel_for(blocks, before * parts, least, partial, array, shifts, shifted, plan)
        if parts > 1:
            for block in range(before):
                joined(offset(out, block), offset(partial, block * parts), parts, 1, 0, 1)

    return of_lines


def columns(start, combine, prepare):
    """Returns the kernel that reduces columns; each element is prepared with the shift of its column.

    Whole vectors accumulate in the result. Otherwise the last vector of a strip, and the last strip, begin early so
    that they are whole, in a buffer: overlapping columns get the same value.
    """
    joined = joining(combine)

    @native(inlined=True)
    def strips(partial: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, plan: pointer(int64),
               begin: int64, end: int64):  # fmt: skip
        length, parts, step, after = plan[LENGTH], plan[PARTS], plan[STEP], plan[AFTER]
        width, many = plan[ACROSS], plan[STRIPS]
        buffer, piece, whole = local(A, WIDE), begin // many, after % LANES == 0
        strip, block = begin - piece * many, piece // parts
        part = piece - block * parts
        for _ in range(begin, end):
            left = min(strip * width, after - LANES)
            first, across = part * ROWS, min(width, after - left)
            rows, last = min(ROWS, length - first), across - LANES
            source = offset(array, row_offset(block, plan) + first * step + left)
            to = offset(partial, (block * parts + part) * after + left)
            shift, single_rows = offset(shifts, (block * after + left) * shifted), rows % AT_ONCE
            sums = to if whole else buffer
            for row in range(single_rows):
                single = offset(source, row * step)
                for k in range(0, across, LANES):
                    at = min(k, last)
                    values = A(load(single, at))
                    old = load(sums, k) if row > 0 else start(values)
                    store(sums, k, combine(old, prepare(values, load(shift, at * shifted))))
            for row in range(single_rows, rows, AT_ONCE):
                a = offset(source, row * step)
                b, c, d = offset(a, step), offset(a, 2 * step), offset(a, 3 * step)
                for k in range(0, across, LANES):
                    at = min(k, last)
                    by = load(shift, at * shifted)
                    values = A(load(a, at))
                    old = load(sums, k) if row > 0 else start(values)
                    two = combine(prepare(values, by), prepare(A(load(b, at)), by))
                    others = combine(prepare(A(load(c, at)), by), prepare(A(load(d, at)), by))
                    store(sums, k, combine(old, combine(two, others)))
            if not whole:
                for k in range(0, across, LANES):
                    store(to, min(k, last), load(sums, k))
            strip += 1
            if strip == many:
                strip, part = 0, part + 1
            if part == parts:
                block, part = block + 1, 0

    @native(light=True)
    def of_columns(out: pointer(A), partial: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64,
                   plan: pointer(int64), grain: int64):  # fmt: skip
        parts, after = plan[PARTS], plan[AFTER]
        least = max(1, grain // (min(plan[LENGTH], ROWS) * min(after, plan[ACROSS])))
        parallel_for(strips, plan[BEFORE] * parts * plan[STRIPS], least, partial, array, shifts, shifted, plan)
        if parts > 1:
            for block in range(plan[BEFORE]):
                source, to = offset(partial, block * parts * after), offset(out, block * after)
                parallel_for(joined, after, max(FOUR, grain // parts), to, source, parts, after)

    return of_columns


def few_columns(start, combine, prepare):
    """Returns the kernel for columns that may be fewer than a vector has lanes; the other lanes are unused."""
    joined = joining(combine)

    @native(inlined=True)
    def blocks(partial: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, plan: pointer(int64),
               begin: int64, end: int64):  # fmt: skip
        parts, step, after = plan[PARTS], plan[STEP], plan[AFTER]
        for piece in range(begin, end):
            block = piece // parts
            part = piece - block * parts
            first, rows = row_offset(block, plan) + part * ROWS * step, min(ROWS, plan[LENGTH] - part * ROWS)
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
                store_some(partial, piece * after + left, a, some)

    @native(light=True)
    def of_few(out: pointer(A), partial: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64,
               plan: pointer(int64), grain: int64):  # fmt: skip
        parts, after = plan[PARTS], plan[AFTER]
        least = max(1, grain // (min(plan[LENGTH], ROWS) * LANES))
        parallel_for(blocks, plan[BEFORE] * parts, least, partial, array, shifts, shifted, plan)
        if parts > 1:
            for block in range(plan[BEFORE]):
                joined(offset(out, block * after), offset(partial, block * parts * after), parts, after, 0, after)

    return of_few


def short_rows(start, combine, prepare):
    """Returns the kernel for contiguous rows so short that a vector holds several."""
    joined = joining(combine)

    @native(inlined=True)
    def blocks(partial: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64, plan: pointer(int64),
               begin: int64, end: int64):  # fmt: skip
        length, parts, after, buffer, by = plan[LENGTH], plan[PARTS], plan[AFTER], local(A, LANES), local(A, LANES)
        longest = BLOCK // after
        for piece in range(begin, end):
            block = piece // parts
            part = piece - block * parts
            source = offset(array, row_offset(block, plan) + part * BLOCK)
            column = 0
            for k in range(LANES):
                buffer[k], by[k] = A(source[column]), shifts[(block * after + column) * shifted]
                column = column + 1 if column + 1 < after else 0
            many, shift, a = min(longest, length - part * longest) * after, load(by, 0), start(load(buffer, 0))
            b, c, d, whole = a, a, a, many // FOUR * FOUR
            for k in range(0, whole, FOUR):
                a = combine(a, prepare(A(load(source, k)), shift))
                b = combine(b, prepare(A(load(source, k + LANES)), shift))
                c = combine(c, prepare(A(load(source, k + 2 * LANES)), shift))
                d = combine(d, prepare(A(load(source, k + 3 * LANES)), shift))
            for k in range(whole, many, LANES):
                values = prepare(A(load_some(source, k, 0, many - k)), shift)
                a = select(lanes_before(many - k), combine(a, values), a)
            if whole > 0:
                a = combine(combine(a, b), combine(c, d))
            store(buffer, 0, a)
            total, lane = load_some(buffer, 0, 0, after), after
            while lane < LANES:
                total = combine(total, load_some(buffer, lane, 0, after))
                lane += after
            store_some(partial, piece * after, total, after)

    @native(light=True)
    def of_short_rows(out: pointer(A), partial: pointer(A), array: pointer(T), shifts: pointer(A), shifted: int64,
                      plan: pointer(int64), grain: int64):  # fmt: skip
        parts, after = plan[PARTS], plan[AFTER]
        least = max(1, grain // min(plan[LENGTH] * after, BLOCK))
        parallel_for(blocks, plan[BEFORE] * parts, least, partial, array, shifts, shifted, plan)
        if parts > 1:
            for block in range(plan[BEFORE]):
                joined(offset(out, block * after), offset(partial, block * parts * after), parts, after, 0, after)

    return of_short_rows


def reduction(start, combine, prepare):
    """Returns the kernels for rows, columns, few columns and short rows."""
    return tuple(kernel(start, combine, prepare) for kernel in (lines, columns, few_columns, short_rows))


REDUCTIONS = {
    "sum": reduction(number(0), plus, plain),
    "product": reduction(number(1), times, plain),
    "amax": reduction(itself, larger, plain),
    "amin": reduction(itself, smaller, plain),
    "squares": reduction(number(0), plus, squared),
    "numbers": reduction(number(0), plus, unless_nan),
}
LATER = {"squares": "sum", "numbers": "sum"}  # how the results of a first stage are combined
ORDERED = {each.numpy for each in (float32, float64, int64, int32, int16, int8, uint8)}


class Recipe(NamedTuple):
    """The arguments of `reduce_along` for one reduction and dtype; kernels are compiled on first use.

    `reduce_along` is the function that Python calls; `words` hold the kernels' addresses.
    """

    reduce_along: Callable
    words: np.ndarray
    kernels: tuple[Native, ...]
    types: tuple[Type, Type]

    def compiles(self, kind: int) -> bool:
        """Compiles kernel `kind`; returns False if it is compiled already."""
        if self.words[kind]:
            return False
        self.words[kind] = self.kernels[kind].address(*self.types)
        return True


@lru_cache(maxsize=256)
def recipe(name: str, dtype: np.dtype, wide: np.dtype | None) -> Recipe | None:
    """Returns the recipe for arrays of a dtype, computed in `wide` if given; None if no kernel fits."""
    element, computed = OF_NUMPY.get(dtype), OF_NUMPY.get(dtype if wide is None else wide)
    if element is None or computed is None:
        return None
    words = np.array([0, 0, 0, 0, dtype.num, computed.numpy.num, computed.numpy.itemsize, GRAIN])
    return Recipe(reduce_along.machine(), words, REDUCTIONS[name], (computed, element))


def in_order(array) -> bool:
    """Returns whether the array is in C order and aligned."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned and array.ndim > 0


def reduced(name: str, array, axes, keepdims: bool, wide: np.dtype | None = None, shift=None):
    """Returns the named reduction, in dtype `wide`; None if no kernel fits."""
    if type(array) is not np.ndarray or array.size < SPREAD:
        return None
    plan = recipe(name, array.dtype, wide)
    if plan is None:
        return None
    first, last = (axes, axes) if type(axes) is int else ends(axes, array.ndim)
    shifts = None if shift is None else packed(shift)
    result = plan.reduce_along(array, first, last, keepdims, plan.words, shifts)
    if result is not None:
        return result
    if name in ONCE and 0 in array.strides:
        result = reduce_broadcast(name, array, axes, keepdims, wide)
        if result is not None:
            return result
    stages = staged(array.shape, array.strides, axes, keepdims, array.itemsize) if array.flags.aligned else None
    if stages is None or (shift is not None and stages.shifts is None):
        copy = copied(array) if LAID <= array.size <= MOST and not array.flags.c_contiguous else None
        return None if copy is None else reduced(name, copy, axes, keepdims, wide, shift)
    if len(stages.plans) == 1 and in_order(array) and plan.compiles(stages.plans[0, KIND]):
        return plan.reduce_along(array, first, last, keepdims, plan.words, shifts)
    return reduce_in_stages(name, plan, array, stages, shift)


def reduce_in_stages(name: str, first_recipe: Recipe, array, stages: Stages, shift):
    """Reduces a strided array in stages; the shift is subtracted in the first."""
    dtype = first_recipe.types[0].numpy
    out, buffer = np.empty(stages.results, dtype), np.empty(stages.room, dtype)
    later, shifts = recipe(LATER.get(name, name), dtype, None), None
    if shift is not None:
        shape, order = stages.shifts
        shifts = packed(np.broadcast_to(shift, shape).transpose(order))
    call, args = run_stages.machine(), (array, out, buffer, stages.plans, first_recipe.words, later.words, shifts)
    if call(*args) is None:
        for i, plan in enumerate(stages.plans):
            (later if i else first_recipe).compiles(plan[KIND])
        if call(*args) is None:
            return None
    return stages.finish(out)


# Not products: float32 cannot tell whether more than 2**24 is even.
ONCE = {"sum": np.add, "amax": np.maximum, "amin": np.minimum}


def reduce_broadcast(name: str, array, axes, keepdims: bool, wide: np.dtype | None):
    """Reduces an array that is broadcast along reduced axes: once, times the repetitions for sums; None if it is not.

    Such is the gradient of a sum, which is summed again for broadcast operands.
    """
    steps, shape = array.strides, array.shape
    reduced_axes = range(array.ndim) if axes is None else [axis % array.ndim for axis in as_tuple(axes)]
    repeated = [axis for axis in reduced_axes if not steps[axis] and shape[axis] > 1]
    if not repeated:
        return None
    once = array[tuple([slice(1) if axis in repeated else slice(None) for axis in range(array.ndim)])]
    result = reduced(name, once, axes, keepdims, wide)
    if result is None:
        result = ONCE[name].reduce(once if wide is None else once.astype(wide), axes, keepdims=keepdims, out=...)
    return np.multiply(result, math.prod([shape[axis] for axis in repeated]), out=...) if name == "sum" else result


FLOATS = {np.dtype(np.float32), np.dtype(np.float64)}
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)


def total_of_pairs(array, axes, keepdims: bool):
    """Returns the sum of complex numbers, as pairs of floats on a last axis."""
    reduced_axes = range(array.ndim) if axes is None else [axis % array.ndim for axis in as_tuple(axes)]
    result = reduced("sum", array[..., None].view(array.real.dtype), tuple(reduced_axes), keepdims)
    return None if result is None else result.view(array.dtype)[..., 0]


@kernel_of("total", least=REDUCED)
def total(array, axes=None, dtype=None, keepdims=False):
    given_dtype = array.dtype
    if given_dtype in FLOATS and (dtype is None or dtype == given_dtype):
        return reduced("sum", array, axes, keepdims)
    if given_dtype.kind == "c" and (dtype is None or dtype == given_dtype) and type(array) is np.ndarray and array.ndim:
        return total_of_pairs(array, axes, keepdims)
    if dtype == INT64 and given_dtype.kind in "iub":
        return reduced("sum", array, axes, keepdims, INT64)
    return None


@kernel_of("total_of_any", least=REDUCED)
def total_of_any(array, axes, dtype, keepdims):
    if dtype is not None or array.itemsize != 2 or array.dtype.kind not in "fV":
        return None
    result = reduced("sum", array, axes, keepdims, FLOAT32)
    return None if result is None else result.astype(array.dtype)


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
    result = total(array, axes, dtype, keepdims) if array.dtype.kind in "fc" else None
    return None if result is None else np.divide(result, array.size / result.size, out=result)


@kernel_of("variance", least=SPREAD)
def variance(array, axes, correction, keepdims):
    average = mean(array, axes, None, True)
    if average is None:
        return None
    squares = reduced("squares", array, axes, keepdims, shift=average)
    if squares is None:
        return None
    count = array.size // average.size
    np.divide(squares, max(count - correction, 0), out=squares)
    return squares, average if keepdims else average.reshape(squares.shape)


@kernel_of("total_of_squares", least=REDUCED)
def total_of_squares(array, axes, keepdims):
    if array.dtype not in FLOATS or (axes is None and not keepdims and array.flags.c_contiguous):
        return None  # for whole arrays BLAS is as fast
    return reduced("squares", array, axes, keepdims)


def extreme_of(name: str):
    def function(array, axis=None, dtype=None, out=None, keepdims=False):
        if dtype is not None or out is not None or array.dtype not in ORDERED:
            return None
        return reduced(name, array, axis, keepdims)

    return function


kernel_of("amax", least=REDUCED)(extreme_of("amax"))
kernel_of("amin", least=REDUCED)(extreme_of("amin"))
