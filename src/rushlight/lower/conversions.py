"""Elements that are stored in another dtype than a kernel computes in: converted as they are loaded, rounded once when
they are stored.

A bfloat16, the upper half of a float32, goes through memory as a whole number of 16 bits: it is no dtype of NumPy's
that a ufunc could be made for.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from rushlight.lower.ir import (
    BIT,
    DTYPES,
    F32,
    F64,
    FLOATS,
    HALF,
    I8,
    I16,
    I32,
    I64,
    Value,
    bits,
    cast,
    integer,
    is_nan,
    where,
)

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
WORD = np.dtype(np.uint16)
# The type of an operand by the name of its dtype.
TYPES = {
    "float16": HALF, "bfloat16": I16, "float32": F32, "float64": F64,
    "bool": BIT, "uint8": I8, "int8": I8, "int16": I16, "int32": I32, "int64": I64,
}  # fmt: skip
SMALL = ("float16", "bfloat16")
# What a ufunc is given, and what it gives.
OPERANDS = {name: WORD if name == "bfloat16" else np.dtype(name) for name in TYPES}
RESULTS = {**DTYPES, HALF: np.dtype(np.float16), I16: WORD}
NAMES = {np.dtype(name): name for name in TYPES if name != "bfloat16"} | {BFLOAT16: "bfloat16"}


def loaded(operand: Value, name: str, type: str) -> Value:
    """An operand of the dtype of that name, in the floating type that is computed in."""
    if name == "bfloat16":
        return cast(bits(integer("shl", operand.trace.value("zext", I32, operand), 16)), type)
    if operand.type in (I8, I16):
        operand = operand.trace.value("zext" if name == "uint8" else "sext", I32, operand)
    return cast(operand, type)


def stored(value: Value, name: str) -> Value:
    """A result in the dtype of that name; small floats by way of float32, as in PyTorch."""
    if value.type not in FLOATS:
        return value
    if name not in SMALL:
        return cast(value, TYPES[name])
    value = cast(value, F32)
    return cast(value, HALF) if name == "float16" else upper_half(value)


def upper_half(value: Value) -> Value:
    """The bfloat16 of a float32, rounded to even; NaN stays NaN."""
    whole = bits(value)
    high = integer("lshr", whole, 16)
    if is_upper_half(value):
        return value.trace.value("trunc", I16, high)
    rounded = integer("lshr", integer("add", whole, integer("add", integer("and", high, 1), 0x7FFF)), 16)
    kept = where(is_nan(value), integer("or", high, 64), rounded)
    return value.trace.value("trunc", I16, kept)


def is_upper_half(value: Value) -> bool:
    """Whether a float32 is known to be a bfloat16: one that was loaded, its size or its opposite, or one of several."""
    if value.op == "constant":
        return float(np.float32(value.literal).astype(BFLOAT16)) == value.literal
    if value.op == "bitcast":
        return value.args[0].op == "shl"
    if value.op == "select":
        return all([is_upper_half(each) for each in value.args[1:]])
    return (value.op == "fneg" or value.literal in KEEPING) and is_upper_half(value.args[0])


KEEPING = ("fabs", "floor", "ceil", "trunc", "roundeven")  # intrinsics that give no more digits than they are given


def words(value):
    """An array as a ufunc takes it; anything else as it is."""
    return value.view(WORD) if isinstance(value, np.ndarray) and value.dtype == BFLOAT16 else value


def unworded(array: np.ndarray) -> np.ndarray:
    """A result as it is meant."""
    return array.view(BFLOAT16) if array.dtype is WORD else array
