"""What Python calls for a ufunc of ours: operands of several shapes, or with gaps, go by without NumPy's iterator.

NumPy walks over such operands on one thread, and copies what is broadcast into a buffer before each run of its loop. A
ufunc has a function of its own that Python calls (Python/C API, "The Vectorcall Protocol"); ours asks whether operands
are large and uneven, and gives everything else to NumPy's. Then it makes the result, which
`broadcast_rows` fills.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

import numpy as np

from rushlight.core.policy import TURNED
from rushlight.kernels import loops, numpy_loops
from rushlight.kernels.broadcast_rows import DIMENSIONS, fill_rows
from rushlight.kernels.loops import ARRAYS, MOST, WIDTHS
from rushlight.kernels.operand_layout import in_one_order
from rushlight.lower.builtin_calls import HEAD
from rushlight.lower.language import Imported, local
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import boolean, function, int8, int32, int64, native, pointer, together
from rushlight.lower.objects import (
    ADD_REFERENCE,
    ARRAY,
    CLASS,
    DATA,
    IN_COLUMNS,
    IN_ORDER,
    MAKE_ARRAY,
    RANK,
    RESTORE_THREAD,
    SAVE_THREAD,
    SIZES,
    STRIDES,
    WRITEABLE,
    Object,
    address_of,
    flags_of,
    is_readable,
)

LEAST = 1 << 12  # elements of a result that are worth it
NARROW = 2  # elements of a row with fewer of which operands are NumPy's
EVEN, UNEVEN, DISORDERLY = range(3)  # how operands lie
COUNT = (1 << 62) - 1  # the bits of the number of arguments
MOST_BYTES = 16  # of an element

# Words of a ufunc, and halves of words (NumPy reference, "PyUFuncObject").
OPERANDS, RESULTS, COUNTED = (HEAD // 4 + at for at in (0, 1, 2))
FUNCTIONS, PASSED, TYPES = (HEAD // 8 + at for at in (2, 3, 6))
LOOPS = HEAD // 4 + 8
LENGTH = HEAD // 8  # the word of a tuple that has its length

Call = function(Object, pointer(Object), int64, Object, returns=Object)
ORIGINAL = Imported("rushlight_ufunc_call", Call, lambda: original())
RUN = Imported("rushlight_ufunc_run", Object, lambda: loops.run.address())
ELLIPSIS = Imported("rushlight_ellipsis", Object, lambda: id(...))
OUT = Imported("rushlight_out", Object, lambda: id(sys.intern("out")))  # as in every call that is written out
CALL_ANY = Imported(
    "call_any", function(Object, pointer(Object), int64, Object, returns=Object), address_of("PyObject_Vectorcall")
)
IN_ONE_ORDER = Imported("rushlight_in_one_order", Object, lambda: id(in_one_order))


@native(light=True)
def call(self: Object, given: pointer(Object), count: int64, names: Object) -> Object:
    """What stands in a ufunc."""
    ask, operands = ORIGINAL, int64(pointer(int32)(self)[OPERANDS])
    if (count & COUNT) == operands:
        how = standing(given, operands)
        if how == DISORDERLY and (int64(names) == 0 or names[LENGTH] == 1):
            return turned_round(self, given, operands, names)
        if how == UNEVEN:
            done = local(int64, 1)
            done[0] = 0
            found = spread_out(self, given, operands, names, done)
            if done[0] != 0:
                return found
    return ask(self, given, count, names)


@native(inlined=True)
def standing(given: pointer(Object), operands: int64) -> int64:
    """UNEVEN if all are arrays in rows, whose result may be large, and differ in shape or have gaps. DISORDERLY if one
    that is large is not in rows, unless all are alike and without gaps.

    Numbers, which are without dimensions, do not count.
    """
    arrays, first, uneven, most, largest = int64(ARRAY), given[0], False, int64(1), int64(0)
    disorderly, alike = False, True
    for i in range(operands):
        each, last, size = given[i], int64(0), int64(1)
        if each[CLASS] != arrays:
            return EVEN
        rank = pointer(int32)(each)[2 * RANK]
        if pointer(int32)(first)[2 * RANK] == 0:
            first = each
        if rank != 0:
            fits = rank == pointer(int32)(first)[2 * RANK]
            uneven = uneven or not fits or flags_of(each) & IN_ORDER == 0
            alike = alike and fits and flags_of(each) & IN_COLUMNS != 0
            for back in range(int64(rank)):
                at = int64(rank) - 1 - back
                length, step = Object(each[SIZES])[at], Object(each[STRIDES])[at]
                size *= length
                if length != 1 and step != 0:
                    disorderly = disorderly or step < last
                    last = step
                if fits and length != Object(first[SIZES])[at]:
                    uneven, alike = True, False
            most = min(most, LEAST) * size
            largest = max(largest, size)
    if disorderly:
        return DISORDERLY if largest >= TURNED and not alike else EVEN
    return UNEVEN if uneven and most >= LEAST else EVEN


@deferred
@native(cold=True)
def turned_round(self: Object, given: pointer(Object), operands: int64, names: Object) -> Object:
    """What Python's `in_one_order` gives, which asks with two names at least for what is NumPy's to do."""
    call_any, words = CALL_ANY, local(int64, MOST + 2)
    words[0] = int64(self)
    for i in range(operands + 1 if int64(names) != 0 else operands):
        words[i + 1] = int64(given[i])
    return call_any(IN_ONE_ORDER, pointer(Object)(words), operands + 1, names)


@native
def size_at(array: Object, rank: int64, at: int64) -> int64:
    """The size of a dimension counted in so many, to which missing ones come at the front."""
    place = at - (rank - int64(pointer(int32)(array)[2 * RANK]))
    if place < 0:
        return 1
    return Object(array[SIZES])[place]


@native
def step_at(array: Object, rank: int64, at: int64) -> int64:
    """By how many bytes one goes on along a dimension, 0 where it is broadcast."""
    place = at - (rank - int64(pointer(int32)(array)[2 * RANK]))
    if place < 0 or Object(array[SIZES])[place] == 1:
        return 0
    return Object(array[STRIDES])[place]


@native
def rank_of(given: pointer(Object), operands: int64) -> int64:
    rank = int64(0)
    for i in range(operands):
        rank = max(rank, int64(pointer(int32)(given[i])[2 * RANK]))
    return rank


@native
def elements(given: pointer(Object), operands: int64) -> int64:
    """How many elements the result has, if the shapes fit."""
    rank, total = rank_of(given, operands), int64(1)
    for at in range(rank):
        size = size_at(given[0], rank, at)
        for i in range(1, operands):
            other = size_at(given[i], rank, at)
            if size == 1:
                size = other
        total *= size
    return total


@deferred
@native(light=True)
def spread_out(self: Object, given: pointer(Object), operands: int64, names: Object,
               done: pointer(int64)) -> Object:  # fmt: skip
    """The result, and 1 in `done`, if this is for a loop of ours and large; a row of it at a time.

    `out=...`, by which even a number comes as an array, changes nothing here; an array to write to may be an operand.
    """
    number, target, asks_more = loop_of(self, given, operands), Object(0), False
    if int64(names) != 0:
        target, asks_more = given[operands], names[LENGTH] != 1 or int64(names[LENGTH + 1]) != int64(OUT)
        if int64(target) == int64(ELLIPSIS):
            target = Object(0)
        elif target[CLASS] != int64(ARRAY):
            asks_more = True
    if asks_more or number < 0 or elements(given, operands) < LEAST:
        return Object(0)
    kernel, rank = pointer(int64)(Object(self[PASSED])[number]), rank_of(given, operands)
    sizes, steps = local(int64, DIMENSIONS), local(int64, DIMENSIONS * MOST)
    if rank > DIMENSIONS or not lay_out(given, operands, rank, kernel, sizes, steps):
        return Object(0)
    shape = local(int64, DIMENSIONS)
    for at in range(rank):
        shape[at] = sizes[at]
    left = merged(sizes, steps, rank, kernel[ARRAYS])
    if sizes[left - 1] < NARROW:
        return Object(0)
    make_array, add_reference, arrays, nothing = MAKE_ARRAY, ADD_REFERENCE, ARRAY, Object(0)
    kinds, out = pointer(int8)(self[TYPES]), target
    kind = int32(kinds[number * (operands + 1) + operands])
    if int64(target) != 0:
        if not is_target(target, int64(kind), rank, shape, given, operands, kernel):
            return Object(0)
        done[0] = 1
        add_reference(target)
    else:
        done[0] = 1
        out = make_array(arrays, int32(rank), shape, kind, nothing, nothing, 0, 0, nothing)
        if int64(out) == 0:
            return out
    places = local(int64, MOST)
    for i in range(operands):
        places[i] = given[i][DATA]
    places[operands] = out[DATA]
    save_thread, restore_thread = SAVE_THREAD, RESTORE_THREAD
    thread = save_thread()
    fill_rows(places, steps, sizes, left, kernel)
    restore_thread(thread)
    return out


@native
def is_target(target: Object, kind: int64, rank: int64, shape: pointer(int64), given: pointer(Object), operands: int64,
              kernel: pointer(int64)) -> boolean:  # fmt: skip
    """Whether results can be written to an array: in rows, and each operand lies elsewhere or just where they do."""
    flags, width, size = flags_of(target), kernel[WIDTHS + operands], int64(1)
    if not is_readable(target, kind) or flags & IN_ORDER == 0 or flags & WRITEABLE == 0:
        return False
    if int64(pointer(int32)(target)[2 * RANK]) != rank:
        return False
    for at in range(rank):
        if Object(target[SIZES])[at] != shape[at]:
            return False
        size *= shape[at]
    for i in range(operands):
        each, items = given[i], int64(1)
        low, high = each[DATA], each[DATA] + MOST_BYTES
        for at in range(int64(pointer(int32)(each)[2 * RANK])):
            length, step = Object(each[SIZES])[at], Object(each[STRIDES])[at]
            items *= length
            low, high = low + min(int64(0), (length - 1) * step), high + max(int64(0), (length - 1) * step)
        same = each[DATA] == target[DATA] and items == size and kernel[WIDTHS + i] == width
        same = same and flags_of(each) & IN_ORDER != 0
        if low < target[DATA] + size * width and target[DATA] < high and not same:
            return False
    return True


@native
def loop_of(self: Object, given: pointer(Object), operands: int64) -> int64:
    """The number of the ufunc's loop for such arrays, if it is one of ours and has one result; else -1."""
    halves, run = pointer(int32)(self), int64(RUN)
    kinds, functions, all = pointer(int8)(self[TYPES]), Object(self[FUNCTIONS]), int64(halves[COUNTED])
    if halves[RESULTS] != 1:
        return -1
    for number in range(int64(halves[LOOPS])):
        fits = functions[number] == run
        for i in range(operands):
            if not is_readable(given[i], int64(kinds[number * all + i])):
                fits = False
        if fits:
            return number
    return -1


