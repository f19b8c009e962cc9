"""Primitives that reduce dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.declarations.statistics import chosen
from rushlight.export.sizes import Varying
from rushlight.onnx.elements import (
    absolute,
    add,
    as_bool,
    astype,
    divide,
    equal,
    greater,
    is_nan,
    logical_not,
    maximum,
    multiply,
    power,
    reduced,
    subtract,
    unary,
    where,
)  # fmt: skip
from rushlight.onnx.table import Call, axes_of, writes
from rushlight.onnx.writer import BOOL, INT64, Refused, Value


def over(call: Call, kind: str, input: Value, dim: Any, keepdim: bool) -> Value:
    """Writes a reduction whose result has the shape of the call's."""
    result = reduced(kind, input, axes_of(dim, input.ndim), keepdim) if input.ndim else input
    return call.writer.reshape(result, call.shape)


@writes("sum", "sum_to_size_of", "channel_sum")
def sum(call: Call, input: Value, dim=None, keepdim=False, dtype=None, shape=None) -> Value:
    input = call.writer.cast(input, call.dtype)
    if call.op.name == "channel_sum":
        dim = [axis for axis in range(input.ndim) if axis != 1]
    elif shape is not None:
        extra = input.ndim - len(shape)
        ones = [at + extra for at, size in enumerate(shape) if type(size) is int and size == 1]
        dim = [*range(extra), *ones]
        return input if not dim else over(call, "ReduceSum", input, dim, keepdim)
    return over(call, "ReduceSum", input, dim, keepdim)


@writes("mean")
def mean(call: Call, input: Value, dim=None, keepdim=False, dtype=None) -> Value:
    if not input.size:
        return call.writer.filled(call.shape, math.nan, call.dtype)
    return over(call, "ReduceMean", call.writer.cast(input, call.dtype), dim, keepdim)


@writes("nansum")
def nansum(call: Call, input: Value, dim=None, keepdim=False, dtype=None) -> Value:
    input = call.writer.cast(input, call.dtype)
    return over(call, "ReduceSum", where(is_nan(input), call.writer.scalar(0, input.dtype), input), dim, keepdim)


@writes("prod")
def prod(call: Call, input: Value, dim=None, keepdim=False, dtype=None) -> Value:
    return over(call, "ReduceProd", call.writer.cast(input, call.dtype), dim, keepdim)


@writes("any")
def any_(call: Call, input: Value, dim=None, keepdim=False) -> Value:
    return astype(over(call, "ReduceSum", astype(as_bool(input), INT64), dim, keepdim), BOOL)


@writes("all")
def all_(call: Call, input: Value, dim=None, keepdim=False) -> Value:
    false = astype(logical_not(input), INT64)
    return logical_not(over(call, "ReduceSum", false, dim, keepdim))


@writes("count_nonzero")
def count_nonzero(call: Call, input: Value, dim=None) -> Value:
    return over(call, "ReduceSum", astype(as_bool(input), INT64), dim, False)


@writes("trace")
def trace(call: Call, input: Value) -> Value:
    writer, (rows, columns) = call.writer, input.shape
    on = equal(writer.reshape(writer.range_of(rows), (rows, 1)), writer.range_of(columns))
    input = writer.cast(input, call.dtype)
    return reduced("ReduceSum", where(on, input, writer.scalar(0, input.dtype)), None, False)


@writes("logsumexp")
def logsumexp(call: Call, input: Value, dim, keepdim=False) -> Value:
    input, axes = call.writer.cast(input, call.dtype), axes_of(dim, input.ndim)
    if not input.ndim:
        return input
    most = reduced("ReduceMax", input, axes, True)
    most = where(equal(absolute(most), math.inf), call.writer.scalar(0, input.dtype), most)
    total = reduced("ReduceSum", unary("Exp", subtract(input, most)), axes, True)
    return call.writer.reshape(add(unary("Log", total), most), call.shape)


# ---- the largest and the smallest


def extreme(call: Call, input: Value, dim: Any, keepdim: bool, largest: bool) -> Value:
    kind, narrow = ("ReduceMax" if largest else "ReduceMin"), input.dtype
    if narrow == BOOL or narrow.itemsize < 4:
        input = astype(input, np.int32 if narrow.kind in "bui" else np.float32)
    return astype(over(call, kind, input, dim, keepdim), narrow)


@writes("amax", "max_all")
def amax(call: Call, input: Value, dim=None, keepdim=False) -> Value:
    return extreme(call, input, dim, keepdim, True)


@writes("amin", "min_all")
def amin(call: Call, input: Value, dim=None, keepdim=False) -> Value:
    return extreme(call, input, dim, keepdim, False)


@writes("min_and_max")
def min_and_max(call: Call, input: Value, dim, keepdim) -> list[Value]:
    return [extreme(call, input, dim, keepdim, False), extreme(call, input, dim, keepdim, True)]


@writes("max_dim", "min_dim")
def extreme_of_dim(call: Call, input: Value, dim, keepdim=False) -> list[Value]:
    largest = call.op.name == "max_dim"
    return [extreme(call, input, dim, keepdim, largest), place_of_extreme(call, input, dim, keepdim, largest)]


@writes("argmax", "argmin")
def argmax(call: Call, input: Value, dim=None, keepdim=False) -> Value:
    return place_of_extreme(call, input, dim, keepdim, call.op.name == "argmax")


