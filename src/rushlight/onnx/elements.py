"""Functions of elements as nodes of ONNX operators; `array_language.py` has their names in declarations."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from rushlight.export.sizes import Varying
from rushlight.onnx.writer import BOOL, Refused, Value, Writer

FLOAT_KINDS = "fV"


def broadcast(*values: Value) -> tuple | None:
    """Returns the shape of values that are combined element by element; None if it is not known."""
    shapes = [value.shape for value in values]
    if any([shape is None for shape in shapes]):
        return None
    rank = max([len(shape) for shape in shapes])  # type: ignore[arg-type]
    sizes: list[Any] = [1] * rank
    for shape in shapes:
        for at, size in enumerate(shape, rank - len(shape)):  # type: ignore[arg-type]
            if not (type(size) is int and size == 1):
                sizes[at] = size
    return tuple(sizes)


def operands(*values: Any) -> tuple[Writer, list[Value]]:
    """Returns the writer, and operands of one dtype: numbers get that of the tensors next to them."""
    values_ = [value for value in values if isinstance(value, Value)]
    writer = values_[0].writer
    dtype = values_[0].dtype
    for value in values_[1:]:
        dtype = dtype if value.dtype == dtype else np.promote_types(dtype, value.dtype)
    if dtype.kind in "bui" and any([isinstance(value, float) for value in values]):
        dtype = np.dtype(np.float32)
    elif dtype.kind == "b" and any([type(value) is int for value in values]):
        dtype = np.dtype(np.int64)
    return writer, [writer.scalar(value, dtype) for value in values]


def binary(kind: str, *values: Any, dtype: Any = None) -> Value:
    """Writes a node of several operands."""
    writer, cast_values = operands(*values)
    return writer.op(kind, *cast_values, dtype=dtype or cast_values[0].dtype, shape=broadcast(*cast_values))


def unary(kind: str, value: Value, dtype: Any = None) -> Value:
    return value.writer.op(kind, value, dtype=dtype or value.dtype, shape=value.shape)


def constant(value: Value, number: Any) -> Value:
    """Returns a number as a 0-d tensor of a value's dtype."""
    return value.writer.scalar(number, value.dtype)


def is_float(value: Any) -> bool:
    return value.dtype.kind in FLOAT_KINDS


# ---- arithmetic


def add(a, b) -> Value:
    return logical("Or", a, b) if is_bool(a) and is_bool(b) else binary("Add", a, b)


def subtract(a, b) -> Value:
    return binary("Sub", a, b)


def multiply(a, b) -> Value:
    return logical("And", a, b) if is_bool(a) and is_bool(b) else binary("Mul", a, b)


def divide(a, b) -> Value:
    return binary("Div", a, b)


def is_bool(value) -> bool:
    return value.dtype == BOOL if isinstance(value, Value) else isinstance(value, bool)


def power(a, b) -> Value:
    if not isinstance(b, Value) and b in (1, 2, 0.5, -1):
        return {1: lambda: a, 2: lambda: multiply(a, a), 0.5: lambda: unary("Sqrt", a), -1: lambda: divide(1, a)}[b]()
    return binary("Pow", a, b)


def negative(a) -> Value:
    return unary("Neg", a)


def absolute(a) -> Value:
    return unary("Abs", a)


def element(number, dtype) -> Any:
    """Returns a number rounded to a dtype."""
    return number if isinstance(number, Value | Varying) else np.asarray(number).astype(dtype).item()


def astype(array: Value, dtype) -> Value:
    return array.writer.cast(array, dtype)


# ---- comparisons and choices


def compare(kind: str, a, b) -> Value:
    if is_bool(a) or is_bool(b):
        writer, (a, b) = operands(a, b)
        if a.dtype == BOOL and kind != "Equal":
            a, b = astype(a, np.int32), astype(b, np.int32)
    return binary(kind, a, b, dtype=BOOL)


equal = partial(compare, "Equal")
less = partial(compare, "Less")
greater = partial(compare, "Greater")
less_equal = partial(compare, "LessOrEqual")
greater_equal = partial(compare, "GreaterOrEqual")


def as_bool(a) -> Value:
    """Returns whether elements are not zero."""
    return a if a.dtype == BOOL else astype(a, BOOL)


def logical(kind: str, a, b) -> Value:
    writer, cast_values = operands(a, b)
    return binary(kind, *[as_bool(each) for each in cast_values], dtype=BOOL)


def logical_not(a) -> Value:
    return unary("Not", as_bool(a))


def not_equal(a, b) -> Value:
    return logical_not(equal(a, b))


def where(condition, a, b) -> Value:
    """Returns elements of `a` where a condition holds, else of `b`; at least one of them may be a number."""
    if not isinstance(a, Value) and not isinstance(b, Value):
        writer, both = condition.writer, isinstance(a, float) or isinstance(b, float)
        dtype = np.float32 if both else np.int64
        a, b = writer.scalar(a, dtype), writer.scalar(b, dtype)
    writer, (a, b) = operands(a, b)
    return writer.op("Where", as_bool(condition), a, b, dtype=a.dtype, shape=broadcast(condition, a, b))


def is_nan(a) -> Value:
    if not is_float(a):
        return a.writer.filled(a.shape, False, BOOL)
    return unary("IsNaN", a, BOOL)


