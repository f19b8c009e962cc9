"""Arrays between constant values: each row of the result is written once, from its beginning to its end.

NumPy fills the whole first, and then copies into it, on one thread.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.elementwise import full
from rushlight.arrays.layouts import INSIDE, channels_are_last, channels_inside, channels_outside
from rushlight.core.policy import GRAIN
from rushlight.kernels.arguments import packed, word_of
from rushlight.kernels.copies import copy_row, copy_some
from rushlight.kernels.vectors import LANES
from rushlight.lower.language import offset
from rushlight.lower.native import Element, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
MOST = 3  # dimensions that grow or are cut
# What a plan says of each of these: its size in the result, in the array, and how far behind the array begins.
GROWN, SIZE, BEFORE = range(3)


@native(alone=True)
def write_row(out: pointer(T), array: pointer(T), count: int64, step: int64):
    """A row, or one element repeated."""
    if count < LANES:
        copy_some(out, array, count, step)
    else:
        copy_row(out, array, count, step)


@native(inlined=True)
def enclose_rows(out: pointer(T), array: pointer(T), value: pointer(T), plan: pointer(int64), begin: int64, end: int64):
    """Rows [begin, end) of the result."""
    planes, rows, width = plan[GROWN], plan[3 + GROWN], plan[6 + GROWN]
    depth, height, length, before = plan[SIZE], plan[3 + SIZE], plan[6 + SIZE], plan[6 + BEFORE]
    first, last = max(int64(0), min(width, before)), max(int64(0), min(width, before + length))
    for piece in range(begin, end):
        outer, plane = piece // rows // planes, piece // rows % planes - plan[BEFORE]
        row = piece % rows - plan[3 + BEFORE]
        line = offset(out, piece * width)
        if plane < 0 or plane >= depth or row < 0 or row >= height:
            write_row(line, value, width, 0)
        else:
            source = offset(array, ((outer * depth + plane) * height + row) * length + first - before)
            write_row(line, value, first, 0)
            write_row(offset(line, first), source, last - first, 1)
            write_row(offset(line, last), value, width - last, 0)


@native(light=True)
def enclose(out: pointer(T), array: pointer(T), value: pointer(T), plan: pointer(int64), rows: int64, grain: int64):
    parallel_for(enclose_rows, rows, grain, out, array, value, plan)


@kernel_of("constant_pad")
def constant_pad(array, pads, value=0):
    kind = word_of(array)
    if type(array) is not np.ndarray or kind is None or not 0 < len(pads) <= min(MOST, array.ndim):
        return None
    if channels_are_last(array):
        order = INSIDE[array.ndim]
        every = [(0, 0)] * (array.ndim - len(pads)) + list(pads)
        inner = [every[dim] for dim in order]
        while len(inner) > 1 and inner[0] == (0, 0):
            inner = inner[1:]
        found = constant_pad(channels_inside(array), inner, value)
        return None if found is None else channels_outside(found)
    lead = array.ndim - len(pads)
    grown = [size + sum(pair) for size, pair in zip(array.shape[lead:], pads, strict=True)]
    if min(grown) <= 0:
        return None
    parts = zip(grown, array.shape[lead:], [pair[0] for pair in pads], strict=True)
    plan = np.array([(1, 1, 0)] * (MOST - len(pads)) + list(parts), np.int64)
    # PyTorch looks at the value where there is something to write it to.
    grows = value != 0 and any([each > 0 for pair in pads for each in pair])
    between = full(value, (1,), array.dtype) if grows else np.zeros(1, array.dtype)
    out = np.empty((*array.shape[:lead], *grown), array.dtype)
    rows = math.prod(out.shape[:-1])
    enclose.machine(kind)(out, packed(array), between, plan, rows, max(1, GRAIN // grown[-1]))
    return out
