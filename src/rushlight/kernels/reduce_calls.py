"""Builtin functions that Python calls to reduce an array along axes, for all kernels of `reduce.py`.

For a C-order array `reduce_along` reads it, plans the parts, allocates the result and calls the kernel by its address;
`run_stages` runs stages by ready plans. In Python these steps would take longer than some thousand elements.
"""

from __future__ import annotations

import numpy as np

from rushlight.kernels.vectors import LANES
from rushlight.lower.language import Imported, local, offset
from rushlight.lower.native import boolean, function, int32, int64, native, pointer, void
from rushlight.lower.objects import (
    ADD_REFERENCE,
    ALLOCATE,
    ARRAY,
    CLASS,
    DATA,
    DROP_REFERENCE,
    IN_ORDER,
    MAKE_ARRAY,
    NONE,
    NUMBER_OF,
    RANK,
    RELEASE,
    RESTORE_THREAD,
    SAVE_THREAD,
    SIZES,
    TRUE,
    Object,
    flags_of,
    is_readable,
)

# How arrays are split; parts are joined in float64, so that rounding errors are those of a part.
BLOCK = LANES << 8  # so that each lane of four vectors adds equally many
ROWS = 128  # rows that are summed before they are added to the others
WIDE = 1 << 11  # columns per strip, at most: accumulators stay in the first cache with the rows
NARROW = 16  # fewer columns than a vector may have lanes
MANY = 1 << 9  # elements for which several rows per vector pay off
DIMENSIONS = 64

# The words of a recipe: addresses of the kernels for rows, columns, few columns and short rows; NumPy's type numbers of
# operand and result; bytes of a result's element; elements per thread.
LINES, COLUMNS, FEW, SHORT, GIVEN, FOUND, WIDTH, GRAIN = range(8)
# The words of a plan: elements before and along the axes, their parts, elements after; for columns, the width and
# number of strips. Strides: STEP along the axes; INNER rows are INNER_STEP apart, groups of these OUTER_STEP. KIND is
# the kernel.
BEFORE, LENGTH, PARTS, AFTER, ACROSS, STRIPS, STEP, INNER, INNER_STEP, OUTER_STEP, KIND = range(11)
WORDS = 11

Values = pointer(int64)  # of any dtype
ZEROS = np.zeros(16)  # a zero shift for a vector of any dtype
NO_SHIFTS = Imported("no_shifts", Values, lambda: ZEROS.ctypes.data)
Kernel = function(Values, Values, Values, Values, int64, pointer(int64), int64)


@native(of_objects=True, light=True)
def reduce_along(self: Object, args: pointer(Object), count: int64) -> Object:
    """`along(array, first, last, keepdims, words, shifts)`: the reduction along axes first to last.

    `words` is the recipe's array; `shifts` has a value per row or column, or is None. Returns None if the array is not
    in C order or has another dtype, is empty along the axes, or has no kernel.
    """
    array, words, shifts, nothing = args[0], pointer(int64)(args[4][DATA]), args[5], NONE
    plan = local(int64, WORDS)
    add_reference, drop_reference, number_of = ADD_REFERENCE, DROP_REFERENCE, NUMBER_OF
    if is_in_order(array, words):
        rank = int64(pointer(int32)(array)[2 * RANK])
        first, last = number_of(args[1]), number_of(args[2])
        first, last = first + (rank if first < 0 else 0), last + (rank if last < 0 else 0)
        cut(array, rank, first, last, plan)
        address = words[plan[KIND]]
        if plan[LENGTH] > 1 and address != 0:
            out = empty(array, rank, first, last, args[3], words[FOUND])
            if int64(out) == 0:
                return out
            shifted, by = 0, NO_SHIFTS
            if int64(shifts) != int64(nothing):
                shifted, by = 1, Values(shifts[DATA])
            if run(Kernel(address), Values(out[DATA]), Values(array[DATA]), by, shifted, plan, words):
                return out
            drop_reference(out)
    add_reference(nothing)
    return nothing


@native(of_objects=True, light=True)
def run_stages(self: Object, args: pointer(Object), count: int64) -> Object:
    """`in_turn(array, out, buffer, plans, words, later, shifts)`: several stages; each reduces the previous result.

    Intermediate results are in `buffer`, the last in `out`; stages after the first use the recipe `later`. Returns None
    if a kernel is not compiled or memory is short, else True.
    """
    source, to, buffer, plans = Values(args[0][DATA]), Values(args[1][DATA]), args[2][DATA], Values(args[3][DATA])
    words, later, shifts, nothing, true = Values(args[4][DATA]), Values(args[5][DATA]), args[6], NONE, TRUE
    stages, add_reference, shifted, by = Object(args[3][SIZES])[0], ADD_REFERENCE, 0, NO_SHIFTS
    if int64(shifts) != int64(nothing):
        shifted, by = 1, Values(shifts[DATA])
    done = True
    for at in range(stages):
        plan = offset(plans, at * WORDS)
        target, address = to if at == stages - 1 else Values(buffer), words[plan[KIND]]
        done = done and address != 0
        if done:
            done = run(Kernel(address), target, source, by, shifted, plan, words)
        buffer += plan[BEFORE] * plan[AFTER] * words[WIDTH]
        source, words, shifted, by = target, later, 0, NO_SHIFTS
    answer = true if done else nothing
    add_reference(answer)
    return answer


