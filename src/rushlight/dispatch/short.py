"""The short way of few numbers of one dtype, of which no history is kept, where the fast path does not know the dtype.

Half precision is made float32, computed and rounded; bytes, complex numbers and what is to have another dtype are
computed as they are. The general path finds this out as well, for any operands, and takes ten times as long for it as
NumPy for the numbers.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from rushlight.arrays import cpu
from rushlight.core.dtype import BY_NUMPY, REDUCED, bfloat16, dtype, float16
from rushlight.core.history import edge_of
from rushlight.core.large import LARGE, MEDIUM
from rushlight.core.modes import MODE
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.errors_of_numpy import IGNORED, cast, reset_errors, set_errors
from rushlight.dispatch.operands import FACTORS, WIDE_FACTORS, is_number
from rushlight.ops.declare import CONSTANT, OPERANDS, OPTIONAL, OPTIONAL_CONSTANT, TENSOR, TENSORS

FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
HALVES = frozenset((float16.numpy, bfloat16.numpy))
FLOATING = HALVES | {FLOAT32, FLOAT64}
AS_THEY_ARE = "biufc"  # NumPy's kinds of dtypes that are computed in themselves
# What an argument is to an operator.
ELSEWHERE, LEFT_OUT, KIND, PLAIN, NUMBER, BESIDE, WIDENED, WIDENED_OR_NUMBER = range(8)


@cache
def plan_of(op) -> tuple[int, ...] | None:
    """What the arguments are to an operator that may be called on this way; None for one that takes another."""
    if op.view or op.many or op.crosses or len(op.results) > 1 or op.dtype == "common":
        return None
    parts = tuple([part_of(op, place, each) for place, each in enumerate(op.arguments)])
    return None if ELSEWHERE in parts else parts


def part_of(op, place: int, argument) -> int:
    if argument.role in (TENSOR, OPTIONAL):
        return WIDENED_OR_NUMBER if place and not op.exact and op.takes_number(argument.name) else WIDENED
    if argument.role in (CONSTANT, OPTIONAL_CONSTANT):
        return BESIDE
    if argument.name in FACTORS:  # what else than the default may stand there is looked at elsewhere
        return LEFT_OUT
    if argument.name == "dtype":
        return KIND
    if argument.role == TENSORS:
        return ELSEWHERE
    return NUMBER if is_number(argument) else PLAIN


def shortly(op, arguments: tuple) -> Tensor | None:
    """The result where all that is differentiated is of one dtype; None where there is more to think of.

    A thousand numbers of half precision and more, and of several dtypes, are left to the kernels that convert.
    """
    mode = MODE.get()
    if not (mode is True or mode is False) or (plan := plan_of(op)) is None:
        return None
    kind, given, named, half, size = None, [], {}, None, 0
    for argument, part, value in zip(op.arguments, plan, arguments, strict=True):
        if part >= WIDENED and type(value) in PLAIN_TYPES:
            array = value._array
            if kind is None:
                kind, size = array.dtype, array.size
                half = kind if kind in HALVES else None
                if half is None and kind.kind not in AS_THEY_ARE:
                    return None
            is_known = array.dtype == kind and type(array) is np.ndarray
            if not is_known or (half is not None and array.size >= MEDIUM and not op.exact):
                return by_kernel(op, plan, arguments, mode) if max(size, array.size) >= MEDIUM else None
            if array.size >= LARGE:
                return None
            if mode and (value._edge is not None or (value._base is not None and edge_of(value) is not None)):
                return None
            value = array if half is None or op.exact else array.astype(FLOAT32)
        elif part == WIDENED_OR_NUMBER and kind is not None and changes_nothing(kind, value):
            value = ARRAY_NUMBERS[kind][value] if half is None else number_beside(op.name, half, value)
        elif not is_taken(part, argument.default, value, half):
            return None
        elif part == BESIDE and value is not None:
            value = value._array
        elif part == LEFT_OUT and value is argument.default:
            continue
        if argument.keyword_only:
            named[argument.name] = value
        else:
            given.append(value)
    if kind is None or (op.dtype == "float" and kind.kind in "biu") or is_refused(op, arguments, kind):
        return None
    return computed(op, given, named, half)


def by_kernel(op, plan: tuple, arguments: tuple, mode: bool) -> Tensor | None:
    """The same of many floats, by a kernel that converts what it loads, if there is one."""
    widened = [part >= WIDENED and type(each) in PLAIN_TYPES for part, each in zip(plan, arguments, strict=True)]
    kind = common_float([each._array for each, is_wide in zip(arguments, widened, strict=True) if is_wide])
    if kind is None or op.machine.converting is None or op.exact or is_refused(op, arguments, kind):
        return None
    values, half = {}, kind if kind in HALVES else None
    work = FLOAT32 if half else kind
    for argument, part, value in zip(op.arguments, plan, arguments, strict=True):
        if part >= WIDENED and type(value) in PLAIN_TYPES:
            if mode and (value._edge is not None or (value._base is not None and edge_of(value) is not None)):
                return None
            value = value._array
        elif part == WIDENED_OR_NUMBER and changes_nothing(kind, value):
            value = number_beside(op.name, half, value) if half else ARRAY_NUMBERS[kind][value]
        elif not is_taken(part, argument.default, value, kind):
            return None
        elif part == BESIDE and value is not None:
            value = value._array
        values[argument.name] = value
    token = set_errors(IGNORED)
    try:
        found = op.machine.converting(values, work, kind)
    except Exception:
        return None
    finally:
        reset_errors(token)
    if found is None:
        return None
    found = np.asarray(found)  # which may be one number
    return made_of(cast(found, half) if half and found.dtype == FLOAT32 else found)


def common_float(arrays: list) -> np.dtype | None:
    """The dtype of what floats have in common, of which there are many; None of anything else."""
    kinds = {each.dtype for each in arrays if type(each) is np.ndarray and each.ndim}
    if not kinds <= FLOATING or not all([type(each) is np.ndarray and each.ndim for each in arrays]):
        return None
    return FLOAT64 if FLOAT64 in kinds else FLOAT32 if len(kinds) > 1 else kinds.pop()


def changes_nothing(kind, number) -> bool:
    """Whether arrays of the dtype stay what they are beside a number, which fits."""
    if kind.kind in "iu":
        return type(number) is int and 0 <= number < 128
    return kind.kind in "fcV" and (type(number) is float or type(number) is int)


def number_beside(name: str, half, number):
    """A number as float32, rounded to the dtype beside it first save where it multiplies or divides."""
    found = ARRAY_NUMBERS[FLOAT32][number]
    return found if name in WIDE_FACTORS else cast(cast(found, half), FLOAT32)


def is_taken(part: int, default, value, half) -> bool:
    """Whether an argument that is neither widened nor a number beside is one of those that need no thought."""
    if part == LEFT_OUT:
        return value is default or (type(value) is int and value == default)
    if part == KIND:
        return value is None or (half is None and type(value) is dtype and value not in REDUCED)
    if part == BESIDE:
        return value is None or (type(value) in PLAIN_TYPES and type(value._array) is np.ndarray)
    if part >= WIDENED:
        return value is None
    return type(value) in (int, float, bool) if part == NUMBER else not isinstance(value, Tensor)


def is_refused(op, arguments: tuple, kind) -> bool:
    """Whether an operator has no kernel for the dtype, or for these operands."""
    refusal = op.refuses
    if refusal is None:
        return False
    if not callable(refusal):
        return BY_NUMPY[kind] in refusal or BY_NUMPY[kind].category in refusal
    operands = [value for value, each in zip(arguments, op.arguments, strict=True) if each.role in OPERANDS]
    return refusal(*operands) is not None


def computed(op, given: list, named: dict, half) -> Tensor | None:
    """The operator's `forward`, rounded and wrapped. Whatever goes wrong, the general path meets again and explains."""
    token = set_errors(IGNORED)
    try:
        found = op.forward(cpu, *given, **named)
        if type(found) is not np.ndarray:
            found = np.asarray(found)
        if half is not None and found.dtype == FLOAT32 and not op.exact:
            found = found.astype(half)
    except Exception:
        return None
    finally:
        reset_errors(token)
    return made_of(found)


def made_of(array) -> Tensor:
    tensor = new_tensor(None)
    tensor._array = array
    tensor._alike = tensor._base = tensor._edge = tensor._generation = tensor._store = None
    return tensor
