"""The vectorcall of our ufuncs: large broadcast or strided operands bypass NumPy's iterator.

NumPy iterates over such operands on one thread and copies broadcast ones into a buffer before each run of its loop. A
ufunc holds a function pointer that Python calls (Python/C API, "The Vectorcall Protocol"). Ours checks whether operands
are large and broadcast or strided; it allocates the result, which `broadcast_rows` fills. All other calls go to NumPy's
function.
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
from rushlight.kernels.operand_layout import call_in_common_order
from rushlight.lower.builtin_calls import HEAD
from rushlight.lower.language import Imported, local
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import boolean, compile_together, function, int8, int32, int64, native, pointer
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

LEAST = 1 << 12  # smallest result that pays off
NARROW = 2  # shorter rows are left to NumPy
EVEN, UNEVEN, DISORDERLY = range(3)  # layouts of the operands
COUNT = (1 << 62) - 1  # the bits that hold the number of arguments
MOST_BYTES = 16  # of an element

# Offsets into a ufunc, in words and half words (NumPy reference, "PyUFuncObject").
OPERANDS, RESULTS, COUNTED = (HEAD // 4 + at for at in (0, 1, 2))
FUNCTIONS, PASSED, TYPES = (HEAD // 8 + at for at in (2, 3, 6))
LOOPS = HEAD // 4 + 8
LENGTH = HEAD // 8  # the word of a tuple that holds its length

Call = function(Object, pointer(Object), int64, Object, returns=Object)
ORIGINAL = Imported("rushlight_ufunc_call", Call, lambda: original())
RUN = Imported("rushlight_ufunc_run", Object, lambda: loops.run.address())
ELLIPSIS = Imported("rushlight_ellipsis", Object, lambda: id(...))
OUT = Imported("rushlight_out", Object, lambda: id(sys.intern("out")))  # as in every call that is written out
CALL_ANY = Imported(
    "call_any", function(Object, pointer(Object), int64, Object, returns=Object), address_of("PyObject_Vectorcall")
)
IN_ONE_ORDER = Imported("rushlight_in_one_order", Object, lambda: id(call_in_common_order))


@native(light=True)
def call(self: Object, args: pointer(Object), count: int64, names: Object) -> Object:
    """The vectorcall of a ufunc."""
    numpy_call, operands = ORIGINAL, int64(pointer(int32)(self)[OPERANDS])
    if (count & COUNT) == operands:
        layout = layout_of(args, operands)
        if layout == DISORDERLY and (int64(names) == 0 or names[LENGTH] == 1):
            return reordered(self, args, operands, names)
        if layout == UNEVEN:
            done = local(int64, 1)
            done[0] = 0
            result = broadcast(self, args, operands, names, done)
            if done[0] != 0:
                return result
    return numpy_call(self, args, count, names)


@native(inlined=True)
def layout_of(args: pointer(Object), operands: int64) -> int64:
    """Returns the layout of the operands.

    UNEVEN: arrays in C-like axis order whose result may be large, of different shapes or with gaps. DISORDERLY: a large
    array has its axes in another order, unless all have one shape and no gaps. EVEN: the rest. 0-d operands do not
    count.
    """
    arrays, first, uneven, result_size, largest = int64(ARRAY), args[0], False, int64(1), int64(0)
    disorderly, alike = False, True
    for i in range(operands):
        operand, last_step, size = args[i], int64(0), int64(1)
        if operand[CLASS] != arrays:
            return EVEN
        rank = pointer(int32)(operand)[2 * RANK]
        if pointer(int32)(first)[2 * RANK] == 0:
            first = operand
        if rank != 0:
            same_rank = rank == pointer(int32)(first)[2 * RANK]
            uneven = uneven or not same_rank or flags_of(operand) & IN_ORDER == 0
            alike = alike and same_rank and flags_of(operand) & IN_COLUMNS != 0
            for back in range(int64(rank)):
                axis = int64(rank) - 1 - back
                length, step = Object(operand[SIZES])[axis], Object(operand[STRIDES])[axis]
                size *= length
                if length != 1 and step != 0:
                    disorderly = disorderly or step < last_step
                    last_step = step
                if same_rank and length != Object(first[SIZES])[axis]:
                    uneven, alike = True, False
            result_size = min(result_size, LEAST) * size
            largest = max(largest, size)
    if disorderly:
        return DISORDERLY if largest >= TURNED and not alike else EVEN
    return UNEVEN if uneven and result_size >= LEAST else EVEN


@deferred
@native(cold=True)
def reordered(self: Object, args: pointer(Object), operands: int64, names: Object) -> Object:
    """Returns the result of Python's `call_in_common_order`, which calls with at least two keywords to reach NumPy."""
    call_any, argv = CALL_ANY, local(int64, MOST + 2)
    argv[0] = int64(self)
    for i in range(operands + 1 if int64(names) != 0 else operands):
        argv[i + 1] = int64(args[i])
    return call_any(IN_ONE_ORDER, pointer(Object)(argv), operands + 1, names)


