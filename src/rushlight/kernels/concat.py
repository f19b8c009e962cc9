"""Arrays one behind the other: one builtin function reads, checks and copies all those that lie in C order.

For each array of some thousand numbers, the questions of Python alone would take as long as its copy. The result is
written from its beginning to its end: array by array, each would come by all of its pages. Where rows are short it is
written array by array for all that a cache keeps, which spares finding the next array after a few bytes. What lies in
another order is copied to its part of the result.
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
LEAST = 5  # bytes of a row that an array has on average: fewer NumPy copies as soon
NARROW = 48  # bytes of it that are sooner moved word by word than a function is called that copies them
AT_ONCE = 1 << 6  # rows of the result that are written array by array
MOST = 1 << 12  # bytes of such a row, of which a cache keeps that many
SHORT = 128  # elements of a row that is copied by itself
GRAIN = 1 << 16  # bytes that are worth a thread


@native(inlined=True)
def width_of(array: Object, dim: int64, is_new: int64, inner: int64) -> int64:
    """How many bytes a row of the result has from an array."""
    return inner if is_new != 0 else Object(array[SIZES])[dim] * inner


@native(alone=True)
def copy_pieces(out: pointer(T), array: pointer(T), rows: int64, width: int64, line: int64):
    """Puts rows that lie one behind the other so far apart; those of a few words without counting the words."""
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
def place_rows(out: pointer(uint8), arrays: pointer(Object), many: int64, dim: int64, is_new: int64, inner: int64,
               line: int64, begin: int64, end: int64):  # fmt: skip
    """Rows [begin, end) of the result, array by array of as many as a cache keeps."""
    for first in range(begin, end, AT_ONCE):
        rows, to = min(AT_ONCE, end - first), offset(out, first * line)
        for at in range(many):
            width = width_of(arrays[at], dim, is_new, inner)
            source = offset(pointer(uint8)(arrays[at][DATA]), first * width)
            whole = width | line | int64(to) | int64(source)
            if whole % 8 == 0:
                copy_pieces(pointer(uint64)(to), pointer(uint64)(source), rows, width // 8, line // 8)
            elif whole % 4 == 0:
                copy_pieces(pointer(uint32)(to), pointer(uint32)(source), rows, width // 4, line // 4)
            else:
                copy_pieces(to, source, rows, width, line)
            to = offset(to, width)


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
        thread, data = save_thread(), pointer(uint8)(out[DATA])
        if line <= min(MOST, many * NARROW):
            parallel_for(place_in_rows, rows, max(1, GRAIN // line), data, arrays, many, dim, is_new, inner, line)
        else:
            parallel_for(place, rows * line, GRAIN, data, arrays, many, dim, is_new, inner, line)
        restore_thread(thread)
    return out


@native(inlined=True)
def place_in_rows(out: pointer(uint8), arrays: pointer(Object), many: int64, dim: int64, is_new: int64, inner: int64,
                  line: int64, begin: int64, end: int64):  # fmt: skip
    place_rows(out, arrays, many, dim, is_new, inner, line, begin, end)


@native(inlined=True)
def place(out: pointer(uint8), arrays: pointer(Object), many: int64, dim: int64, is_new: int64, inner: int64,
          line: int64, begin: int64, end: int64):  # fmt: skip
    """Bytes [begin, end) of the result: of each row one array after the other."""
    row, left, at, to = begin // line, begin % line, 0, begin
    width = width_of(arrays[0], dim, is_new, inner)
    while to < end:
        if left < width:
            some = min(width - left, end - to)
            copy(offset(out, to), offset(pointer(uint8)(arrays[at][DATA]), row * width + left), some)
            left, to = left + some, to + some
        left, at = left - width, at + 1
        if at == many:
            at, row = 0, row + 1
        width = width_of(arrays[at], dim, is_new, inner)


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


def joined_at_once(arrays, dim: int, is_new: int):
    """A list of arrays, joined by one call; None where it does not take them."""
    first, size = arrays[0], arrays[0].size * len(arrays)
    if type(arrays) is not list or size < JOINED or type(first) is not np.ndarray:
        return None
    rank = first.ndim + is_new
    if not -rank <= dim < rank or channels_are_last(first) or not (WARMUP.over or WARMUP.pays_off(size)):
        return None
    return join.machine()(arrays, dim % rank, is_new, first.itemsize)


def joined_in_parts(arrays, shape, dim: int):
    """Arrays of one dtype in one of that shape, one behind the other along a dimension, each copied by itself."""
    out, begin = np.empty(shape, arrays[0].dtype), 0
    for each in arrays:
        end = begin + each.shape[dim]
        part = out[(*[slice(None)] * dim, slice(begin, end))]
        if copied(each, part) is None:
            part[...] = each
        begin = end
    return out


def can_be_joined(arrays) -> bool:
    """Whether arrays are NumPy's, of one dtype that is moved in words, and large together."""
    first = arrays[0]
    if max([each.size for each in arrays]) * len(arrays) < LARGE or word_of(first) is None:
        return False
    return all([type(each) is np.ndarray and each.dtype == first.dtype for each in arrays])


@kernel_of("cat", sized=None)
def cat(arrays, dim):
    first, found = arrays[0], joined_at_once(arrays, dim, 0)
    if found is not None:
        return found
    if not can_be_joined(arrays) or not -first.ndim <= dim < first.ndim:
        return None
    dim %= first.ndim
    if all([channels_are_last(each) for each in arrays]):
        found = cat([channels_inside(each) for each in arrays], INSIDE[first.ndim].index(dim))
        return None if found is None else channels_outside(found)
    shapes = {each.shape[:dim] + each.shape[dim + 1 :] if each.ndim == first.ndim else None for each in arrays}
    rows = math.prod(first.shape[:dim])
    largest = max([each.size for each in arrays])
    if len(shapes) > 1 or not rows or largest // rows < SHORT:  # such rows NumPy moves as fast
        return None
    # And parts that are neither cut for several threads nor written past the caches.
    if rows == 1 and largest < (LARGE if get_num_threads() > 1 else LARGEST_KEPT):
        return None
    length = sum([each.shape[dim] for each in arrays])
    return joined_in_parts(arrays, (*first.shape[:dim], length, *first.shape[dim + 1 :]), dim)


@kernel_of("stack_along", sized=None)
def stack_along(arrays, dim):
    first, found = arrays[0], joined_at_once(arrays, dim, 1)
    if found is not None:
        return found
    if not can_be_joined(arrays) or not -first.ndim - 1 <= dim <= first.ndim:
        return None
    if first.ndim in INSIDE and not first.flags.c_contiguous:
        return None  # channels may have to stay last
    dim %= first.ndim + 1
    rows = math.prod(first.shape[:dim])
    if any([each.shape != first.shape for each in arrays]) or not rows or first.size // rows < SHORT:
        return None
    beside = (slice(None),) * dim + (None,)
    return joined_in_parts(
        [each[beside] for each in arrays], (*first.shape[:dim], len(arrays), *first.shape[dim:]), dim
    )
