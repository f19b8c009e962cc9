"""Destinations: an operator writes its result to new memory, to `out=`, or in place, over the tensor's own elements.

                                      ┌─ new memory   wrap it, record it             generated, `general.py`
    arguments ──> array function ──>  ├─ `out=`       `out.to_out`, else `out.write_out`
                                      └─ in place     `ufunc_in_place`, `run_in_place`, else `inplace.write`

This file has the rule and the quick functions for writes that change elements and nothing else. Each quick function
returns whether it has written. If it has not, nothing has changed, and the general function does the work or raises.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rushlight.arrays.elementwise import FITTING_NUMBERS, scaled
from rushlight.core.dtype import HALVES, bfloat16, float16, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.dtype import bool as bool_
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import LARGE, MEDIUM
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.tables import fast, xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.declarations.declare import NOTHING, OPS
from rushlight.dispatch.half_scalars import FITTED, FLOAT32, number_beside
from rushlight.dispatch.numpy_errors import FAILURES
from rushlight.dispatch.plan import SCALING

get_mode = MODE.get
ndarray, ufunc = np.ndarray, np.ufunc
SCALARS = frozenset((int, float))
PARAMETERS = frozenset((int, float, bool, str, type(None)))
SEQUENCES = frozenset((tuple, list))
MANY = 4 * LARGE  # elements; smaller arrays are written faster by a copy than by a kernel in place
INFINITY = math.inf

# ---- the dtypes that the quick functions write

FLOATS = frozenset((float32.numpy, float64.numpy))
INTEGERS = frozenset((int64.numpy, int32.numpy))
NUMERIC = FLOATS | INTEGERS
EASY = NUMERIC | {bool_.numpy}  # computed in their own dtype
SMALL_INTEGERS = frozenset((int8.numpy, int16.numpy, uint8.numpy))
MOVED = EASY | SMALL_INTEGERS | HALVES  # copied as they are; nothing is computed
REAL = MOVED | frozenset(map(np.dtype, ("uint16", "uint32", "uint64")))
# The types of Python scalars that an array of a dtype takes.
SCALARS_FOR = dict.fromkeys(FLOATS | HALVES, SCALARS) | dict.fromkeys(INTEGERS | SMALL_INTEGERS, frozenset((int,)))
# Scalars from here on may overflow when they are rounded to a dtype: the general function decides about them.
LIMITS = {float32.numpy: 3e38, bfloat16.numpy: 3e38, float16.numpy: 6e4}
SAFE = 6e4  # the smallest of these


class Rule(NamedTuple):
    """What `run_in_place` accepts."""

    written: frozenset  # dtypes of the tensor
    read: frozenset | None  # dtypes of operands next to the tensor's own; None: `run` checks its operands
    c_order: bool = False  # the tensor must be in C order
    kernel_from: float = INFINITY  # elements from which a kernel of `run`, if it has one, writes in place


ALIKE = Rule(FLOATS, frozenset(), kernel_from=MEDIUM)  # elementwise formulas
PLACES = Rule(FLOATS, frozenset((int64.numpy, bool_.numpy)), kernel_from=MEDIUM)  # other formulas
POSITIONS = Rule(EASY | SMALL_INTEGERS, None, c_order=True)  # writes where indices or masks select
FILLS, CLIPS = Rule(MOVED, None), Rule(NUMERIC, None)  # writes of scalars


# ---- the rule


def writable(tensor: Tensor, operands=(), same: bool = False, raw: list | None = None):
    """Returns the array of a tensor if writing it while `operands` are read changes elements and nothing else.

    Otherwise returns None: there is a history, a subclass, a special mode, an inference tensor, gaps between elements,
    or an operand on the same memory. With `same` an operand may be the very array that is written to. Appends the
    operands to `raw`, tensors as arrays; then an operand that is neither a tensor nor a parameter is not accepted.
    """
    if type(tensor) is not Tensor and type(tensor) not in PLAIN_TYPES:
        return None
    if mode := get_mode():
        if mode is not True or tensor._edge is not None or (tensor._base is not None and not is_untracked(tensor)):
            return None
    array, storage = tensor._array, tensor._store or tensor._storage
    if type(array) is not ndarray or not array.flags.forc or storage.inference:
        return None
    for operand in operands:
        kind = type(operand)
        if kind is Tensor or kind in PLAIN_TYPES:
            if mode and not (operand._edge is None is operand._base or is_untracked(operand)):
                return None
            if operand._store is storage and not (same and operand._array is array):
                return None
            if raw is not None:
                if type(operand._array) is not ndarray:
                    return None
                raw.append(operand._array)
        elif kind is tuple or kind is list:
            arrays: list | None = None if raw is None else []
            if writable(tensor, operand, same, arrays) is None:
                return None
            if raw is not None:
                raw.append(arrays)
        elif raw is None:
            if isinstance(operand, Tensor):
                return None
        elif kind in PARAMETERS:
            raw.append(operand)
        else:
            return None
    return array


def is_untracked(tensor: Tensor) -> bool:
    """Whether neither a tensor nor the base that it is a view of has a history."""
    return tensor._edge is None and (tensor._base is None or (tensor._base._edge is None and edge_of(tensor) is None))


# ---- in place


def ufunc_in_place(run, function, dtypes: frozenset, tensor: Tensor, other=NOTHING, alpha=1, fits=False) -> bool:
    """Runs a ufunc, or a function with its signature, of a tensor and at most one operand into the tensor's array.

    With `fits` a scalar that may overflow the dtype is left to the general function; so is a bool for `alpha`.
    """
    is_tensor = False
    if alpha is True:
        return False
    if other is not NOTHING:
        kind = type(other)
        is_tensor = kind is Tensor or (kind not in SCALARS and kind in PLAIN_TYPES)
    if is_tensor:
        array, values = writable(tensor, (other,), True), other._array
        if array is None or (dtype := array.dtype) is not values.dtype:
            return False
    else:
        array = values = writable(tensor)
        if array is None:
            return False
        dtype = array.dtype
        if other is not NOTHING and (kind not in SCALARS_FOR.get(dtype, ()) or alpha != 1):
            return False
    if array.size >= LARGE and not is_fast_when_large(run, array, values):
        return False
    token = set_errors(xp.IGNORED)
    try:
        if dtype is not FLOAT32 and dtype not in dtypes:
            if not half_in_place(run, function, array, other, alpha, fits):
                return False
        elif is_tensor:
            if alpha == 1:
                run(array, values, out=array)
            elif not add_multiple(function, array, values, alpha):
                run(array, scaled(values, alpha), out=array)
        elif other is NOTHING:
            run(array, array)
        else:
            numbers = (FITTING_NUMBERS if fits else ARRAY_NUMBERS)[dtype]
            run(array, numbers[other] if other or kind is float else numbers.zero, out=array)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return False  # nothing has been written yet
    finally:
        reset_errors(token)
    storage = tensor._store
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True


def is_fast_when_large(run, array, values) -> bool:
    """Whether a large array is written at the speed of memory without a kernel."""
    return is_contiguous(array, values) if type(run) is ufunc else run is zero_array and array.size < MANY


def is_contiguous(array, values) -> bool:
    """Whether a ufunc reads contiguous float arrays of one shape."""
    return array.dtype in FLOATS and values.shape == array.shape


def add_multiple(function, array, values, alpha) -> bool:
    """Adds `alpha * values` in one pass if there is a kernel; returns whether it did."""
    kernel = SCALING.get(function.__name__)
    return (
        kernel is not None
        and array.size >= MEDIUM
        and type(alpha) in SCALARS
        and abs(alpha) < LIMITS[FLOAT32]
        and is_contiguous(array, values)
        and kernel(array, values, alpha)
    )


def half_in_place(run, function, array, other, alpha, fits: bool) -> bool:
    """Runs a ufunc in float32 on a small half-precision array and rounds the result into it; returns whether it did."""
    dtype = array.dtype
    if dtype not in HALVES or alpha != 1 or array.size >= MEDIUM:
        return False
    if fits and type(other) in SCALARS and FITTED[dtype][other] is None:
        return False
    wide = array.astype(FLOAT32)
    if other is NOTHING:
        run(wide, out=wide)
    elif type(other) in SCALARS:
        run(wide, number_beside(function.__name__, dtype, other), out=wide)
    else:
        run(wide, other._array.astype(FLOAT32), out=wide)
    array[...] = wide
    return True


def run_in_place(run, function, rule: Rule, tensor: Tensor, *operands, **parameters) -> bool:
    """Runs an array function into a tensor's array.

    `run` returns the new elements, which are copied; or it writes them itself, or raises before it has written any.
    """
    written, read, c_order, kernel_from = rule
    raw: list = []
    token = set_errors(xp.IGNORED)
    try:
        if (dtype := tensor._array.dtype) not in written:
            return False
        array = writable(tensor, operands, False, raw)
        if array is None or (c_order and not array.flags.c_contiguous):
            return False
        if read is not None:
            for values in raw:
                if type(values) not in PARAMETERS and values.dtype is not dtype and values.dtype not in read:
                    return False
        if parameters and not PARAMETERS.issuperset(map(type, parameters.values())):
            return False
        if array.size < kernel_from or not kernel_in_place(run, array, raw, parameters):
            result = run(array, *raw, **parameters)
            if result is not None:
                if result.dtype is not dtype or result.shape != array.shape:
                    return False
                array[...] = result
    except FAILURES:
        return False
    finally:
        reset_errors(token)
    storage = tensor._store
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True


def kernel_in_place(run, array, raw, parameters: dict) -> bool:
    """Runs the in-place kernel of an array function, if it has one. Raises ValueError for a large array without."""
    kernel = getattr(run, "overwrite", None)
    if kernel is not None and kernel(array, *raw, **parameters):
        return True
    if array.size >= MANY:
        raise ValueError
    return False


def convert_in_place(tensor: Tensor, source: Tensor) -> bool:
    """Copies a tensor of another real dtype."""
    array, values = writable(tensor, (source,)), source._array
    if array is None or max(array.size, values.size) >= LARGE or values.ndim > array.ndim:
        return False
    if type(values) is not ndarray or array.dtype not in REAL or values.dtype not in REAL:
        return False
    try:
        xp.cast_into(array, values)
    except ValueError:
        return False
    storage = tensor._store
    storage.written()
    if NOTING:
        note_write(storage, 2, OPS["copy_values"].function)
    return True


# ---- array functions with the signature of a ufunc


def fill_array(array, value, out) -> None:
    """Writes one scalar to all elements. Raises ValueError for a larger array, or a scalar that may overflow."""
    if value.ndim or not abs(value.item()) < LIMITS.get(value.dtype, INFINITY):
        raise ValueError
    out[...] = value


def copy_array(array, values, out) -> None:
    """Copies `values`, broadcast. Raises ValueError if they have more dimensions."""
    if values.ndim > out.ndim:
        raise ValueError
    out[...] = values


def zero_array(array, out) -> None:
    """Writes 0 to all elements."""
    if out.size >= MEDIUM or out.dtype.kind == "V":  # as bytes, by memset; NumPy fills bfloat16 slowly
        out = out.reshape(-1, order="A").view(np.uint8)
    out.fill(0)


# ---- array functions that write their first argument


def masked_fill_array(array, mask, value) -> None:
    """Writes a scalar where a mask is true. Raises TypeError for other operands and for arrays that have a kernel."""
    if type(mask) is not ndarray or mask.dtype.char != "?" or array.size >= LARGE:
        raise TypeError
    value = scalar_array(value, array.dtype)
    if array.size < MEDIUM and mask.shape == array.shape:
        array[mask] = value
    else:
        np.copyto(array, value, where=mask)


def clamp_array(array, low, high) -> None:
    """Limits elements to two scalars, either of which may be None."""
    low = None if low is None else scalar_array(low, array.dtype)
    high = None if high is None else scalar_array(high, array.dtype)
    if array.size < LARGE or not kernel_in_place(fast.clip, array, (low, high), {}):
        fast.clip(array, low, high, array)


def scalar_array(value, dtype):
    """Returns a scalar as a 0-d array. Raises TypeError or OverflowError if the dtype may not hold it."""
    if type(value) not in SCALARS_FOR.get(dtype, ()):
        raise TypeError
    if not -SAFE < value < SAFE and LIMITS.get(dtype, INFINITY) <= abs(value) < INFINITY:
        raise OverflowError
    return ARRAY_NUMBERS[dtype][value]