@native
def size_at(array: Object, rank: int64, axis: int64) -> int64:
    """Returns the size of an axis of `rank`; missing leading axes have size 1."""
    own_axis = axis - (rank - int64(pointer(int32)(array)[2 * RANK]))
    if own_axis < 0:
        return 1
    return Object(array[SIZES])[own_axis]


@native
def step_at(array: Object, rank: int64, axis: int64) -> int64:
    """Returns the byte stride of an axis of `rank`; 0 where the operand is broadcast."""
    own_axis = axis - (rank - int64(pointer(int32)(array)[2 * RANK]))
    if own_axis < 0 or Object(array[SIZES])[own_axis] == 1:
        return 0
    return Object(array[STRIDES])[own_axis]


@native
def rank_of(args: pointer(Object), operands: int64) -> int64:
    rank = int64(0)
    for i in range(operands):
        rank = max(rank, int64(pointer(int32)(args[i])[2 * RANK]))
    return rank


@native
def elements(args: pointer(Object), operands: int64) -> int64:
    """Returns the number of elements of the result, if the shapes broadcast."""
    rank, total = rank_of(args, operands), int64(1)
    for axis in range(rank):
        size = size_at(args[0], rank, axis)
        for i in range(1, operands):
            other = size_at(args[i], rank, axis)
            if size == 1:
                size = other
        total *= size
    return total


@deferred
@native(light=True)
def broadcast(self: Object, args: pointer(Object), operands: int64, names: Object,
               done: pointer(int64)) -> Object:  # fmt: skip
    """Returns the result and sets `done`, if one of our loops computes it and it is large.

    `out=...` (Ellipsis), which returns even a 0-d result as an array, changes nothing here; an output array may be an
    operand.
    """
    index, target, unsupported = loop_of(self, args, operands), Object(0), False
    if int64(names) != 0:
        target, unsupported = args[operands], names[LENGTH] != 1 or int64(names[LENGTH + 1]) != int64(OUT)
        if int64(target) == int64(ELLIPSIS):
            target = Object(0)
        elif target[CLASS] != int64(ARRAY):
            unsupported = True
    if unsupported or index < 0 or elements(args, operands) < LEAST:
        return Object(0)
    kernel, rank = pointer(int64)(Object(self[PASSED])[index]), rank_of(args, operands)
    sizes, steps = local(int64, DIMENSIONS), local(int64, DIMENSIONS * MOST)
    if rank > DIMENSIONS or not lay_out(args, operands, rank, kernel, sizes, steps):
        return Object(0)
    shape = local(int64, DIMENSIONS)
    for axis in range(rank):
        shape[axis] = sizes[axis]
    merged_rank = merged(sizes, steps, rank, kernel[ARRAYS])
    if sizes[merged_rank - 1] < NARROW:
        return Object(0)
    make_array, add_reference, arrays, nothing = MAKE_ARRAY, ADD_REFERENCE, ARRAY, Object(0)
    types, out = pointer(int8)(self[TYPES]), target
    dtype = int32(types[index * (operands + 1) + operands])
    if int64(target) != 0:
        if not is_target(target, int64(dtype), rank, shape, args, operands, kernel):
            return Object(0)
        done[0] = 1
        add_reference(target)
    else:
        done[0] = 1
        out = make_array(arrays, int32(rank), shape, dtype, nothing, nothing, 0, 0, nothing)
        if int64(out) == 0:
            return out
    data = local(int64, MOST)
    for i in range(operands):
        data[i] = args[i][DATA]
    data[operands] = out[DATA]
    save_thread, restore_thread = SAVE_THREAD, RESTORE_THREAD
    thread = save_thread()
    fill_rows(data, steps, sizes, merged_rank, kernel)
    restore_thread(thread)
    return out