@native(inlined=True)
def is_in_order(array: Object, words: pointer(int64)) -> boolean:
    """Returns whether it is an aligned C-order array of the kernel's dtype, not 0-d."""
    arrays = ARRAY
    if array[CLASS] != int64(arrays) or pointer(int32)(array)[2 * RANK] == 0:
        return False
    return is_readable(array, words[GIVEN]) and flags_of(array) & IN_ORDER != 0


@native(inlined=True)
def cut(array: Object, rank: int64, first: int64, last: int64, plan: pointer(int64)):
    """Plans the reduction along axes first to last."""
    before, length, after, sizes = int64(1), int64(1), int64(1), Object(array[SIZES])
    for axis in range(rank):
        if axis < first:
            before *= sizes[axis]
        elif axis <= last:
            length *= sizes[axis]
        else:
            after *= sizes[axis]
    complete(before, length, after, after, plan)
    plan[STEP], plan[INNER], plan[INNER_STEP], plan[OUTER_STEP] = after, before, length * after, 0


@native(inlined=True)
def complete(before: int64, length: int64, after: int64, step: int64, plan: pointer(int64)):
    """Chooses the kernel, its parts and strips."""
    kind, longest = LINES, BLOCK
    if after != 1:
        kind, longest = COLUMNS if after >= NARROW else FEW, ROWS
        if after < NARROW and step == after and LANES % after == 0 and length * after >= MANY:
            kind, longest = SHORT, BLOCK // after
    strips = max(1, (after + WIDE - 1) // WIDE)
    across = max(16, ((after + strips - 1) // strips + 15) // 16 * 16)  # whole cache lines, each written by one thread
    plan[BEFORE], plan[LENGTH], plan[PARTS], plan[KIND] = before, length, (length + longest - 1) // longest, kind
    plan[AFTER], plan[ACROSS], plan[STRIPS] = after, across, (after + across - 1) // across


def plan_of(outer: tuple[int, int], inner: tuple[int, int], axis: tuple[int, int], after: int) -> np.ndarray:
    """Returns the plan for two (length, stride) axes before the reduced one and adjacent elements after it."""
    plan = np.zeros(WORDS, np.int64)
    complete(outer[0] * inner[0], axis[0], after, axis[1], plan)
    plan[[STEP, INNER, INNER_STEP, OUTER_STEP]] = axis[1], *inner, outer[1]
    return plan


@native(inlined=True)
def empty(array: Object, rank: int64, first: int64, last: int64, keepdims: Object, dtype: int64) -> Object:
    """Allocates the result."""
    arrays, make_array, nothing, true = ARRAY, MAKE_ARRAY, Object(0), TRUE
    sizes, shape, rank_out = Object(array[SIZES]), local(int64, DIMENSIONS), int64(0)
    for axis in range(rank):
        if axis < first or axis > last:
            shape[rank_out] = sizes[axis]
            rank_out += 1
        elif int64(keepdims) == int64(true):
            shape[rank_out] = 1
            rank_out += 1
    return make_array(arrays, int32(rank_out), shape, int32(dtype), nothing, nothing, 0, 0, nothing)


@native(inlined=True)
def run(kernel: Kernel, out: Values, array: Values, shifts: Values, shifted: int64, plan: pointer(int64),
        words: pointer(int64)) -> boolean:  # fmt: skip
    """Calls the kernel, unless memory for partial results is short; long work releases the GIL."""
    partial, results = out, plan[BEFORE] * plan[AFTER]
    allocate, release, save_thread, restore_thread = ALLOCATE, RELEASE, SAVE_THREAD, RESTORE_THREAD
    if plan[PARTS] > 1:
        partial = Values(allocate(results * plan[PARTS] * words[WIDTH]))
        if int64(partial) == 0:
            return False
    if results * plan[LENGTH] <= words[GRAIN]:
        kernel(out, partial, array, shifts, shifted, plan, words[GRAIN])
    else:
        thread = save_thread()
        kernel(out, partial, array, shifts, shifted, plan, words[GRAIN])
        restore_thread(thread)
    if plan[PARTS] > 1:
        release(pointer(void)(partial))
    return True
