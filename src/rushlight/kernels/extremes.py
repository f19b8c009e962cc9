"""Where the extremes of lines and columns are, and what they are: NaN before all numbers, of equal ones the first."""

from __future__ import annotations

import ast
import operator

import numpy as np

from rushlight.core.policy import GRAIN, REDUCED, SPREAD
from rushlight.kernels.extreme_calls import laid_out, planned
from rushlight.kernels.reduce import ORDERED, in_order, line_of, plain
from rushlight.kernels.vectors import (
    LANES,
    anywhere,
    chosen,
    first_lane,
    lanes_before,
    load,
    load_some,
    spread,
    store,
)
from rushlight.lower.language import compiled_as, larger, local, offset, smaller
from rushlight.lower.native import OF_NUMPY, Element, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")

STRIP = 128  # columns whose extremes are looked for together

more = compiled_as(lambda translation, *pair: translation.compared(ast.Gt(), *pair))(operator.gt)
less = compiled_as(lambda translation, *pair: translation.compared(ast.Lt(), *pair))(operator.lt)


def positions_in_lines(combine):
    """The kernel that finds the extreme of every line, and where it is first; NaN before all numbers."""
    line = line_of(combine, plain)

    @native(light=True)
    def rows(out: pointer(T), where: pointer(int64), array: pointer(T), length: int64, begin: int64, end: int64):
        for row in range(begin, end):
            source = offset(array, row * length)
            found, here, place = line(source, length, source[0], source[0]), lanes_before(0), -LANES
            while not anywhere(here):
                place += LANES
                now = load_some(source, place, 0, length - place)
                here = lanes_before(length - place) & ((now == spread(found)) | (now != now))
            out[row] = found
            where[row] = place + first_lane(here)

    @native(light=True)
    def of_lines(out: pointer(T), where: pointer(int64), array: pointer(T), before: int64, length: int64, grain: int64):
        parallel_for(rows, before, max(1, grain // length), out, where, array, length)

    return of_lines


def positions_in_columns(beats):
    """The kernel that finds the extreme of every column, and where it is first; NaN before all numbers."""

    @native(inlined=True)
    def strips(out: pointer(T), where: pointer(int64), array: pointer(T), length: int64, after: int64, many: int64,
               begin: int64, end: int64):  # fmt: skip
        best, places, block = local(T, STRIP), local(int64, STRIP), begin // many
        strip = begin - block * many
        for _ in range(begin, end):
            left = min(strip * STRIP, after - LANES)
            across, source = min(STRIP, after - left), offset(array, block * length * after + left)
            for row in range(length):
                for k in range(0, across, LANES):
                    new = load(source, row * after + min(k, across - LANES))
                    if row == 0:
                        store(best, k, new)
                        store(places, k, spread(int64(0)))
                    else:
                        old = load(best, k)
                        better = beats(new, old) | ((new != new) & (old == old))
                        if anywhere(better):  # seldom, after some rows
                            store(best, k, chosen(better, new, old))
                            store(places, k, chosen(better, spread(row), load(places, k)))
            for k in range(0, across, LANES):
                at = block * after + left + min(k, across - LANES)
                store(out, at, load(best, k))
                store(where, at, load(places, k))
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
    """(values, positions) of the extremes along an axis, or of everything; None where there is no kernel."""
    if type(array) is not np.ndarray or array.size < SPREAD or array.dtype not in ORDERED:
        return None
    if not in_order(array):
        laid = laid_out(array, axis, keepdims)
        found = None if laid is None else extremes(laid.array, laid.axes, True, is_largest)
        return None if found is None else tuple(laid.returned(each) for each in found)
    plan = planned(array.shape, axis, keepdims)
    if plan is None:
        return None
    values, places = np.empty(plan.shape, array.dtype), np.empty(plan.shape, np.int64)
    kernel = EXTREMES[is_largest][plan.columns].machine(OF_NUMPY[array.dtype])
    before, length, after = plan.sizes
    kernel(values, places, array, before, length, *([after] if plan.columns else []), GRAIN)
    return values, places


@kernel_of("extreme", least=SPREAD)
def extreme(array, axis, keepdims, largest):
    return extremes(array, axis, keepdims, largest)


def position_of(is_largest: bool):
    def function(array, axis=None, out=None, *, keepdims=False):
        if out is not None or axis is None:
            return None
        if array.flags.c_contiguous and axis % max(array.ndim, 1) == array.ndim - 1:
            return None  # along lines NumPy has vectors for this, and keeps no values
        found = extremes(array, axis, keepdims, is_largest)
        return None if found is None else found[1]

    return function


kernel_of("argmax", least=REDUCED)(position_of(True))
kernel_of("argmin", least=REDUCED)(position_of(False))
