"""Copies: of arrays whose dimensions lie in another order, and into another dtype.

A transposed copy goes through square tiles, so that both the lines that are read and those that are written stay in the
cache until they are done with.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.compiler.kernels.replacing import number_of, packed, replaces, word_of
from rushlight.compiler.kernels.vectors import LANES, load, spread, store, turned
from rushlight.compiler.language import clear, copy, offset
from rushlight.compiler.native import OF_NUMPY, Element, int64, native, pointer, uint64
from rushlight.compiler.parallel import parallel_for
from rushlight.compiler.sizes import GRAIN, LARGE, PLACED

T = Element("T")
S = Element("S")

TILE = 16
SHORT = 128  # elements that are moved sooner than a function is called


# ---- into another order


@native(one_at_a_time=True)
def copy_tiles(out: pointer(T), array: pointer(T), plan: pointer(int64), begin: int64, end: int64):
    """Strips of tiles [begin, end). `plan` holds lengths and steps: of two outer dimensions, and of the tiles."""
    second, rows, columns, strips = plan[1], plan[2], plan[3], plan[4]
    row_to, row_from, column_from = plan[9], plan[10], plan[11]
    for piece in range(begin, end):
        first, strip = piece // strips, piece % strips * TILE
        block, rest = first // second, first % second
        to = offset(out, block * plan[5] + rest * plan[6] + strip * row_to)
        source = offset(array, block * plan[7] + rest * plan[8] + strip * row_from)
        high = min(TILE, rows - strip)
        for column in range(0, columns, TILE):
            wide = min(TILE, columns - column)
            for i in range(high):
                line, given = offset(to, i * row_to + column), offset(source, i * row_from + column * column_from)
                for k in range(wide):
                    line[k] = given[k * column_from]


@native
def copy_rows(out: pointer(T), array: pointer(T), plan: pointer(int64), begin: int64, end: int64):
    """Rows [begin, end) that are whole in both, turned round, or one element repeated; `plan` as for tiles."""
    second, rows, columns, step = plan[1], plan[2], plan[3], plan[11]
    piece = begin
    while piece < end:
        first = piece // rows
        stop = min(end, (first + 1) * rows)
        block = offset(array, first // second * plan[7] + first % second * plan[8] - first * rows * plan[10])
        if columns < LANES:
            for row in range(piece, stop):
                copy_some(offset(out, row * columns), offset(block, row * plan[10]), columns, step)
        else:
            for row in range(piece, stop):
                copy_row(offset(out, row * columns), offset(block, row * plan[10]), columns, step)
        piece = stop


@native(inlined=True)
def copy_some(out: pointer(T), array: pointer(T), columns: int64, step: int64):
    for k in range(columns):
        out[k] = array[k * step]


@native(inlined=True)
def copy_row(out: pointer(T), array: pointer(T), columns: int64, step: int64):
    """In vectors, the last of which overlaps the one before it unless little is left."""
    last, covered, rest = columns - LANES, columns, columns % LANES
    if 2 * rest < LANES:
        covered -= rest
    if step == 1 and columns > SHORT:
        copy(out, array, columns)
        return
    if step == 0:
        value = spread(array[0])
        for k in range(0, covered, LANES):
            store(out, min(k, last), value)
    elif step == 1:
        for k in range(0, covered, LANES):
            store(out, min(k, last), load(array, min(k, last)))
    else:
        for k in range(0, covered, LANES):
            store(out, min(k, last), turned(load(array, 1 - LANES - min(k, last))))
    copy_some(offset(out, covered), offset(array, covered * step), columns - covered, step)


@native(light=True)
def all_rows(out: pointer(T), array: pointer(T), plan: pointer(int64), grain: int64):
    outer, rows, columns = plan[0] * plan[1], plan[2], plan[3]
    parallel_for(copy_rows, outer * rows, max(1, grain // columns), out, array, plan)


@native
def all_tiles(out: pointer(T), array: pointer(T), plan: pointer(int64), grain: int64):
    outer, columns = plan[0] * plan[1], plan[3]
    parallel_for(copy_tiles, outer * plan[4], max(1, grain // (TILE * columns)), out, array, plan)


def merged(array) -> list[tuple[int, int]]:
    """(length, step in elements) of the dimensions, neighbours joined where they lie one in the other."""
    found: list[tuple[int, int]] = []
    for length, step in zip(array.shape, array.strides, strict=True):
        if length == 1:
            continue
        step //= array.itemsize
        if found and found[-1][1] == length * step:
            found[-1] = (found[-1][0] * length, step)
        else:
            found.append((length, step))
    return found


def copied(array):
    """The array in C order, None where there is no kernel."""
    if array.size < LARGE or type(array) is not np.ndarray or word_of(array) is None or not array.flags.aligned:
        return None
    dims = merged(array) or [(1, 1)]
    if len(dims) > 4 or any(step % array.itemsize for step in array.strides):
        return None
    return planned(array, [(1, 0)] * (4 - len(dims)) + dims)


def planned(array, dims):
    """Copies by the plan: the tiles lie in the last dimension and the one in which the array's elements are nearest."""
    steps = [math.prod(length for length, _ in dims[at + 1 :]) for at in range(len(dims))]
    lengths = [(length, to, step) for (length, step), to in zip(dims, steps, strict=True)]
    *rest, last = lengths
    nearest = (
        rest[-1] if last[2] in (-1, 0, 1) else min(rest, key=lambda each: abs(each[2]) if each[0] > 1 else math.inf)
    )
    rest.remove(nearest)
    first, second = rest
    plan = [first[0], second[0], nearest[0], last[0], -(-nearest[0] // TILE)]
    plan += [first[1], second[1], first[2], second[2], nearest[1], nearest[2], last[2]]
    out = np.empty(array.shape, array.dtype)
    kernel = all_rows if last[2] in (-1, 0, 1) else all_tiles
    kernel.machine(word_of(array))(out, array, np.array(plan, np.int64), GRAIN)
    return out


@replaces("core.formats", "in_order")
def in_order(array):
    return copied(array)


@replaces("cpu", "ascontiguousarray")
def ascontiguousarray(array):
    return None if getattr(array, "flags", None) is None or array.flags.c_contiguous else copied(array)


@replaces("joining", "flipped")
def flipped(array, dims):
    if any(not -array.ndim <= dim < array.ndim for dim in dims) or type(array) is not np.ndarray:
        return None
    named = {dim % array.ndim for dim in dims}
    if len(named) != len(dims):
        return None
    return copied(array[tuple(slice(None, None, -1 if dim in named else 1) for dim in range(array.ndim))])


# ---- one behind the other


@native
def place_rows(out: pointer(T), array: pointer(T), columns: int64, step: int64, begin: int64, end: int64):
    for row in range(begin, end):
        copy(offset(out, row * step), offset(array, row * columns), columns)


@native
def place_parts(out: pointer(T), array: pointer(T), begin: int64, end: int64):
    copy(offset(out, begin), offset(array, begin), end - begin)


@native(light=True)
def place_all(out: pointer(T), array: pointer(T), rows: int64, columns: int64, step: int64, grain: int64):
    """Writes rows of an array that lie one behind the other to places that are `step` apart."""
    if rows == 1:
        parallel_for(place_parts, columns, grain, out, array)
    else:
        parallel_for(place_rows, rows, max(1, grain // columns), out, array, columns, step)


def joined(arrays, rows: int):
    """Arrays of one dtype, each (rows, something), one behind the other in every row."""
    first = arrays[0]
    lengths = [each.size // rows for each in arrays]
    out = np.empty((rows, sum(lengths)), first.dtype)
    kernel, start = place_all.machine(word_of(first)), 0
    for each, length in zip(arrays, lengths, strict=True):
        if length:
            kernel(out[:, start:], packed(each), rows, length, out.shape[1], GRAIN)
        start += length
    return out


def can_be_joined(arrays) -> bool:
    """Whether arrays are NumPy's, of one dtype that is moved in words, and large together."""
    first = arrays[0]
    if first.size * len(arrays) < LARGE or word_of(first) is None:
        return False
    return all([type(each) is np.ndarray and each.dtype == first.dtype for each in arrays])


@replaces("joining", "cat", sized=None)
def cat(arrays, dim):
    first = arrays[0]
    if not can_be_joined(arrays) or not -first.ndim <= dim < first.ndim:
        return None
    dim %= first.ndim
    shapes = {each.shape[:dim] + each.shape[dim + 1 :] if each.ndim == first.ndim else None for each in arrays}
    rows = math.prod(first.shape[:dim])
    if len(shapes) > 1 or not rows or first.size // rows < SHORT:  # narrow ones NumPy moves as fast
        return None
    length = sum([each.shape[dim] for each in arrays])
    return joined(arrays, rows).reshape(*first.shape[:dim], length, *first.shape[dim + 1 :])


@replaces("joining", "stack_along", sized=None)
def stack_along(arrays, dim):
    first = arrays[0]
    if not can_be_joined(arrays) or not -first.ndim - 1 <= dim <= first.ndim:
        return None
    dim %= first.ndim + 1
    rows = math.prod(first.shape[:dim])
    if any([each.shape != first.shape for each in arrays]) or not rows or first.size // rows < SHORT:
        return None
    return joined(arrays, rows).reshape(*first.shape[:dim], len(arrays), *first.shape[dim:])


# ---- one side of a diagonal


@native
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
    """Matrices (all / rows, rows, columns) with zeros on one side of a diagonal."""
    parallel_for(triangle_rows, all, grain, out, array, rows, columns, diagonal, upper)


def triangle(m, k: int, upper: bool):
    """`m` with zeros on one side of its diagonal number `k`."""
    kind = word_of(m)
    if type(m) is not np.ndarray or m.ndim < 2 or kind is None:
        return None
    out, (rows, columns) = np.empty(m.shape, m.dtype), m.shape[-2:]
    grain = max(1, GRAIN // columns)
    triangle_all.machine(kind)(out, packed(m), m.size // columns, rows, columns, k, upper, grain)
    return out


@replaces("cpu", "tril", least=PLACED)
def tril(m, k=0):
    return triangle(m, k, False)


@replaces("cpu", "triu", least=PLACED)
def triu(m, k=0):
    return triangle(m, k, True)


# ---- into another dtype


@native
def cast_some(out: pointer(T), array: pointer(S), begin: int64, end: int64):
    whole = end - (end - begin) % LANES
    for i in range(begin, whole, LANES):
        store(out, i, T(load(array, i)))
    for i in range(whole, end):
        out[i] = T(array[i])


@native(light=True)
def cast_all(out: pointer(T), array: pointer(S), size: int64, grain: int64):
    parallel_for(cast_some, size, grain, out, array)


@replaces("cpu", "astype")
def astype(array, dtype):
    if type(array) is not np.ndarray or array.size < LARGE or array.dtype == dtype:
        return None
    kind, given = OF_NUMPY.get(np.dtype(dtype)), number_of(array)
    if kind is None or given is None:
        return None
    if array.flags.c_contiguous:
        return cast_to(array, dtype)
    # The result lies in memory as the array does.
    order = sorted(range(array.ndim), key=lambda dim: -array.strides[dim])
    inner = array.transpose(order)
    return cast_to(inner, dtype).transpose(np.argsort(order)) if inner.flags.c_contiguous else None


def cast_to(array, dtype):
    """A contiguous array in another dtype, small floats by way of float32."""
    out = np.empty(array.shape, dtype)
    cast_all.machine(number_of(out), number_of(array))(out, packed(array), array.size, GRAIN)
    return out


@replaces("dispatch.errors_of_numpy", "cast")
def cast(array, kind):
    return astype(array, kind)