@native
def is_target(target: Object, dtype: int64, rank: int64, shape: pointer(int64), args: pointer(Object), operands: int64,
              kernel: pointer(int64)) -> boolean:  # fmt: skip
    """Returns whether `target` can be the output: C order, the right shape, and each operand is disjoint or the same
    memory.
    """
    flags, width, size = flags_of(target), kernel[WIDTHS + operands], int64(1)
    if not is_readable(target, dtype) or flags & IN_ORDER == 0 or flags & WRITEABLE == 0:
        return False
    if int64(pointer(int32)(target)[2 * RANK]) != rank:
        return False
    for axis in range(rank):
        if Object(target[SIZES])[axis] != shape[axis]:
            return False
        size *= shape[axis]
    for i in range(operands):
        operand, items = args[i], int64(1)
        low, high = operand[DATA], operand[DATA] + MOST_BYTES
        for axis in range(int64(pointer(int32)(operand)[2 * RANK])):
            length, step = Object(operand[SIZES])[axis], Object(operand[STRIDES])[axis]
            items *= length
            low, high = low + min(int64(0), (length - 1) * step), high + max(int64(0), (length - 1) * step)
        same = operand[DATA] == target[DATA] and items == size and kernel[WIDTHS + i] == width
        same = same and flags_of(operand) & IN_ORDER != 0
        if low < target[DATA] + size * width and target[DATA] < high and not same:
            return False
    return True


@native
def loop_of(self: Object, args: pointer(Object), operands: int64) -> int64:
    """Returns the index of the ufunc's loop for these dtypes, if it is ours and has one result; else -1."""
    fields, run = pointer(int32)(self), int64(RUN)
    types, functions, arity = pointer(int8)(self[TYPES]), Object(self[FUNCTIONS]), int64(fields[COUNTED])
    if fields[RESULTS] != 1:
        return -1
    for index in range(int64(fields[LOOPS])):
        fits = functions[index] == run
        for i in range(operands):
            if not is_readable(args[i], int64(types[index * arity + i])):
                fits = False
        if fits:
            return index
    return -1


@native
def lay_out(args: pointer(Object), operands: int64, rank: int64, kernel: pointer(int64), sizes: pointer(int64),
            steps: pointer(int64)) -> boolean:  # fmt: skip
    """Writes the sizes of the result and the strides of all arrays; returns False if the shapes do not broadcast."""
    step = kernel[WIDTHS + operands]
    for back in range(rank):
        axis = rank - 1 - back
        size = int64(1)
        for i in range(operands):
            other = size_at(args[i], rank, axis)
            if size == 1:
                size = other
            if other != size and other != 1:
                return False
        for i in range(operands):
            steps[axis * MOST + i] = step_at(args[i], rank, axis)
        sizes[axis], steps[axis * MOST + operands] = size, step
        step *= size
    return True


@native
def merged(sizes: pointer(int64), steps: pointer(int64), rank: int64, operands: int64) -> int64:
    """Merges axes that have one stride in all arrays; returns how many are left."""
    count = int64(0)
    for axis in range(rank):
        if sizes[axis] != 1 or axis == rank - 1:
            merges = count > 0
            for i in range(operands):
                if merges:
                    merges = steps[(count - 1) * MOST + i] == steps[axis * MOST + i] * sizes[axis]
            if merges:
                count -= 1
            sizes[count] = sizes[axis] * (sizes[count] if merges else 1)
            for i in range(operands):
                steps[count * MOST + i] = steps[axis * MOST + i]
            count += 1
    return count


# ---- installing it


@cache
def vectorcall_offset() -> int:
    """Returns the offset of the vectorcall pointer in a ufunc; 0 if there is none."""
    return ctypes.c_ssize_t.from_address(id(np.ufunc) + HEAD + 5 * ctypes.sizeof(ctypes.c_void_p)).value


@cache
def original() -> int:
    """Returns NumPy's vectorcall for ufuncs."""
    return ctypes.c_void_p.from_address(id(np.add) + vectorcall_offset()).value or 0


@cache
def loop() -> int:
    """Returns the address of the loop that NumPy calls; the vectorcall is compiled with it."""
    compile_together(loops.run, numpy_loops.share, call, passes=call.passes, called=False)
    return loops.run.address()


def sharing_loop() -> int:
    """Returns the address of the loop that runs NumPy's own loop on several threads."""
    loop()
    return numpy_loops.share.address()


def attach(ufunc: np.ufunc) -> None:
    """Sets our vectorcall in a ufunc; it must not be shared."""
    if vectorcall_offset() and original():
        ctypes.c_void_p.from_address(id(ufunc) + vectorcall_offset()).value = call.address()
