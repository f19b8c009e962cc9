"""Positions and values of minima or maxima of rows and columns; NaN is first, then the first of equal elements."""

from __future__ import annotations

import ast
import operator

import numpy as np

from rushlight.core.policy import GRAIN, REDUCED, SPREAD
from rushlight.kernels.extreme_calls import laid_out, planned
from rushlight.kernels.reduce import ORDERED, in_order, line_of, plain
from rushlight.kernels.vectors import (
    LANES,
    any_lane,
    first_lane,
    lanes_before,
    load,
    load_some,
    select,
    splat,
    store,
)
from rushlight.lower.language import compiled_as, larger, local, offset, smaller
from rushlight.lower.native import OF_NUMPY, Element, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")

STRIP = 128  # columns per strip

more = compiled_as(lambda translation, *pair: translation.compared(ast.Gt(), *pair))(operator.gt)
less = compiled_as(lambda translation, *pair: translation.compared(ast.Lt(), *pair))(operator.lt)


def positions_in_lines(combine):
    """Returns the kernel that finds the extreme of every row and its first position."""
    line = line_of(combine, plain)

    @native(light=True)
    def rows(out: pointer(T), where: pointer(int64), array: pointer(T), length: int64, begin: int64, end: int64):
        for row in range(begin, end):
            source = offset(array, row * length)
            extreme, matches, start = line(source, length, source[0], source[0]), lanes_before(0), -LANES
            while not any_lane(matches):
                start += LANES
                values = load_some(source, start, 0, length - start)
                matches = lanes_before(length - start) & ((values == splat(extreme)) | (values != values))
            out[row] = extreme
            where[row] = start + first_lane(matches)

    @native(light=True)
    def of_lines(out: pointer(T), where: pointer(int64), array: pointer(T), before: int64, length: int64, grain: int64):
        parallel_for(rows, before, max(1, grain // length), out, where, array, length)

    return of_lines


def positions_in_columns(beats):
    """Returns the kernel that finds the extreme of every column and its first position."""

    @native(inlined=True)
    def strips(out: pointer(T), where: pointer(int64), array: pointer(T), length: int64, after: int64, many: int64,
               begin: int64, end: int64):  # fmt: skip
        best, positions, block = local(T, STRIP), local(int64, STRIP), begin // many
        strip = begin - block * many
        for _ in range(begin, end):
            column = min(strip * STRIP, after - LANES)
            width, source = min(STRIP, after - column), offset(array, block * length * after + column)
            for row in range(length):
                for k in range(0, width, LANES):
                    new = load(source, row * after + min(k, width - LANES))
                    if row == 0:
                        store(best, k, new)
                        store(positions, k, splat(int64(0)))
                    else:
                        old = load(best, k)
                        better = beats(new, old) | ((new != new) & (old == old))
                        if any_lane(better):  # rare after some rows
                            store(best, k, select(better, new, old))
                            store(positions, k, select(better, splat(row), load(positions, k)))
            for k in range(0, width, LANES):
                at = block * after + column + min(k, width - LANES)
                store(out, at, load(best, k))
                store(where, at, load(positions, k))
            strip += 1
            if strip == many:
                block, strip = block + 1, 0

    @native(light=True)
    def of_columns(out: pointer(T), where: pointer(int64), array: pointer(T), before: int64, length: int64,
                   after: int64, grain: int64):  # fmt: skip
        many, least = (after + STRIP - 1) // STRIP, max(1, grain // (length * min(after, STRIP)))
        parallel_for(strips, before * many, least, out, where, array, length, after, many)

    return of_columns


EXTREMES = {
    True: (positions_in_lines(larger), positions_in_columns(more)),
    False: (positions_in_lines(smaller), positions_in_columns(less)),
}


def extremes(array, axis, keepdims: bool, is_largest: bool):
    """Returns (values, positions) of the extremes along an axis, or of all elements; None if no kernel fits."""
    if type(array) is not np.ndarray or array.size < SPREAD or array.dtype not in ORDERED:
        return None
    if not in_order(array):
        plan_of_copy = laid_out(array, axis, keepdims)
        result = None if plan_of_copy is None else extremes(plan_of_copy.array, plan_of_copy.axes, True, is_largest)
        return None if result is None else tuple(plan_of_copy.restore(x) for x in result)
    plan = planned(array.shape, axis, keepdims)
    if plan is None:
        return None
    values, positions = np.empty(plan.shape, array.dtype), np.empty(plan.shape, np.int64)
    kernel = EXTREMES[is_largest][plan.columns].machine(OF_NUMPY[array.dtype])
    before, length, after = plan.sizes
    kernel(values, positions, array, before, length, *([after] if plan.columns else []), GRAIN)
    return values, positions


@kernel_of("extreme", least=SPREAD)
def extreme(array, axis, keepdims, largest):
    return extremes(array, axis, keepdims, largest)


def position_of(is_largest: bool):
    def function(array, axis=None, out=None, *, keepdims=False):
        if out is not None or axis is None:
            return None
        if array.flags.c_contiguous and axis % max(array.ndim, 1) == array.ndim - 1:
            return None  # along rows NumPy is vectorized, and stores no values
        result = extremes(array, axis, keepdims, is_largest)
        return None if result is None else result[1]

    return function


kernel_of("argmax", least=REDUCED)(position_of(True))
kernel_of("argmin", least=REDUCED)(position_of(False))
