"""Primitives that scan along a dimension, or order the elements of one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.onnx.elements import (
    absolute,
    add,
    astype,
    divide,
    equal,
    greater,
    is_nan,
    logical,
    logical_not,
    maximum,
    minimum,
    multiply,
    reduced,
    subtract,
    unary,
    where,
)  # fmt: skip
from rushlight.onnx.indexing import highest, lowest
from rushlight.onnx.moves import sliced
from rushlight.onnx.table import Call, writes
from rushlight.onnx.writer import BOOL, INT64, Value

# ---- along a dimension


def as_vector(call: Call, input: Value, dim) -> tuple[Value, int]:
    """Returns an operand with at least one dimension, and the axis."""
    return (input, dim % input.ndim) if input.ndim else (call.writer.flat(input), 0)


@writes("cumsum")
def cumsum(call: Call, input: Value, dim, dtype=None) -> Value:
    input, axis = as_vector(call, call.writer.cast(input, call.dtype), dim)
    wide = astype(input, INT64) if input.dtype.kind in "ui" and input.dtype.itemsize < 4 else input
    done = call.writer.op("CumSum", wide, call.writer.constant(np.int64(axis)), shape=input.shape)
    return call.writer.reshape(done, call.shape)


@writes("logcumsumexp")
def logcumsumexp(call: Call, input: Value, dim) -> Value:
    wide, seen, axis = prefixes(call, input, dim)
    masked = where(seen, wide, call.writer.scalar(-math.inf, input.dtype))
    most = reduced("ReduceMax", masked, (axis + 1,), True)
    most = where(equal(absolute(most), math.inf), call.writer.scalar(0, input.dtype), most)
    total = reduced("ReduceSum", unary("Exp", subtract(masked, most)), (axis + 1,), True)
    return call.writer.reshape(add(unary("Log", total), most), call.shape)


def prefixes(call: Call, input: Value, dim) -> tuple[Value, Value, int]:
    """Returns an operand for each prefix along a dimension, which elements it has, and the axis of the prefixes."""
    writer = call.writer
    input, axis = as_vector(call, input, dim)
    size = input.shape[axis]
    wide = writer.reshape(input, (*input.shape[:axis], 1, *input.shape[axis:]))
    rest = (1,) * (input.ndim - axis - 1)
    here = writer.reshape(writer.range_of(size), (size, 1, *rest))
    there = writer.reshape(writer.range_of(size), (1, size, *rest))
    seen = writer.op("LessOrEqual", there, here, dtype=BOOL, shape=(size, size, *rest))
    return wide, seen, axis


@writes("cumprod")
def cumprod(call: Call, input: Value, dim, dtype=None) -> Value:
    wide, seen, axis = prefixes(call, call.writer.cast(input, call.dtype), dim)
    masked = where(seen, wide, call.writer.scalar(1, wide.dtype))
    return call.writer.reshape(reduced("ReduceProd", masked, (axis + 1,), False), call.shape)


@writes("cummax", "cummin")
def running_extreme(call: Call, input: Value, dim) -> list[Value]:
    largest, dtype = call.op.name == "cummax", input.dtype
    input = astype(input, np.int32) if dtype == BOOL or dtype.itemsize < 4 else input
    wide, seen, axis = prefixes(call, input, dim)
    masked = where(seen, wide, call.writer.scalar((lowest if largest else highest)(wide.dtype), wide.dtype))
    values = reduced("ReduceMax" if largest else "ReduceMin", masked, (axis + 1,), False)
    kind = "ArgMax" if largest else "ArgMin"
    at = call.writer.op(kind, masked, dtype=INT64, axis=axis + 1, keepdims=0, select_last_index=1)
    return [astype(call.writer.reshape(values, call.shape), dtype), call.writer.reshape(at, call.shape)]


# ---- order


def ordered(call: Call, input: Value, dim, count: Any, largest: bool) -> tuple[Value, Value, int]:
    """Writes the first elements in order, with their positions, and the axis."""
    writer, dtype = call.writer, input.dtype
    input, axis = as_vector(call, input, dim)
    if dtype == BOOL or dtype.itemsize < 4:
        input = astype(input, np.int32 if dtype.kind in "bui" else np.float32)
    names = writer.nodes_of("TopK", [input, writer.ints([count])], 2, axis=axis, largest=int(largest))
    shape = (*input.shape[:axis], count, *input.shape[axis + 1 :])
    return astype(Value(writer, names[0], input.dtype, shape), dtype), Value(writer, names[1], INT64, shape), axis


@writes("sort")
def sort(call: Call, input: Value, dim=-1, descending=False, stable=None) -> list[Value]:
    size = input.shape[dim] if input.ndim else 1
    values, positions, _ = ordered(call, input, dim, size, descending)
    return [call.writer.reshape(values, call.shape), call.writer.reshape(positions, call.shape)]


@writes("argsort")
def argsort(call: Call, input: Value, dim=-1, descending=False, stable=False) -> Value:
    return sort(call, input, dim, descending)[1]


@writes("topk")
def topk(call: Call, input: Value, k, dim=-1, largest=True, sorted=True) -> list[Value]:
    values, positions, _ = ordered(call, input, dim, k, largest)
    return [call.writer.reshape(values, call.shape), call.writer.reshape(positions, call.shape)]


def ranked(call: Call, input: Value, dim, k: Any, keepdim: bool) -> list[Value]:
    """Writes the element of a rank, from 1, and its place."""
    values, positions, axis = ordered(call, input, dim, k, False)
    picked = [sliced(call, each, axis, k - 1, k) for each in (values, positions)]
    return [call.writer.reshape(Value(call.writer, each.name, each.dtype), call.shape) for each in picked]


@writes("kthvalue")
def kthvalue(call: Call, input: Value, k, dim=-1, keepdim=False) -> list[Value]:
    return ranked(call, input, dim, k, keepdim)


@writes("median_dim")
def median_dim(call: Call, input: Value, dim, keepdim=False) -> list[Value]:
    size = input.shape[dim] if input.ndim else 1
    return ranked(call, input, dim, (size - 1) // 2 + 1, keepdim)


@writes("median_all")
def median_all(call: Call, input: Value) -> Value:
    return ranked(call, call.writer.flat(input), 0, (input.size - 1) // 2 + 1, False)[0]


@writes("nanmedian_dim", "nanmedian_all")
def nanmedian(call: Call, input: Value, dim=0, keepdim=False) -> list[Value]:
    """Writes the lower median of the elements that are numbers: NaN counts as infinity, and its rank is cut."""
    writer = call.writer
    if call.op.name == "nanmedian_all":
        input = writer.flat(input)
    input, axis = as_vector(call, input, dim)
    missing = is_nan(input)
    last = where(missing, writer.scalar(highest(input.dtype), input.dtype), input)
    values, positions, _ = ordered(call, last, axis, input.shape[axis], False)
    count = reduced("ReduceSum", astype(logical_not(missing), INT64), (axis,), True)
    at = maximum((count - 1) // 2, 0)
    picked = [writer.op("GatherElements", each, at, axis=axis, shape=at.shape) for each in (values, positions)]
    picked[0] = (
        where(equal(count, 0), writer.scalar(math.nan, input.dtype), picked[0])
        if input.dtype.kind == "f"
        else picked[0]
    )
    return [writer.reshape(each, call.shape) for each in picked]


@writes("mode")
def mode(call: Call, input: Value, dim=-1, keepdim=False) -> list[Value]:
    """Writes the smallest of the most frequent elements, and the last place that has it."""
    writer = call.writer
    input, axis = as_vector(call, input, dim)
    wide = writer.reshape(input, (*input.shape[:axis], 1, *input.shape[axis:]))
    each = writer.reshape(input, (*input.shape[: axis + 1], 1, *input.shape[axis + 1 :]))
    counts = reduced("ReduceSum", astype(equal(each, wide), INT64), (axis + 1,), False)
    frequent = equal(counts, reduced("ReduceMax", counts, (axis,), True))
    rest = writer.scalar(highest(input.dtype), input.dtype)
    value = reduced("ReduceMin", where(frequent, input, rest), (axis,), True)
    same = astype(equal(input, value), np.int32)
    at = writer.op("ArgMax", same, dtype=INT64, axis=axis, keepdims=1, select_last_index=1)
    return [writer.reshape(value, call.shape), writer.reshape(at, call.shape)]


@writes("histc")
def histc(call: Call, input: Value, bins=100, min=0, max=0) -> Value:
    """Counts elements in bins of equal widths; the last includes its upper bound."""
    writer, flat = call.writer, call.writer.flat(input)
    low, high = writer.scalar(min, input.dtype), writer.scalar(max, input.dtype)
    if min == max:
        low, high = (reduced(kind, flat, None, False) for kind in ("ReduceMin", "ReduceMax"))
        alone = equal(low, high)
        low, high = where(alone, low - 1, low), where(alone, high + 1, high)
    place = unary("Floor", divide(multiply(subtract(flat, low), bins), subtract(high, low)))
    place = astype(minimum(place, bins - 1), INT64)
    inside = logical("And", logical_not(greater(flat, high)), logical_not(greater(low, flat)))
    edges = writer.reshape(writer.range_of(bins), (bins, 1))
    hits = logical("And", equal(place, edges), inside)
    hits.shape = (bins, flat.shape[0])
    return reduced("ReduceSum", astype(hits, call.dtype), (1,), False)
