"""Converts elements that are stored in another dtype than a kernel computes in: on load, and rounded once on store.

A bfloat16, the upper half of a float32, passes through memory as uint16: NumPy cannot make ufuncs for its dtype.
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
# Operand types by dtype name.
TYPES = {
    "float16": HALF, "bfloat16": I16, "float32": F32, "float64": F64,
    "bool": BIT, "uint8": I8, "int8": I8, "int16": I16, "int32": I32, "int64": I64,
}  # fmt: skip
SMALL = ("float16", "bfloat16")
# Dtypes of a ufunc's operands and results.
OPERANDS = {name: WORD if name == "bfloat16" else np.dtype(name) for name in TYPES}
RESULTS = {**DTYPES, HALF: np.dtype(np.float16), I16: WORD}
NAMES = {np.dtype(name): name for name in TYPES if name != "bfloat16"} | {BFLOAT16: "bfloat16"}


def loaded(operand: Value, name: str, type: str) -> Value:
    """Returns an operand of the named dtype, converted to the floating type of the computation."""
    if name == "bfloat16":
        return cast(bits(integer("shl", operand.trace.value("zext", I32, operand), 16)), type)
    if operand.type in (I8, I16):
        operand = operand.trace.value("zext" if name == "uint8" else "sext", I32, operand)
    return cast(operand, type)


def stored(value: Value, name: str) -> Value:
    """Returns a result in the named dtype; half precision goes through float32, as in PyTorch."""
    if value.type not in FLOATS:
        return value
    if name not in SMALL:
        return cast(value, TYPES[name])
    value = cast(value, F32)
    return cast(value, HALF) if name == "float16" else upper_half(value)


def upper_half(value: Value) -> Value:
    """Returns the bfloat16 of a float32, rounded to even; NaN stays NaN."""
    whole = bits(value)
    high = integer("lshr", whole, 16)
    if is_upper_half(value):
        return value.trace.value("trunc", I16, high)
    rounded = integer("lshr", integer("add", whole, integer("add", integer("and", high, 1), 0x7FFF)), 16)
    kept = where(is_nan(value), integer("or", high, 64), rounded)
    return value.trace.value("trunc", I16, kept)


def is_upper_half(value: Value) -> bool:
    """Returns whether a float32 is known to be a bfloat16: a loaded one, its absolute value or negation, or a select of
    such.
    """
    if value.op == "constant":
        return float(np.float32(value.literal).astype(BFLOAT16)) == value.literal
    if value.op == "bitcast":
        return value.args[0].op == "shl"
    if value.op == "select":
        return all([is_upper_half(x) for x in value.args[1:]])
    return (value.op == "fneg" or value.literal in KEEPING) and is_upper_half(value.args[0])


# Intrinsics whose result needs no more digits than their operand.
KEEPING = ("fabs", "floor", "ceil", "trunc", "roundeven")


def words(value):
    """Returns an array as a ufunc takes it; other values unchanged."""
    return value.view(WORD) if isinstance(value, np.ndarray) and value.dtype == BFLOAT16 else value


def unworded(array: np.ndarray) -> np.ndarray:
    """Returns a ufunc's result in its own dtype."""
    return array.view(BFLOAT16) if array.dtype is WORD else array
