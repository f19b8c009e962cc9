"""Many arrays one behind the other, each of them not large: one builtin function reads, checks and copies them all.

For each array of some thousand numbers, the questions of Python alone would take as long as its copy.
"""

from __future__ import annotations

from rushlight.compiler.kernels.along import DIMENSIONS
from rushlight.compiler.language import Imported, copy, local, offset
from rushlight.compiler.native import boolean, int32, int64, native, pointer, uint8
from rushlight.compiler.objects import (
    ADD_REFERENCE,
    ARRAY,
    CLASS,
    DATA,
    DTYPE,
    IN_ORDER,
    MAKE_ARRAY,
    NONE,
    NUMBER,
    NUMBER_OF,
    RANK,
    RESTORE_THREAD,
    SAVE_THREAD,
    SIZES,
    Object,
    flags_of,
    is_readable,
)
from rushlight.compiler.parallel import parallel_for

LIST = Imported("list", Object, lambda: id(list))
COUNT, ITEMS = CLASS + 1, CLASS + 2  # words of a list
LEAST = 64  # bytes of a row, which NumPy copies as soon
GRAIN = 1 << 16  # bytes that are worth a thread


@native(of_objects=True, light=True)
def join(self: Object, given: pointer(Object), count: int64) -> Object:
    """`join(arrays, dim, is_new, itemsize)`: a list of arrays one behind the other along a dimension, or a new one.

    None where one is not in C order, or of another dtype or shape than the first, and where rows are short.
    """
    number_of, add_reference, nothing, shape = NUMBER_OF, ADD_REFERENCE, NONE, local(int64, DIMENSIONS + 1)
    dim, is_new, inner, rows = number_of(given[1]), number_of(given[2]), number_of(given[3]), int64(1)
    if are_alike(given[0], dim, is_new):
        arrays, many = pointer(Object)(given[0][ITEMS]), given[0][COUNT]
        first, line = arrays[0], int64(0)
        rank = int64(pointer(int32)(first)[2 * RANK])
        for at in range(rank):
            shape[at + (is_new if at >= dim else 0)] = Object(first[SIZES])[at]
        for at in range(rank + is_new):
            if at < dim:
                rows *= shape[at]
            elif at > dim:
                inner *= shape[at]
        for at in range(many):
            line += width_of(arrays[at], dim, is_new, inner)
        if line >= many * LEAST and inner > 0:
            shape[dim] = line // inner
            return joined(arrays, many, dim, is_new, inner, line, rows, shape)
    add_reference(nothing)
    return nothing


@native
def joined(arrays: pointer(Object), many: int64, dim: int64, is_new: int64, inner: int64, line: int64, rows: int64,
           shape: pointer(int64)) -> Object:  # fmt: skip
    """The array of that shape, with the arrays in it."""
    kind, make_array, none, first = ARRAY, MAKE_ARRAY, Object(0), arrays[0]
    rank, number = pointer(int32)(first)[2 * RANK] + int32(is_new), pointer(int32)(first[DTYPE])[NUMBER]
    out = make_array(kind, rank, shape, number, none, none, 0, 0, none)
    if int64(out) != 0:
        save_thread, restore_thread = SAVE_THREAD, RESTORE_THREAD
        thread, least = save_thread(), GRAIN * many // max(line, 1) + 1
        parallel_for(place, rows * many, least, pointer(uint8)(out[DATA]), arrays, many, dim, is_new, inner, line)
        restore_thread(thread)
    return out


@native(inlined=True)
def place(out: pointer(uint8), arrays: pointer(Object), many: int64, dim: int64, is_new: int64, inner: int64,
          line: int64, begin: int64, end: int64):  # fmt: skip
    """Copies the rows of arrays, of each row one array after the other."""
    row = begin // many
    at, to = begin - row * many, row * line
    for each in range(at):
        to += width_of(arrays[each], dim, is_new, inner)
    for _ in range(begin, end):
        width = width_of(arrays[at], dim, is_new, inner)
        copy(offset(out, to), offset(pointer(uint8)(arrays[at][DATA]), row * width), width)
        to, at = to + width, at + 1
        if at == many:
            at, row = 0, row + 1


@native(inlined=True)
def width_of(array: Object, dim: int64, is_new: int64, inner: int64) -> int64:
    """How many bytes a row of the result has from an array."""
    return inner if is_new != 0 else Object(array[SIZES])[dim] * inner


@native
def are_alike(list: Object, dim: int64, is_new: int64) -> boolean:
    """Whether these are arrays in C order of one dtype, and of one shape but for the dimension along which they go."""
    kind, arrays, lists = ARRAY, pointer(Object)(list[ITEMS]), LIST
    if list[CLASS] != int64(lists) or list[COUNT] == 0 or arrays[0][CLASS] != int64(kind):
        return False
    first = arrays[0]
    rank, number = pointer(int32)(first)[2 * RANK], pointer(int32)(first[DTYPE])[NUMBER]
    if rank == 0:
        return False
    for i in range(list[COUNT]):
        each = arrays[i]
        if each[CLASS] != int64(kind) or each[DTYPE] != first[DTYPE] or pointer(int32)(each)[2 * RANK] != rank:
            return False
        if not is_readable(each, int64(number)) or flags_of(each) & IN_ORDER == 0:
            return False
        for at in range(int64(rank)):
            if (is_new != 0 or at != dim) and Object(each[SIZES])[at] != Object(first[SIZES])[at]:
                return False
    return True
