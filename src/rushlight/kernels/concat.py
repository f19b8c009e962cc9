"""Concatenation: one builtin function checks and copies a list of C-order arrays.

For arrays of some thousand elements, checks in Python would take as long as the copy. The result is written front to
back (array by array would touch every page once per array). If rows are short, blocks of rows that fit the cache are
written array by array. Arrays in other orders are copied one by one to their slices of the result. Parallel over bytes
or rows.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.layouts import INSIDE, channels_are_last, channels_inside, channels_outside
from rushlight.arrays.threads import get_num_threads
from rushlight.core.policy import JOINED, LARGE, Warmup
from rushlight.kernels.arguments import word_of
from rushlight.kernels.copies import copied
from rushlight.kernels.reduce_calls import DIMENSIONS
from rushlight.lower.language import Imported, copy, local, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import Element, boolean, int32, int64, native, pointer, uint8, uint32, uint64
from rushlight.lower.nontemporal import LARGEST_KEPT
from rushlight.lower.objects import (
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
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")

WARMUP = Warmup()
LIST = Imported("list", Object, lambda: id(list))
COUNT, ITEMS = CLASS + 1, CLASS + 2  # words of a list
LEAST = 5  # bytes per row and array on average; NumPy is as fast below
NARROW = 48  # bytes; narrower pieces are copied word by word instead of by `memcpy`
AT_ONCE = 1 << 6  # rows of a block of the result
MOST = 1 << 12  # bytes of the longest row for which blocks are used
SHORT = 128  # elements; rows shorter than this are not copied slice by slice
GRAIN = 1 << 16  # bytes per thread


@native(inlined=True)
def width_of(array: Object, dim: int64, is_new: int64, inner: int64) -> int64:
    """Returns how many bytes of each row of the result come from `array`."""
    return inner if is_new != 0 else Object(array[SIZES])[dim] * inner


@native(alone=True)
def copy_pieces(out: pointer(T), array: pointer(T), rows: int64, width: int64, line: int64):
    """Copies contiguous rows to strided rows; unrolled for short rows."""
    if width == 1:
        for row in range(rows):
            out[row * line] = array[row]
    elif width == 2:
        for row in range(rows):
            to, source = offset(out, row * line), offset(array, 2 * row)
            to[0], to[1] = source[0], source[1]
    elif width == 4:
        for row in range(rows):
            to, source = offset(out, row * line), offset(array, 4 * row)
            to[0], to[1], to[2], to[3] = source[0], source[1], source[2], source[3]
    else:
        for row in range(rows):
            to, source = offset(out, row * line), offset(array, row * width)
            for at in range(width):
                to[at] = source[at]


@deferred
@native(light=True)
def copy_rows(out: pointer(uint8), arrays: pointer(Object), arrays_count: int64, dim: int64, is_new: int64,
              inner: int64,
               line: int64, begin: int64, end: int64):  # fmt: skip
    """Computes rows [begin, end) of the result: blocks of AT_ONCE rows, array by array."""
    for first in range(begin, end, AT_ONCE):
        rows, target = min(AT_ONCE, end - first), offset(out, first * line)
        for i in range(arrays_count):
            width = width_of(arrays[i], dim, is_new, inner)
            source = offset(pointer(uint8)(arrays[i][DATA]), first * width)
            alignment = width | line | int64(target) | int64(source)
            if alignment % 8 == 0:
                copy_pieces(pointer(uint64)(target), pointer(uint64)(source), rows, width // 8, line // 8)
            elif alignment % 4 == 0:
                copy_pieces(pointer(uint32)(target), pointer(uint32)(source), rows, width // 4, line // 4)
            else:
                copy_pieces(target, source, rows, width, line)
            target = offset(target, width)


@native(of_objects=True, light=True)
def join(self: Object, args: pointer(Object), count: int64) -> Object:
    """`join(arrays, dim, is_new, itemsize)`: concatenates a list of arrays along `dim`, or stacks them along a new one.

    Returns None if an array is not in C order or differs in dtype or shape, or if rows are short.
    """
    number_of, add_reference, nothing, shape = NUMBER_OF, ADD_REFERENCE, NONE, local(int64, DIMENSIONS + 1)
    dim, is_new, inner, rows = number_of(args[1]), number_of(args[2]), number_of(args[3]), int64(1)
    if are_alike(args[0], dim, is_new):
        arrays, arrays_count = pointer(Object)(args[0][ITEMS]), args[0][COUNT]
        first, line = arrays[0], int64(0)
        rank = int64(pointer(int32)(first)[2 * RANK])
        for at in range(rank):
            shape[at + (is_new if at >= dim else 0)] = Object(first[SIZES])[at]
        for at in range(rank + is_new):
            if at < dim:
                rows *= shape[at]
            elif at > dim:
                inner *= shape[at]
        for at in range(arrays_count):
            line += width_of(arrays[at], dim, is_new, inner)
        if line >= arrays_count * LEAST and inner > 0:
            shape[dim] = line // inner
            return joined(arrays, arrays_count, dim, is_new, inner, line, rows, shape)
    add_reference(nothing)
    return nothing


@native
def joined(arrays: pointer(Object), arrays_count: int64, dim: int64, is_new: int64, inner: int64, line: int64,
           rows: int64, shape: pointer(int64)) -> Object:  # fmt: skip
    """Allocates the result and copies the arrays to it."""
    array_type, make_array, none, first = ARRAY, MAKE_ARRAY, Object(0), arrays[0]
    rank, dtype = pointer(int32)(first)[2 * RANK] + int32(is_new), pointer(int32)(first[DTYPE])[NUMBER]
    out = make_array(array_type, rank, shape, dtype, none, none, 0, 0, none)
    if int64(out) != 0:
        save_thread, restore_thread = SAVE_THREAD, RESTORE_THREAD
        thread, data = save_thread(), pointer(uint8)(out[DATA])
        if line <= min(MOST, arrays_count * NARROW):
            parallel_for(
                copy_by_rows, rows, max(1, GRAIN // line), data, arrays, arrays_count, dim, is_new, inner, line
            )
        else:
            parallel_for(copy_bytes, rows * line, GRAIN, data, arrays, arrays_count, dim, is_new, inner, line)
        restore_thread(thread)
    return out


@native(inlined=True)
def copy_by_rows(out: pointer(uint8), arrays: pointer(Object), arrays_count: int64, dim: int64, is_new: int64,
                 inner: int64,
                  line: int64, begin: int64, end: int64):  # fmt: skip
    copy_rows(out, arrays, arrays_count, dim, is_new, inner, line, begin, end)


@native(inlined=True)
def copy_bytes(out: pointer(uint8), arrays: pointer(Object), arrays_count: int64, dim: int64, is_new: int64,
               inner: int64,
          line: int64, begin: int64, end: int64):  # fmt: skip
    """Computes bytes [begin, end) of the result, row by row."""
    row, position, index, done = begin // line, begin % line, 0, begin
    width = width_of(arrays[0], dim, is_new, inner)
    while done < end:
        if position < width:
            length = min(width - position, end - done)
            copy(offset(out, done), offset(pointer(uint8)(arrays[index][DATA]), row * width + position), length)
            position, done = position + length, done + length
        position, index = position - width, index + 1
        if index == arrays_count:
            index, row = 0, row + 1
        width = width_of(arrays[index], dim, is_new, inner)


@native
def are_alike(list: Object, dim: int64, is_new: int64) -> boolean:
    """Returns whether the list holds C-order arrays of one dtype and one shape, except for the size of `dim`."""
    array_type, arrays, list_type = ARRAY, pointer(Object)(list[ITEMS]), LIST
    if list[CLASS] != int64(list_type) or list[COUNT] == 0 or arrays[0][CLASS] != int64(array_type):
        return False
    first = arrays[0]
    rank, dtype = pointer(int32)(first)[2 * RANK], pointer(int32)(first[DTYPE])[NUMBER]
    if rank == 0:
        return False
    for i in range(list[COUNT]):
        array = arrays[i]
        if array[CLASS] != int64(array_type) or array[DTYPE] != first[DTYPE] or pointer(int32)(array)[2 * RANK] != rank:
            return False
        if not is_readable(array, int64(dtype)) or flags_of(array) & IN_ORDER == 0:
            return False
        for axis in range(int64(rank)):
            if (is_new != 0 or axis != dim) and Object(array[SIZES])[axis] != Object(first[SIZES])[axis]:
                return False
    return True


def join_list(arrays, dim: int, is_new: int):
    """Concatenates a list of arrays by one call of `join`; None if it does not fit."""
    first, size = arrays[0], arrays[0].size * len(arrays)
    if type(arrays) is not list or size < JOINED or type(first) is not np.ndarray:
        return None
    rank = first.ndim + is_new
    if not -rank <= dim < rank or channels_are_last(first) or not (WARMUP.over or WARMUP.pays_off(size)):
        return None
    return join.machine()(arrays, dim % rank, is_new, first.itemsize)


def concatenate_slices(arrays, shape, dim: int):
    """Concatenates arrays of one dtype to an array of `shape`, each by its own copy."""
    out, begin = np.empty(shape, arrays[0].dtype), 0
    for array in arrays:
        end = begin + array.shape[dim]
        part = out[(*[slice(None)] * dim, slice(begin, end))]
        if copied(array, part) is None:
            part[...] = array
        begin = end
    return out


def can_be_joined(arrays) -> bool:
    """Returns whether these are NumPy arrays of one dtype that is copied as words, large together."""
    first = arrays[0]
    if max([x.size for x in arrays]) * len(arrays) < LARGE or word_of(first) is None:
        return False
    return all([type(x) is np.ndarray and x.dtype == first.dtype for x in arrays])


@kernel_of("cat", sized=None)
def cat(arrays, dim):
    first, result = arrays[0], join_list(arrays, dim, 0)
    if result is not None:
        return result
    if not can_be_joined(arrays) or not -first.ndim <= dim < first.ndim:
        return None
    dim %= first.ndim
    if all([channels_are_last(x) for x in arrays]):
        result = cat([channels_inside(x) for x in arrays], INSIDE[first.ndim].index(dim))
        return None if result is None else channels_outside(result)
    shapes = {x.shape[:dim] + x.shape[dim + 1 :] if x.ndim == first.ndim else None for x in arrays}
    rows = math.prod(first.shape[:dim])
    largest = max([x.size for x in arrays])
    if len(shapes) > 1 or not rows or largest // rows < SHORT:  # NumPy copies such rows as fast
        return None
    # NumPy also copies as fast what is neither split over threads nor stored past the caches.
    if rows == 1 and largest < (LARGE if get_num_threads() > 1 else LARGEST_KEPT):
        return None
    length = sum([x.shape[dim] for x in arrays])
    return concatenate_slices(arrays, (*first.shape[:dim], length, *first.shape[dim + 1 :]), dim)


@kernel_of("stack_along", sized=None)
def stack_along(arrays, dim):
    first, result = arrays[0], join_list(arrays, dim, 1)
    if result is not None:
        return result
    if not can_be_joined(arrays) or not -first.ndim - 1 <= dim <= first.ndim:
        return None
    if first.ndim in INSIDE and not first.flags.c_contiguous:
        return None  # the result may have to be channels-last
    dim %= first.ndim + 1
    rows = math.prod(first.shape[:dim])
    if any([x.shape != first.shape for x in arrays]) or not rows or first.size // rows < SHORT:
        return None
    at_new_axis = (slice(None),) * dim + (None,)
    return concatenate_slices(
        [x[at_new_axis] for x in arrays], (*first.shape[:dim], len(arrays), *first.shape[dim:]), dim
    )
