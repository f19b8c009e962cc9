"""What Python calls to reduce an array along axes: builtin functions for all kernels of `reduce.py`.

For an array in C order `along` reads it, says how it is cut into parts, makes the result and calls the kernel by its
address; `in_turn` calls several by plans that are made beforehand. The steps of Python that this takes would be longer
than the work on some thousand numbers.
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

# How arrays are cut. What has several parts is joined in float64: no sum loses more digits than a part's.
BLOCK = LANES << 8  # so that each lane of four vectors adds up as many everywhere
ROWS = 128  # lines that are added up before they are added to the others
WIDE = 1 << 11  # columns of a piece, at most: what is carried along stays in the first cache beside the lines
NARROW = 16  # fewer columns than a vector may have lanes
MANY = 1 << 9  # numbers of rows of which a vector has several, for which that is worth taking its lanes apart
DIMENSIONS = 64

# What a recipe says: addresses of the kernels of lines, of columns, of few columns and of short rows, NumPy's numbers
# of the dtypes that are given and found, the bytes of a number that is found, and how many numbers are worth a thread.
LINES, COLUMNS, FEW, SHORT, GIVEN, FOUND, WIDTH, GRAIN = range(8)
# What a kernel is told: the elements before and along the axes, the parts of these, elements after; of columns also how
# many go together, and how many such strips there are. How the array lies: from one element along the axes to the next
# it is STEP, of those before the axes INNER lie INNER_STEP apart, and as many again OUTER_STEP. KIND says which kernel.
BEFORE, LENGTH, PARTS, AFTER, ACROSS, STRIPS, STEP, INNER, INNER_STEP, OUTER_STEP, KIND = range(11)
WORDS = 11

Values = pointer(int64)  # whatever they are
ZEROS = np.zeros(16)  # what a vector of any dtype is shifted by
NO_SHIFTS = Imported("no_shifts", Values, lambda: ZEROS.ctypes.data)
Kernel = function(Values, Values, Values, Values, int64, pointer(int64), int64)


@native(of_objects=True, light=True)
def along(self: Object, given: pointer(Object), count: int64) -> Object:
    """`along(array, first, last, keepdims, words, shifts)`: the reduction along all axes from the first to the last.

    `words` are the recipe's, as an array; of each line or column, `shifts` has a number, or is None. None where the
    array is not in C order or of another dtype, there is nothing to combine, or there is no kernel.
    """
    array, words, shifts, nothing = given[0], pointer(int64)(given[4][DATA]), given[5], NONE
    plan = local(int64, WORDS)
    add_reference, drop_reference, number_of = ADD_REFERENCE, DROP_REFERENCE, NUMBER_OF
    if is_in_order(array, words):
        rank = int64(pointer(int32)(array)[2 * RANK])
        first, last = number_of(given[1]), number_of(given[2])
        first, last = first + (rank if first < 0 else 0), last + (rank if last < 0 else 0)
        cut(array, rank, first, last, plan)
        address = words[plan[KIND]]
        if plan[LENGTH] > 1 and address != 0:
            out = empty(array, rank, first, last, given[3], words[FOUND])
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
def in_turn(self: Object, given: pointer(Object), count: int64) -> Object:
    """`in_turn(array, out, room, plans, words, later, shifts)`: one reduction after the other, each of what the one
    before it left in `room`, the last one in `out`; those from the second on are of the recipe `later`.

    Gives None if one of the kernels is not there, or no room for the results of its parts, else True.
    """
    source, to, room, plans = Values(given[0][DATA]), Values(given[1][DATA]), given[2][DATA], Values(given[3][DATA])
    words, later, shifts, nothing, true = Values(given[4][DATA]), Values(given[5][DATA]), given[6], NONE, TRUE
    many, add_reference, shifted, by = Object(given[3][SIZES])[0], ADD_REFERENCE, 0, NO_SHIFTS
    if int64(shifts) != int64(nothing):
        shifted, by = 1, Values(shifts[DATA])
    done = True
    for at in range(many):
        plan = offset(plans, at * WORDS)
        target, address = to if at == many - 1 else Values(room), words[plan[KIND]]
        done = done and address != 0
        if done:
            done = run(Kernel(address), target, source, by, shifted, plan, words)
        room += plan[BEFORE] * plan[AFTER] * words[WIDTH]
        source, words, shifted, by = target, later, 0, NO_SHIFTS
    answer = true if done else nothing
    add_reference(answer)
    return answer


@native(inlined=True)
def is_in_order(array: Object, words: pointer(int64)) -> boolean:
    """Whether it is an array with dimensions, of the dtype that the kernel is for, without gaps and aligned."""
    arrays = ARRAY
    if array[CLASS] != int64(arrays) or pointer(int32)(array)[2 * RANK] == 0:
        return False
    return is_readable(array, words[GIVEN]) and flags_of(array) & IN_ORDER != 0


@native(inlined=True)
def cut(array: Object, rank: int64, first: int64, last: int64, plan: pointer(int64)):
    """Says how it is cut along the axes from the first to the last."""
    before, length, after, sizes = int64(1), int64(1), int64(1), Object(array[SIZES])
    for at in range(rank):
        if at < first:
            before *= sizes[at]
        elif at <= last:
            length *= sizes[at]
        else:
            after *= sizes[at]
    complete(before, length, after, after, plan)
    plan[STEP], plan[INNER], plan[INNER_STEP], plan[OUTER_STEP] = after, before, length * after, 0


@native(inlined=True)
def complete(before: int64, length: int64, after: int64, step: int64, plan: pointer(int64)):
    """Says which kernel takes it, and into how many parts and strips it is cut for that."""
    kind, longest = LINES, BLOCK
    if after != 1:
        kind, longest = COLUMNS if after >= NARROW else FEW, ROWS
        if after < NARROW and step == after and LANES % after == 0 and length * after >= MANY:
            kind, longest = SHORT, BLOCK // after
    strips = max(1, (after + WIDE - 1) // WIDE)
    across = max(16, ((after + strips - 1) // strips + 15) // 16 * 16)  # whole lines of the cache, each one thread's
    plan[BEFORE], plan[LENGTH], plan[PARTS], plan[KIND] = before, length, (length + longest - 1) // longest, kind
    plan[AFTER], plan[ACROSS], plan[STRIPS] = after, across, (after + across - 1) // across


def plan_of(outer: tuple[int, int], inner: tuple[int, int], axis: tuple[int, int], after: int) -> np.ndarray:
    """What a kernel is told of an array of such (length, step), two before the axis, and neighbours after it."""
    plan = np.zeros(WORDS, np.int64)
    complete(outer[0] * inner[0], axis[0], after, axis[1], plan)
    plan[[STEP, INNER, INNER_STEP, OUTER_STEP]] = axis[1], *inner, outer[1]
    return plan


@native(inlined=True)
def empty(array: Object, rank: int64, first: int64, last: int64, keepdims: Object, kind: int64) -> Object:
    """The array for the result."""
    arrays, make_array, nothing, true = ARRAY, MAKE_ARRAY, Object(0), TRUE
    sizes, shape, left = Object(array[SIZES]), local(int64, DIMENSIONS), int64(0)
    for at in range(rank):
        if at < first or at > last:
            shape[left] = sizes[at]
            left += 1
        elif int64(keepdims) == int64(true):
            shape[left] = 1
            left += 1
    return make_array(arrays, int32(left), shape, int32(kind), nothing, nothing, 0, 0, nothing)


@native(inlined=True)
def run(kernel: Kernel, out: Values, array: Values, shifts: Values, shifted: int64, plan: pointer(int64),
        words: pointer(int64)) -> boolean:  # fmt: skip
    """Calls the kernel, if there is room for the results of parts; long work does not keep the interpreter."""
    found, results = out, plan[BEFORE] * plan[AFTER]
    allocate, release, save_thread, restore_thread = ALLOCATE, RELEASE, SAVE_THREAD, RESTORE_THREAD
    if plan[PARTS] > 1:
        found = Values(allocate(results * plan[PARTS] * words[WIDTH]))
        if int64(found) == 0:
            return False
    if results * plan[LENGTH] <= words[GRAIN]:
        kernel(out, found, array, shifts, shifted, plan, words[GRAIN])
    else:
        thread = save_thread()
        kernel(out, found, array, shifts, shifted, plan, words[GRAIN])
        restore_thread(thread)
    if plan[PARTS] > 1:
        release(pointer(void)(found))
    return True