def is_inf(a) -> Value:
    if not is_float(a):
        return a.writer.filled(a.shape, False, BOOL)
    return equal(absolute(a), math.inf)


def is_finite(a) -> Value:
    return less(absolute(a), math.inf) if is_float(a) else a.writer.filled(a.shape, True, BOOL)


def extreme(kind: str, join: str, a, b) -> Value:
    """Returns the larger or the smaller of two; NaN if one is."""
    writer, cast_values = operands(a, b)
    if cast_values[0].dtype == BOOL:
        return logical(join, *cast_values)
    result = binary(kind, *cast_values)
    if not is_float(cast_values[0]):
        return result
    sums = [each for each, number in zip(cast_values, (a, b), strict=True) if isinstance(number, Value)]
    return (
        where(is_nan(sums[0] if len(sums) == 1 else add(*sums)), add(*cast_values), result)
        if len(sums) == 2
        else result
    )


maximum = partial(extreme, "Max", "Or")
minimum = partial(extreme, "Min", "And")


def clip(array, low=None, high=None) -> Value:
    raised = array if low is None else maximum(array, low)
    return raised if high is None else minimum(raised, high)


def fmax(a, b) -> Value:
    return where(is_nan(a), b, where(is_nan(b), a, maximum(a, b)))


def fmin(a, b) -> Value:
    return where(is_nan(a), b, where(is_nan(b), a, minimum(a, b)))


def sign(a) -> Value:
    return unary("Sign", a)


def signbit(a) -> Value:
    if not is_float(a):
        return less(a, 0) if a.dtype.kind == "i" else a.writer.filled(a.shape, False, BOOL)
    return logical("Or", less(a, 0), logical("And", equal(a, 0), less(divide(1, a), 0)))


def copysign(a, b) -> Value:
    writer, (a, b) = operands(a, b)
    size = absolute(a)
    return where(signbit(b), negative(size), size)


# ---- rounding and division


def trunc(a) -> Value:
    return where(less(a, 0), unary("Ceil", a), unary("Floor", a)) if is_float(a) else a


def floor(a) -> Value:
    return unary("Floor", a) if is_float(a) else a


def ceil(a) -> Value:
    return unary("Ceil", a) if is_float(a) else a


def fmod(a, b) -> Value:
    writer, cast_values = operands(a, b)
    return writer.op("Mod", *cast_values, fmod=1, shape=broadcast(*cast_values))


def remainder(a, b) -> Value:
    writer, (a, b) = operands(a, b)
    if not is_float(a):
        return writer.op("Mod", a, b, shape=broadcast(a, b))
    rest = fmod(a, b)
    turned = logical("And", not_equal(rest, 0), logical("Xor", less(rest, 0), less(b, 0)))
    return where(turned, add(rest, b), rest)


def floor_divide(a, b) -> Value:
    writer, (a, b) = operands(a, b)
    whole = divide(subtract(a, remainder(a, b)), b)
    if not is_float(a):
        return whole
    return where(equal(b, 0), divide(a, b), floor(unary("Round", whole)))


def truncated_divide(a, b) -> Value:
    writer, (a, b) = operands(a, b)
    return trunc(divide(a, b))


def round_to(a, decimals) -> Value:
    if not is_float(a):
        return a
    factor = 10.0 ** abs(decimals)
    if decimals < 0:
        return multiply(unary("Round", divide(a, factor)), factor)
    return unary("Round", a) if decimals == 0 else divide(unary("Round", multiply(a, factor)), factor)


def bits(kind: str, join: str, a, b) -> Value:
    writer, cast_values = operands(a, b)
    return logical(join, *cast_values) if cast_values[0].dtype == BOOL else binary(kind, *cast_values)


def invert(a) -> Value:
    return unary("Not" if a.dtype == BOOL else "BitwiseNot", a)


def shift(a, b, left: bool) -> Value:
    """Shifts bits of integers: a multiplication by a power of 2, or a division that rounds down."""
    writer, (a, b) = operands(a, b)
    dtype = a.dtype
    if dtype.kind != "i":
        raise Refused(f"shifts of bits of {dtype}")
    two = writer.scalar(2, np.int64)
    factor = writer.op("Pow", two, astype(b, np.int64), shape=b.shape)
    wide = astype(a, np.int64)
    return astype(multiply(wide, factor) if left else floor_divide(wide, factor), dtype)


# ---- reductions of all elements, which formulas of losses call


def total(array: Value, axes=None, dtype=None, keepdims: bool = False) -> Value:
    return reduced("ReduceSum", array if dtype is None else astype(array, dtype), axes, keepdims)


def mean(array: Value, axes=None, dtype=None, keepdims: bool = False) -> Value:
    return reduced("ReduceMean", array, axes, keepdims)


def reduced(kind: str, array: Value, axes, keepdims: bool) -> Value:
    """Writes a reduction over axes that are not negative, None for all."""
    if axes is not None:
        axes = (axes,) if isinstance(axes, int) else tuple(axes)
        if not axes:
            return array
    shape: tuple | None = () if axes is None and not keepdims else None
    if array.shape is not None:
        over = range(len(array.shape)) if axes is None else axes
        kept = [1 if at in over else size for at, size in enumerate(array.shape) if keepdims or at not in over]
        shape = tuple(kept)
    cast_values = None if axes is None else array.writer.ints(axes)
    return array.writer.op(kind, array, cast_values, keepdims=int(keepdims), shape=shape)