def place_of_extreme(call: Call, input: Value, dim, keepdim: bool, largest: bool) -> Value:
    writer, shape = call.writer, call.shape
    if input.dtype.kind in "bui":
        input = astype(input, np.int32 if input.dtype.itemsize < 8 else INT64)
    if dim is None or not input.ndim:
        input, dim = writer.flat(input), 0
    position = writer.op(
        "ArgMax" if largest else "ArgMin", input, dtype=INT64, axis=dim % input.ndim, keepdims=int(keepdim)
    )
    return writer.reshape(position, shape)


# ---- norms, and moments


@writes("linalg_vector_norm", "norm_of_rows")
def vector_norm(call: Call, input: Value, ord=2, dim=None, keepdim=False, dtype=None, p=None) -> Value:
    if p is not None:
        ord, dim = p, -1
    return norm(call, call.writer.cast(input, call.dtype), ord, dim, keepdim)


def norm(call: Call, input: Value, order: float, dim, keepdim: bool) -> Value:
    if order == 2:
        return unary("Sqrt", over(call, "ReduceSum", multiply(input, input), dim, keepdim))
    sizes = absolute(input)
    if order == 0:
        return over(call, "ReduceSum", astype(as_bool(sizes), input.dtype), dim, keepdim)
    if order == 1:
        return over(call, "ReduceSum", sizes, dim, keepdim)
    if math.isinf(order):
        return extreme(call, sizes, dim, keepdim, order > 0)
    return power(over(call, "ReduceSum", power(sizes, order), dim, keepdim), 1 / order)


@writes("dist")
def dist(call: Call, input: Value, other: Value, p=2) -> Value:
    return norm(call, call.writer.cast(subtract(input, other), call.dtype), p, None, False)


@writes("renorm")
def renorm(call: Call, input: Value, p, dim, maxnorm) -> Value:
    axes = [axis for axis in range(input.ndim) if axis != dim % input.ndim]
    shape = tuple([1 if axis in axes else size for axis, size in enumerate(input.shape)])
    size = norm(call._replace(results=[call.results[0]._replace(shape=shape)]), input, p, axes, True)
    factor = where(greater(size, maxnorm), divide(maxnorm, add(size, 1e-7)), call.writer.scalar(1, input.dtype))
    return multiply(input, factor)


@writes("raised")
def raised(call: Call, input: Value, least) -> Value:
    return maximum(input, least)


@writes("cdist")
def cdist(call: Call, x1: Value, x2: Value, p=2.0, compute_mode=None) -> Value:
    writer = call.writer
    rows = writer.reshape(x1, (*x1.shape[:-1], 1, x1.shape[-1]))
    columns = writer.reshape(x2, (*x2.shape[:-2], 1, *x2.shape[-2:]))
    return (
        norm(call, subtract(rows, columns), p, -1, False) if x1.shape[-1] else writer.filled(call.shape, 0, call.dtype)
    )


@writes("pdist")
def pdist(call: Call, input: Value, p=2.0) -> Value:
    writer, (count, _) = call.writer, input.shape
    if type(count) is Varying:
        raise Refused("distances of pairs whose number may change")
    one, other = np.triu_indices(count, 1)
    picked = [writer.op("Gather", input, writer.constant(each, INT64), axis=0) for each in (one, other)]
    difference = subtract(*picked)
    difference.shape = (len(one), input.shape[1])
    return norm(call, difference, p, -1, False)


def moments(call: Call, input: Value, dim, keepdim: bool, correction) -> tuple[Value, Value]:
    """Writes the variance and the mean."""
    writer, axes = call.writer, axes_of(dim, input.ndim)
    if not input.size:
        return (writer.filled(call.shape, math.nan, call.dtype),) * 2
    count = math.prod([input.shape[axis] for axis in axes])
    center = reduced("ReduceMean", input, axes, True) if axes else input
    away = subtract(input, center)
    total = over(call, "ReduceSum", multiply(away, away), dim, keepdim) if axes else multiply(away, away)
    freedom = count - correction
    if not isinstance(freedom, Varying):
        freedom = max(freedom, 0)
    return divide(total, writer.scalar(freedom, input.dtype)), writer.reshape(center, call.shape)


@writes("var", "var_mean", "std", "std_mean")
def variance(call: Call, input: Value, dim=None, unbiased=True, keepdim=False, correction=None) -> list[Value]:
    dim, correction = chosen(dim, unbiased, correction)
    result, center = moments(call, input, dim, keepdim, correction)
    result = unary("Sqrt", result) if call.op.name.startswith("std") else result
    return [result, center]


# ---- softmax


@writes("softmax", "log_softmax")
def softmax(call: Call, input: Value, dim, dtype=None) -> Value:
    input = call.writer.cast(input, call.dtype)
    kind = "Softmax" if call.op.name == "softmax" else "LogSoftmax"
    if not input.ndim:
        return call.writer.filled((), 1 if kind == "Softmax" else 0, call.dtype)
    return call.writer.op(kind, input, axis=dim % input.ndim, shape=call.shape)


@writes("safe_softmax")
def safe_softmax(call: Call, input: Value, dim) -> Value:
    """The softmax, and zeros along what has only minus infinity."""
    weights = softmax_of_rows(call, input, dim % input.ndim)
    return weights


def softmax_of_rows(call: Call, scores: Value, axis: int) -> Value:
    nothing = equal(reduced("ReduceMax", scores, (axis,), True), -math.inf)
    weights = call.writer.op("Softmax", scores, axis=axis, shape=scores.shape)
    return where(nothing, call.writer.scalar(0, scores.dtype), weights)
