"""Copies: of arrays whose dimensions lie in another order, and into another dtype.

A transposed copy goes through square tiles, so that both the lines that are read and those that are written stay in the
cache until they are done with.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.compiler.kernels.replacing import GRAIN, LARGE, number_of, packed, replaces, word_of
from rushlight.compiler.language import copy, offset
from rushlight.compiler.native import Element, bfloat16, boolean, float16, float64, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

T = Element("T")
S = Element("S")

TILE = 16


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
    """Rows [begin, end) that are whole in both; `plan` as for tiles, a strip being one row."""
    second, rows, columns = plan[1], plan[2], plan[3]
    for piece in range(begin, end):
        first, row = piece // rows, piece % rows
        block, rest = first // second, first % second
        source = offset(array, block * plan[7] + rest * plan[8] + row * plan[10])
        copy(offset(out, piece * columns), source, columns)


@native
def copy_plan(out: pointer(T), array: pointer(T), plan: pointer(int64), grain: int64):
    outer, rows, columns = plan[0] * plan[1], plan[2], plan[3]
    if plan[11] == 1:
        parallel_for(copy_rows, outer * rows, max(1, grain // columns), out, array, plan)
    else:
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
    nearest = rest[-1] if last[2] == 1 else min(rest, key=lambda each: abs(each[2]) if each[0] > 1 else math.inf)
    rest.remove(nearest)
    first, second = rest
    plan = [first[0], second[0], nearest[0], last[0], -(-nearest[0] // TILE)]
    plan += [first[1], second[1], first[2], second[2], nearest[1], nearest[2], last[2]]
    out = np.empty(array.shape, array.dtype)
    copy_plan.machine(word_of(array))(out, array, np.array(plan, np.int64), GRAIN)
    return out


@replaces("core.formats", "in_order")
def in_order(array):
    return copied(array)


@replaces("cpu", "ascontiguousarray")
def ascontiguousarray(array):
    return None if getattr(array, "flags", None) is None or array.flags.c_contiguous else copied(array)


# ---- into another dtype


@native
def cast_some(out: pointer(T), array: pointer(S), begin: int64, end: int64):
    for i in range(begin, end):
        out[i] = T(array[i])


@native
def cast_all(out: pointer(T), array: pointer(S), size: int64, grain: int64):
    parallel_for(cast_some, size, grain, out, array)


@replaces("cpu", "astype")
def astype(array, dtype):
    if type(array) is not np.ndarray or array.size < LARGE or array.dtype == dtype or not array.flags.c_contiguous:
        return None
    out = np.empty(array.shape, dtype)
    kind, given = number_of(out), number_of(array)
    if kind is None or given is None or not is_exact_enough(kind, given):
        return None
    cast_all.machine(kind, given)(out, packed(array), array.size, GRAIN)
    return out


def is_exact_enough(kind, given) -> bool:
    """Whether a cast is NumPy's, bit for bit: not of floats to whole numbers, nor to halves by way of float32."""
    if kind in (float16, bfloat16):
        return given is not float64 and given.bits <= 16 or given.kind == "f" and given is not float64
    return kind is boolean or given.kind != "f" or kind.kind == "f"