@native
def lay_out(given: pointer(Object), operands: int64, rank: int64, kernel: pointer(int64), sizes: pointer(int64),
            steps: pointer(int64)) -> boolean:  # fmt: skip
    """Writes down the sizes of the result and the steps of all; False if shapes do not fit."""
    step = kernel[WIDTHS + operands]
    for back in range(rank):
        at = rank - 1 - back
        size = int64(1)
        for i in range(operands):
            other = size_at(given[i], rank, at)
            if size == 1:
                size = other
            if other != size and other != 1:
                return False
        for i in range(operands):
            steps[at * MOST + i] = step_at(given[i], rank, at)
        sizes[at], steps[at * MOST + operands] = size, step
        step *= size
    return True


@native
def merged(sizes: pointer(int64), steps: pointer(int64), rank: int64, all: int64) -> int64:
    """Takes dimensions for one where all arrays go on from one to the next by one step; gives how many are left."""
    left = int64(0)
    for at in range(rank):
        if sizes[at] != 1 or at == rank - 1:
            joins = left > 0
            for i in range(all):
                if joins:
                    joins = steps[(left - 1) * MOST + i] == steps[at * MOST + i] * sizes[at]
            if joins:
                left -= 1
            sizes[left] = sizes[at] * (sizes[left] if joins else 1)
            for i in range(all):
                steps[left * MOST + i] = steps[at * MOST + i]
            left += 1
    return left


# ---- where it is put


@cache
def place() -> int:
    """How far behind the beginning of a ufunc the function lies that Python calls; 0 where there is none."""
    return ctypes.c_ssize_t.from_address(id(np.ufunc) + HEAD + 5 * ctypes.sizeof(ctypes.c_void_p)).value


@cache
def original() -> int:
    """NumPy's function for all ufuncs."""
    return ctypes.c_void_p.from_address(id(np.add) + place()).value or 0


@cache
def loop() -> int:
    """Where the loop is that NumPy calls; no ufunc is without what Python calls, which is compiled with it."""
    together(loops.run, numpy_loops.share, call, passes=call.passes, called=False)
    return loops.run.address()


def sharing_loop() -> int:
    """Where the loop is that NumPy calls for one of its own."""
    loop()
    return numpy_loops.share.address()


def attach(made: np.ufunc) -> None:
    """Lets Python call ours for a ufunc that nobody else has."""
    if place() and original():
        ctypes.c_void_p.from_address(id(made) + place()).value = call.address()
