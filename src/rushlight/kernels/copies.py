"""Copies: transposed or strided, to another dtype, triangles of matrices.

A transposed copy is tiled into square blocks, so that lines read and written stay in cache. Within a block, squares of
a vector's side are transposed in registers: they use several elements of a line at once, and few lines at addresses
that differ by a power of two compete for the cache. Parallel over parts of strips, or rows.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rushlight.arrays.strided import within_corners
from rushlight.core.dtype import HALVES
from rushlight.core.policy import GRAIN, HALVED, LARGE, PLACED, RUNS
from rushlight.core.strides import inverse, laid_out_like, outermost_first
from rushlight.kernels.arguments import number_of, packed, word_of
from rushlight.kernels.loops import fence
from rushlight.kernels.vectors import (
    LANES,
    load,
    prefetch,
    prefetch_lines,
    reverse,
    side,
    splat,
    store,
    transpose_square,
    transpose_square_past_caches,
)
from rushlight.lower.language import clear, copy, offset
from rushlight.lower.native import OF_NUMPY, Element, int64, native, pointer, uint8, uint64
from rushlight.lower.nontemporal import LARGEST_KEPT, LINE, ahead
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
S = Element("S")

BLOCK = 64  # rows and columns of a block
PART = 1024  # columns of a strip per thread, at least
SHORT = 128  # shorter rows are copied inline instead of by `memcpy`
FEW = 8  # slices along one axis, each copied by its own plan
RUN = 8  # NumPy copies runs up to this length faster than it starts them
AT_ONCE = 4 * LANES  # elements per step of a cast
AHEAD = ahead()
MEDIUM = 512  # longest row of whole vectors that is copied with prefetches of later rows
STEP = 11  # index in a plan of the column step in the array
NARROW, WORD = 4, 8  # bytes of elements too narrow for whole registers, and of the words used to move them
ROWS_AHEAD = 1024  # elements to prefetch ahead: rows are too far apart for the hardware prefetcher


# ---- transposed and strided


def blocks(turning):
    """Returns the kernel that copies blocks, with one way to transpose a square."""

    @native(alone=True)
    def turn_square(source: pointer(T), apart: int64, out: pointer(T), out_apart: int64):
        turning(source, apart, out, out_apart)

    @native
    def copy_squares(out: pointer(T), array: pointer(T), rows: int64, columns: int64, row_to: int64,
                     column_from: int64):  # fmt: skip
        """The last squares of both axes overlap those before them."""
        square = side(out)
        for i in range((rows + square - 1) // square):
            row = min(i * square, rows - square)
            for j in range((columns + square - 1) // square):
                column = min(j * square, columns - square)
                source, to = offset(array, column * column_from + row), offset(out, row * row_to + column)
                turn_square(source, column_from, to, row_to)

    @native(inlined=True)
    def copy_blocks(out: pointer(T), array: pointer(T), plan: pointer(int64), begin: int64, end: int64):
        """Copies parts [begin, end) of strips.

        `plan` holds sizes and strides of two outer axes and of the blocks, and the start offsets.
        """
        second, rows, columns, strips, parts = plan[1], plan[2], plan[3], plan[4], parts_of(plan[3])
        row_to, row_from, column_from = plan[9], plan[10], plan[11]
        part, block = begin % parts, begin // parts // strips
        strip, rest = begin // parts % strips * BLOCK, block % second
        block //= second
        for _ in range(begin, end):  # counted up, since divisions take longer than a small block
            start = part * PART
            line = offset(out, plan[12] + block * plan[5] + rest * plan[6] + strip * row_to + start)
            from_row = plan[13] + block * plan[7] + rest * plan[8] + strip * row_from
            start_data = offset(array, from_row + start * column_from)
            height, length = min(BLOCK, rows - strip), PART if part < parts - 1 else columns - start
            for left in range(0, length, BLOCK):
                column = max(0, min(left, length - side(out)))  # a narrow rest overlaps the block before it
                width = min(BLOCK, length - column)
                to, source = offset(line, column), offset(start_data, column * column_from)
                if row_from == 1 and height >= side(out) and width >= side(out):
                    copy_squares(to, source, height, width, row_to, column_from)
                elif width < height:
                    for k in range(width):
                        copy_apart(offset(to, k), offset(source, k * column_from), height, row_to, row_from)
                else:
                    for i in range(height):
                        copy_apart(offset(to, i * row_to), offset(source, i * row_from), width, 1, column_from)
            part += 1
            if part == parts:
                part = 0
                strip += BLOCK
                if strip >= rows:
                    strip = 0
                    rest += 1
                    if rest == second:
                        rest = 0
                        block += 1
        fence()

    @native(light=True)
    def all_blocks(out: pointer(T), array: pointer(T), plan: pointer(int64), grain: int64):
        outer, columns = plan[0] * plan[1], plan[3]
        pieces = outer * plan[4] * parts_of(columns)
        parallel_for(copy_blocks, pieces, max(1, grain // (BLOCK * min(PART, columns))), out, array, plan)

    return all_blocks


@native(inlined=True)
def parts_of(columns: int64) -> int64:
    """Returns the number of parts of a strip; the last part takes the rest."""
    return max(1, columns // PART)


@native
def copy_apart(out: pointer(T), array: pointer(T), count: int64, to: int64, step: int64):
    whole, to_third, third = count - count % 4, 3 * to, 3 * step
    for i in range(0, whole, 4):
        line, source = offset(out, i * to), offset(array, i * step)
        line[0], line[to], line[2 * to], line[to_third] = source[0], source[step], source[2 * step], source[third]
    for i in range(whole, count):
        out[i * to] = array[i * step]


in_blocks, in_blocks_past_caches = blocks(transpose_square), blocks(transpose_square_past_caches)


@native(inlined=True)
def copy_rows(out: pointer(T), array: pointer(T), plan: pointer(int64), begin: int64, end: int64):
    """Copies rows [begin, end) that are contiguous, reversed, or one repeated element; `plan` as for blocks."""
    second, rows, columns, row_to, row_from, column_from = plan[1], plan[2], plan[3], plan[9], plan[10], plan[11]
    piece = begin
    while piece < end:
        first, row = piece // rows, piece % rows
        block, rest, count = first // second, first % second, min(end - piece, rows - row)
        line = offset(out, block * plan[5] + rest * plan[6] + row * row_to)
        source = offset(array, block * plan[7] + rest * plan[8] + row * row_from)
        if column_from == 1 and columns % LANES == 0 and columns <= MEDIUM:
            copy_vectors(line, source, count, columns, row_to, row_from)
        else:
            for _ in range(count):
                if columns < LANES:
                    copy_some(line, source, columns, column_from)
                else:
                    copy_row(line, source, columns, column_from)
                line, source = offset(line, row_to), offset(source, row_from)
        piece += count


@native(inlined=True)
def copy_vectors(out: pointer(T), array: pointer(T), rows: int64, columns: int64, row_to: int64, row_from: int64):
    """Copies rows of a few whole vectors."""
    index, ahead = 0, ROWS_AHEAD // columns * row_from
    for row in range(rows):
        for k in range(row * row_from, row * row_from + columns, LANES):
            prefetch(array, k + ahead)
            store(out, index, load(array, k))
            index += LANES
        index += row_to - columns


@native(inlined=True)
def copy_some(out: pointer(T), array: pointer(T), columns: int64, step: int64):
    for k in range(columns):
        out[k] = array[k * step]


@native(inlined=True)
def copy_row(out: pointer(T), array: pointer(T), columns: int64, step: int64):
    """Copies one row in vectors; the last overlaps the one before it unless the rest is short."""
    last, covered, rest = columns - LANES, columns, columns % LANES
    if 2 * rest < LANES:
        covered -= rest
    if step == 1 and columns > SHORT:
        copy(out, array, columns)
        return
    if step == 0:
        value = splat(array[0])
        for k in range(0, covered, LANES):
            store(out, min(k, last), value)
    elif step == 1:
        for k in range(0, covered, LANES):
            store(out, min(k, last), load(array, min(k, last)))
    else:
        for k in range(0, covered, LANES):
            store(out, min(k, last), reverse(load(array, 1 - LANES - min(k, last))))
    copy_some(offset(out, covered), offset(array, covered * step), columns - covered, step)


@native(light=True)
def all_rows(out: pointer(T), array: pointer(T), plan: pointer(int64), grain: int64):
    outer, rows, columns = plan[0] * plan[1], plan[2], plan[3]
    parallel_for(copy_rows, outer * rows, max(1, grain // columns), out, array, plan)


def merged(shape, target, source) -> list[tuple[int, int, int]]:
    """Returns (size, stride of the copy, stride of the array) of each axis; axes with one common stride are merged."""
    dims: list[tuple[int, int, int]] = []
    for length, to, step in sorted(zip(shape, target, source, strict=True), key=lambda dim: -abs(dim[1])):
        if length == 1:
            continue
        if dims and dims[-1][1:] == (length * to, length * step):
            dims[-1] = (dims[-1][0] * length, to, step)
        else:
            dims.append((length, to, step))
    if len(dims) == 1:  # split, so that threads share it
        ((length, to, step),) = dims
        part = next((n for n in (PART, *range(2 * PART, PART // 4, -WORD)) if length % n == 0), length)
        return [(length // part, part * to, part * step), (part, to, step)]
    return dims


@lru_cache(maxsize=256)
def planned(shape, to, steps, size: int) -> tuple[np.ndarray, bool] | None:
    """Returns the plan of a strided copy and whether it goes by rows; None if no kernel fits.

    Blocks span the last axis of the copy and the axis in which the array's stride is smallest.
    """
    dims = merged(shape, to, steps) or [(1, size, size)]
    if (
        len(dims) > 4
        or dims[-1][1] != size
        or any([not to_step or to_step % size or step % size for _, to_step, step in dims])
    ):
        return None
    *rest, last = [(1, 0, 0)] * (4 - len(dims)) + [(length, to // size, step // size) for length, to, step in dims]
    by_rows, start_to, start_from = last[2] in (-1, 0, 1), 0, 0
    nearest = rest[-1] if by_rows else min(rest, key=lambda dim: abs(dim[2]) if dim[0] > 1 else math.inf)
    rest.remove(nearest)
    first, second = rest
    if nearest[2] == -1 and not by_rows:  # reversed in both
        start_to, start_from = (nearest[0] - 1) * nearest[1], 1 - nearest[0]
        nearest = (nearest[0], -nearest[1], 1)
    plan = [first[0], second[0], nearest[0], last[0], -(-nearest[0] // BLOCK)]
    plan += [first[1], second[1], first[2], second[2], nearest[1], nearest[2], last[2], start_to, start_from]
    return np.array(plan, np.int64), by_rows


def least(array) -> int:
    """Returns from how many elements on a kernel copies to C order: NumPy is slow with very short runs."""
    return RUNS if array.ndim > 1 and array.shape[-1] <= RUN and 0 <= array.strides[-1] <= array.itemsize else LARGE


def copied(array, out=None, steps=None):
    """Copies the array, or the elements at byte strides `steps`, to C order or to `out`; None if no kernel fits."""
    word = word_of(array)
    size = array.size if out is None else out.size
    if (
        size < (LARGE if out is not None else least(array))
        or type(array) is not np.ndarray
        or word is None
        or not array.flags.aligned
    ):
        return None
    out = np.empty(array.shape, array.dtype) if out is None else out
    operands = array, out, array.strides if steps is None else steps
    source, target, strides = operands if array.itemsize >= NARROW else in_words(*operands)
    plan_found = planned(target.shape, target.strides, strides, target.itemsize)
    if plan_found is None:
        return None if steps is not None else in_slices(array, out)
    plan, by_rows = plan_found
    if by_rows:
        kernel = all_rows
    else:
        kernel = in_blocks_past_caches if is_past(target, int(plan[3])) else in_blocks
    kernel.machine(word_of(target))(target, source, plan, GRAIN)
    return out


def in_words(array, out, steps) -> tuple:
    """Returns array, output and strides viewed as 8-byte words, which fill whole vector registers.

    Returns them unchanged if rows are not contiguous in both, or not made of whole words.
    """
    size, operands = array.itemsize, (array, out, steps)
    if not (array.ndim and out.ndim and out.strides[-1] == steps[-1] == size) or out.shape[-1] != array.shape[-1]:
        return operands
    parts = (*out.strides[:-1], *steps[:-1], out.shape[-1] * size, out.ctypes.data, array.ctypes.data)
    if any([part % WORD for part in parts]):
        return operands
    return array.view(np.uint64), out.view(np.uint64), (*steps[:-1], WORD)


def in_slices(array, out):
    """Copies slice by slice along a short axis if the whole plan would have one axis too many."""
    dim = too_many(out.shape, out.strides, array.strides, array.itemsize)
    if dim is None:
        return None
    for index in range(out.shape[dim]):
        slice_at = (*[slice(None)] * dim, index)
        copied(array[slice_at], out[slice_at], array[slice_at].strides)
    return out


@lru_cache(maxsize=256)
def too_many(shape, to, steps, size: int) -> int | None:
    """Returns the shortest axis without which there is a plan, if it is short and its slices are large."""
    for length, dim in sorted(zip(shape, range(len(shape)), strict=True)):
        if 1 < length <= FEW and math.prod(shape) // length >= LARGE:
            rest = [dims[:dim] + dims[dim + 1 :] for dims in (shape, to, steps)]
            if planned(*rest, size) is not None:
                return dim
    return None


def is_past(out, columns: int) -> bool:
    """Returns whether to store squares past the caches: rows must be made of whole cache lines."""
    whole_lines = out.flags.c_contiguous and out.ctypes.data % LINE == columns * out.itemsize % LINE == 0
    return out.size > LARGEST_KEPT and whole_lines and side(out) * out.itemsize == LINE


@kernel_of("in_order", least=RUNS)
def in_order(array):
    return copied(array)


@kernel_of("in_same_order")
def in_same_order(array):
    return copied(array, laid_out_like(array, array.dtype)) if type(array) is np.ndarray else None


@kernel_of("overwrite")
def overwrite(target, values):
    """Leaves overlapping values to NumPy, which copies first, and read-only targets, which it refuses."""
    are_arrays = type(target) is type(values) is np.ndarray
    if not are_arrays or not target.flags.behaved or np.may_share_memory(target, values):
        return None
    to_dtype, from_dtype, shape = number_of(target), number_of(values), target.shape
    if (
        values.shape == shape
        and target.flags.c_contiguous
        and values.flags.c_contiguous
        and None not in (to_dtype, from_dtype)
    ):
        cast_all.machine(to_dtype, from_dtype)(target, values, target.size, GRAIN)
        return target
    values = values if values.dtype == target.dtype else astype(values, target.dtype)
    if values is None:
        return None
    return copied(values, target, np.broadcast_to(values, shape).strides if values.ndim else (0,) * target.ndim)


@kernel_of("fill")
def fill(array, value):
    number, flags = np.asarray(value).astype(array.dtype), array.flags
    if number.itemsize < NARROW and array.nbytes % WORD == 0 and flags.carray and array.ctypes.data % WORD == 0:
        words = np.repeat(number.reshape(1), WORD // number.itemsize).view(np.uint64)
        return None if overwrite(array.reshape(-1).view(np.uint64), words.reshape(())) is None else array
    return overwrite(array, number)


@native
def fill_some(out: pointer(T), mask: pointer(uint8), number: pointer(T), begin: int64, end: int64):
    value = number[0]
    for i in range(begin, end):
        out[i] = value if mask[i] != 0 else out[i]


@native
def fill_all(out: pointer(T), mask: pointer(uint8), number: pointer(T), size: int64, grain: int64):
    parallel_for(fill_some, size, grain, out, mask, number)


@kernel_of("fill_where")
def fill_where(array, mask, value):
    if type(array) is not np.ndarray or word_of(array) is None or mask.dtype.char != "?" or mask.shape != array.shape:
        return None
    if not (array.flags.carray and mask.flags.c_contiguous) or np.may_share_memory(array, mask):
        return None
    number = np.empty(1, array.dtype)
    number[...] = value
    fill_all.machine(word_of(array))(array, mask.view(np.uint8), number, array.size, GRAIN)
    return array


@kernel_of("ascontiguousarray", least=RUNS)
def ascontiguousarray(array):
    return None if getattr(array, "flags", None) is None or array.flags.c_contiguous else copied(array)


@kernel_of("flipped")
def flipped(array, dims):
    if any(not -array.ndim <= dim < array.ndim for dim in dims) or type(array) is not np.ndarray:
        return None
    named = {dim % array.ndim for dim in dims}
    if len(named) != len(dims):
        return None
    view = array[tuple([slice(None, None, -1 if dim in named else 1) for dim in range(array.ndim)])]
    if array.flags.c_contiguous:
        return copied(view)
    order = outermost_first(array.shape, array.strides)
    result = copied(view.transpose(order))
    return None if result is None else result.transpose(inverse(order))


# ---- triangles


@native(inlined=True)
def triangle_rows(out: pointer(T), array: pointer(T), rows: int64, columns: int64, diagonal: int64, upper: int64,
                  begin: int64, end: int64):  # fmt: skip
    for row in range(begin, end):
        line, source = offset(out, row * columns), offset(array, row * columns)
        first, last = 0, max(0, min(columns, row % rows + diagonal + 1))
        if upper != 0:
            first, last = max(0, min(columns, row % rows + diagonal)), columns
        if columns < LANES:
            for i in range(columns):
                value = source[i]
                line[i] = value if uint64(i - first) < uint64(last - first) else T(0)
            continue
        clear(line, first)
        copy(offset(line, first), offset(source, first), last - first)
        clear(offset(line, last), columns - last)


@native(light=True)
def triangle_all(out: pointer(T), array: pointer(T), all: int64, rows: int64, columns: int64, diagonal: int64,
                 upper: int64, grain: int64):  # fmt: skip
    """Copies matrices (all / rows, rows, columns) with zeros on one side of a diagonal."""
    parallel_for(triangle_rows, all, grain, out, array, rows, columns, diagonal, upper)


def triangle(m, k: int, upper: bool):
    """Returns `m` with zeros on one side of its diagonal `k`."""
    word = word_of(m)
    if type(m) is not np.ndarray or m.ndim < 2 or word is None:
        return None
    out, (rows, columns) = np.empty(m.shape, m.dtype), m.shape[-2:]
    grain, k = max(1, GRAIN // columns), within_corners(rows, columns, k)
    triangle_all.machine(word)(out, packed(m), m.size // columns, rows, columns, k, upper, grain)
    return out


@kernel_of("tril", least=PLACED)
def tril(m, k=0):
    return triangle(m, k, False)


@kernel_of("triu", least=PLACED)
def triu(m, k=0):
    return triangle(m, k, True)


# ---- another dtype


@native
def cast_some(out: pointer(T), array: pointer(S), begin: int64, end: int64):
    whole, vectors = end - (end - begin) % AT_ONCE, end - (end - begin) % LANES
    for i in range(begin, whole, AT_ONCE):
        prefetch_lines(array, i, AT_ONCE, AHEAD)
        a, b = load(array, i), load(array, i + LANES)
        c, d = load(array, i + 2 * LANES), load(array, i + 3 * LANES)
        store(out, i, T(a))
        store(out, i + LANES, T(b))
        store(out, i + 2 * LANES, T(c))
        store(out, i + 3 * LANES, T(d))
    for i in range(whole, vectors, LANES):
        store(out, i, T(load(array, i)))
    for i in range(vectors, end):
        out[i] = T(array[i])


@native(inlined=True)
def cast_rows(out: pointer(T), array: pointer(S), plan: pointer(int64), begin: int64, end: int64):
    """Casts rows [begin, end) that are contiguous or one repeated element; `plan` as for copies."""
    second, rows, columns, step = plan[1], plan[2], plan[3], plan[11]
    for index in range(begin, end):
        block, row = index // rows, index % rows
        first, rest = block // second, block % second
        line = offset(out, first * plan[5] + rest * plan[6] + row * plan[9])
        source = offset(array, first * plan[7] + rest * plan[8] + row * plan[10])
        if step == 1:
            cast_some(line, source, 0, columns)
        else:
            value = T(source[0])
            for i in range(min(columns, LANES)):
                line[i] = value
            for i in range(LANES, columns, LANES):
                store(line, min(i, columns - LANES), load(line, 0))


@native(light=True)
def cast_all_rows(out: pointer(T), array: pointer(S), plan: pointer(int64), grain: int64):
    parallel_for(cast_rows, plan[0] * plan[1] * plan[2], max(1, grain // plan[3]), out, array, plan)


@native(light=True)
def cast_all(out: pointer(T), array: pointer(S), size: int64, grain: int64):
    parallel_for(cast_some, size, grain, out, array)


@kernel_of("astype", least=HALVED)
def astype(array, dtype):
    if array.size < (HALVED if dtype in HALVES or array.dtype in HALVES else LARGE):
        return None
    if type(array) is not np.ndarray or array.dtype == dtype:
        return None
    if array.dtype.kind == "c" and dtype in HALVES:
        real = laid_out_like(array, array.real.dtype)
        np.copyto(real, array.real)  # vectorized; NumPy's rounding to half precision is not
        array = real
    to_dtype, from_dtype = OF_NUMPY.get(np.dtype(dtype)), number_of(array)
    if to_dtype is None or from_dtype is None:
        return None
    return cast_to(array, dtype)


def cast_to(array, dtype):
    """Returns a cast copy in the array's axis order, without gaps; half precision goes through float32."""
    out = laid_out_like(array, dtype)
    types, size = (number_of(out), number_of(array)), array.itemsize
    inner = array
    if not array.flags.c_contiguous:
        inner = array.transpose(sorted(range(array.ndim), key=lambda dim: -out.strides[dim]))
    if not inner.flags.c_contiguous and array.flags.aligned:
        steps = tuple([stride // out.itemsize * size for stride in out.strides])
        found = planned(array.shape, steps, array.strides, size)
        if found is not None and found[1] and found[0][STEP] >= 0:
            cast_all_rows.machine(*types)(out, array, found[0], GRAIN)
            return out
    cast_all.machine(*types)(out, packed(inner), array.size, GRAIN)
    return out


@kernel_of("cast", least=HALVED)
def cast(array, dtype):
    return astype(array, dtype)


@kernel_of("cast_into", least=HALVED)
def cast_into(out, array):
    return None if overwrite(out, array) is None else True
