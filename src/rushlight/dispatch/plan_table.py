"""The plan table: the signature of a call -> its plan. `resolve` makes plans, and nothing else does.

A call gets here if the generated fast path does not take it: operands of several dtypes, half precision, complex
numbers, NumPy numbers, lazy conjugates. Half precision is computed in float32 and rounded, several dtypes in the one
that they are promoted to. The general path computes the same for all operands, but for small tensors it takes ten
times as long as NumPy.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy import ndarray

from rushlight.core.dtype import BY_NUMPY, HALVES, PROMOTED, REDUCED, REDUCED_NUMPY, dtype
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.numbers import NO_NUMBERS
from rushlight.core.policy import LARGE, MEDIUM
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.declarations.declare import CONSTANT, DIFFERENTIABLE, OPTIONAL, OPTIONAL_CONSTANT, TENSOR, TENSORS
from rushlight.dispatch import planned
from rushlight.dispatch.half_scalars import FLOAT32
from rushlight.dispatch.operands import FACTORS, is_number
from rushlight.dispatch.plan import CONVERTING, PLANS
from rushlight.dispatch.planned import (
    ByKernel,
    Computed,
    OfTwo,
    Plan,
    WithFloats,
    WithPythonNumber,
    WithResolved,
    defaults_after,
)
from rushlight.dispatch.signature import SMALL_INT, signature

UNKNOWN: Any = object()

FLOAT64 = np.dtype(np.float64)
FLOATING = HALVES | {FLOAT32, FLOAT64}
ROUNDED_ONCE = frozenset(("add", "sub", "mul"))  # float32 has digits for all: NumPy's half precision rounds the same
ANY = math.inf
IN_THEMSELVES = "biufc"  # NumPy's kinds of dtypes that are computed in themselves
INTEGERS = "biu"
# What an argument is to an operator.
ELSEWHERE, LEFT_OUT, DTYPE, PLAIN, SCALAR, FITTING, BESIDE = range(7)
WIDENED, WIDENED_OR_NUMBER, WIDENED_OR_FITTING, SEVERAL = range(7, 11)


def plan_of(op, arguments: tuple) -> Plan | None:
    """Returns the plan of a call; None if the general path runs it."""
    if (key := signature(op, arguments)) is None:
        return None
    plan = PLANS.get(key, UNKNOWN)
    if plan is UNKNOWN:
        plan = PLANS[key] = resolve(op, arguments)
    return plan


def plan_of_operator(op, input, other) -> Plan | None:
    """The same for an operator, which leaves the arguments after its operands at their defaults."""
    key: tuple | None = None
    if type(other) in PLAIN_TYPES and type(array := input._array) is type(values := other._array) is ndarray:
        if array.ndim and values.ndim and array.size < MEDIUM > values.size:
            key = (op, array.dtype, values.dtype)
            if (plan := PLANS.get(key, UNKNOWN)) is not UNKNOWN:
                return plan
    if op.composite:
        return None
    plan = plan_of(op, (input, other, *defaults_after(op)))
    if key is not None:
        PLANS[key] = plan
    return plan


def resolve(op, arguments: tuple) -> Plan | None:
    """Chooses the plan for all calls with the signature of this one."""
    if len(arguments) > 1 and isinstance(arguments[1], np.generic):
        if (plan := number_plan(op, arguments)) is not None:
            return plan
    if op.kind == "elementwise" and (plan := float_plan(op, arguments)) is not None:
        return plan
    return operand_plan(op, arguments)


def number_plan(op, arguments: tuple) -> Plan | None:
    """The plan if the second operand is a NumPy number, which counts as a Python number."""
    if type(arguments[0]) not in PLAIN_TYPES or isinstance(arguments[1], NO_NUMBERS):
        return None
    return WithPythonNumber(op, type(arguments[1])) if op.takes_number(op.arguments[1].name) else None


def float_plan(op, arguments: tuple) -> Plan | None:
    """The plan if small integers or bools only need a cast to a floating dtype."""
    first = arguments[0]
    if op.refuses is not None or op.dtype == "keep":
        return None
    if type(first) in PLAIN_TYPES and first._array.dtype in HALVES:
        return None
    common, integers, fraction = None, [], False
    for position, value in enumerate(arguments):
        if type(value) in PLAIN_TYPES:
            array = value._array
            if type(array) is not np.ndarray or not array.ndim:
                return None
            if array.dtype.kind in INTEGERS and array.size < LARGE:
                integers.append(position)
            elif array.dtype.char in "fd" and (common is None or common is array.dtype):
                common = array.dtype
            else:
                return None
        elif type(value) is float:
            fraction = fraction or op.arguments[position].role in DIFFERENTIABLE
        elif type(value) is not int:
            return None
    if not integers or (common is None and op.dtype != "float" and (op.exact or not fraction)):
        return None
    return WithFloats(op, integers, common)


# ---- operands that are computed in one dtype


@cache
def parts_of(op) -> list | None:
    """Returns (part, default, name if it needs one) of each argument; None if an op has no such plans."""
    if op.view or op.multi_output or op.cross_device or (op.dtype == "common" and not op.exact):
        return None
    parts = tuple([part_of(op, position, argument) for position, argument in enumerate(op.arguments)])
    if ELSEWHERE in parts:
        return None
    return [
        (part, argument.default, argument.name if argument.keyword_only else None)
        for part, argument in zip(parts, op.arguments, strict=True)
    ]


def part_of(op, position: int, argument) -> int:
    if argument.role in (TENSOR, OPTIONAL):
        if not position or op.exact or not op.takes_number(argument.name):
            return WIDENED
        return WIDENED_OR_FITTING if argument.name in op.casts_scalar else WIDENED_OR_NUMBER
    if argument.role in (CONSTANT, OPTIONAL_CONSTANT):
        return BESIDE
    if argument.name in FACTORS:  # plans take only the default
        return LEFT_OUT
    if argument.name == "dtype":
        return DTYPE
    if argument.role == TENSORS:
        return SEVERAL if op.exact else ELSEWHERE
    return FITTING if argument.name in op.casts_scalar else SCALAR if is_number(argument) else PLAIN


def operand_plan(op, arguments: tuple, common=None, *, kernel: bool = False) -> Plan | None:
    """The plan for operands of one dtype, or of several once `common` is known; with `kernel` a kernel casts them."""
    if (parts := parts_of(op)) is None:
        return None
    known = common is not None
    half, work, most = working_dtypes(op.exact, common) if known else (None, None, LARGE)
    loads: list = []
    for (part, default, name), value in zip(parts, arguments, strict=True):
        if part >= WIDENED and type(value) in PLAIN_TYPES:
            if type(raw := value._array) is Unresolved:
                return WithResolved(op)
            if not known:
                if common is None:
                    common = raw.dtype
                    half, work, most = working_dtypes(op.exact, common)
                elif raw.dtype is not common:
                    return mixed_plan(op, arguments)
                if raw.size >= most:
                    if half is None or loads or op.name not in CONVERTING:
                        return None if half is None else kernel_plan(op, arguments)
                    kernel, most = True, ANY  # because of the first operand; the next ones are tested as they come
                if kernel and not raw.ndim:
                    return None
            loads.append((planned.OPERAND, default, name))
        elif part == SEVERAL and not known:
            return mixed_plan(op, arguments)
        elif (load := load_of(op, part, value, common, half, kernel)) is not None:
            loads.append((load, default, name))
        else:
            return None
    if common is None or (op.dtype == "float" and common.kind in INTEGERS) or is_refused(op, arguments, common):
        return None
    if kernel:
        return ByKernel(op, loads, common, half, work)
    if half is not None and op.name in ROUNDED_ONCE and [load for load, _, _ in loads[:2]] == [planned.OPERAND] * 2:
        work = work if known else half
    chosen = OfTwo if takes_two(op, loads) else Computed
    return chosen(op, loads, common, half, work)


def takes_two(op, loads: list) -> bool:
    """Whether the operands are two tensors, and all else is left at defaults that `forward` has too."""
    if len(op.results) > 1 or [load for load, _, _ in loads[:2]] != [planned.OPERAND] * 2:
        return False
    if callable(op.refuses) or loads[0][2] or loads[1][2]:
        return False
    return all([load == planned.DEFAULT and name is not None for load, _, name in loads[2:]])


def load_of(op, part: int, value, common, half, kernel: bool) -> int | None:
    """Returns how an argument that is no operand of the common dtype is loaded; None if plans do not take it."""
    if part == SEVERAL:
        return planned.RAW_LIST
    if part >= WIDENED_OR_NUMBER and common is not None and keeps_dtype(common, value, op.dtype == "bool"):
        if half is None:
            return planned.NUMBER
        return planned.FITTING_NUMBER if part == WIDENED_OR_FITTING else planned.HALF_NUMBER
    if part == FITTING and half is not None and (type(value) is float or type(value) is int):
        return planned.FITTED_NUMBER
    if part == LEFT_OUT:
        return planned.DEFAULT if type(value) in (int, float, bool) or value is None else None
    if part == BESIDE and type(value) in PLAIN_TYPES:
        return planned.RAW if type(value._array) is np.ndarray else None
    return planned.VALUE if is_taken(part, value, own_dtype=half is None and not kernel) else None


def is_taken(part: int, value, *, own_dtype: bool) -> bool:
    """Whether an argument is passed on as it is; another dtype only if operands are computed in their own."""
    if part == DTYPE:
        return value is None or (own_dtype and type(value) is dtype and value not in REDUCED)
    if part == BESIDE or part >= WIDENED:
        return value is None
    return type(value) in (int, float, bool) if part in (SCALAR, FITTING) else not isinstance(value, Tensor)


@cache
def working_dtypes(exact: bool, common) -> tuple:
    """Returns the dtype if it is half precision, the dtype to compute in, and the size from which kernels take over.

    Kernels convert half precision, and several dtypes, from a thousand elements on. Integers and complex numbers, and
    ops that only move elements, have no kernel to leave room for.
    """
    if common in HALVES:
        return common, common if exact else FLOAT32, ANY if exact else MEDIUM
    most = (ANY if exact or common not in FLOATING else LARGE) if is_known(common) else 0
    # Equal dtypes are one key; one of them may carry metadata.
    return None, common if common.metadata is None else np.dtype(common.type), most


def mixed_plan(op, arguments: tuple) -> Plan | None:
    """The plan for lists of tensors, and for tensors of several dtypes."""
    common = common_of(op, operands_of(op, arguments))
    return kernel_plan(op, arguments) if common is None else operand_plan(op, arguments, common)


def operands_of(op, arguments: tuple) -> list:
    return [value for value, (part, _, _) in zip(arguments, parts_of(op) or (), strict=True) if part >= WIDENED]


def common_of(op, operands: list):
    """Returns the dtype of the operands, or the one that small tensors of several dtypes are promoted to.

    None for 8-bit floats, for 0-d tensors of another dtype, and for sizes that a kernel may convert.
    """
    common, mixed, scalars, large = None, False, False, False
    for value in operands:
        if type(value) not in PLAIN_TYPES:
            if type(value) in (list, tuple):
                if not all([type(tensor) in PLAIN_TYPES for tensor in value]):
                    return None
                operands += value  # the loop continues with them
            elif value is not None and type(value) is not int and type(value) is not float:
                return None
            continue
        array = value._array
        if type(array) is not np.ndarray or (array.size >= MEDIUM and array.dtype in HALVES):
            return None
        large = large or array.size >= LARGE
        if common is None:
            common = array.dtype
        elif array.dtype is not common and array.dtype != common:
            common, mixed = promoted(common, array.dtype), True
            if common is None:
                return None
        scalars = scalars or not array.ndim
    if common is None or not is_known(common) or (mixed and (scalars or large or op.exact or op.dtype == "keep")):
        return None
    if large and common in FLOATING and not op.exact:  # there may be kernels that convert
        return None
    return common


@cache
def promoted(first, second):
    """Returns the dtype that arrays of two dtypes are promoted to; None if one of them is not computed in."""
    result = PROMOTED.get((BY_NUMPY.get(first), BY_NUMPY.get(second)))
    return result.numpy if result is not None and is_known(first) and is_known(second) else None


def is_known(common) -> bool:
    return common in HALVES or (common.kind in IN_THEMSELVES and common not in REDUCED_NUMPY)


def kernel_plan(op, arguments: tuple) -> Plan | None:
    """The plan for large floats, which a kernel may convert."""
    if op.name not in CONVERTING or op.exact:
        return None
    common = common_float([value._array for value in operands_of(op, arguments) if type(value) in PLAIN_TYPES])
    return None if common is None else operand_plan(op, arguments, common, kernel=True)


def common_float(arrays: list) -> np.dtype | None:
    """Returns the common dtype of floats, one of which is large; None for anything else."""
    if not all([type(array) is np.ndarray and array.ndim for array in arrays]):
        return None
    kinds = {array.dtype for array in arrays}
    if not kinds <= FLOATING or max([array.size for array in arrays], default=0) < MEDIUM:
        return None
    return FLOAT64 if FLOAT64 in kinds else FLOAT32 if len(kinds) > 1 else kinds.pop()


def keeps_dtype(common, number, compared: bool = False) -> bool:
    """Whether a number next to arrays of the dtype changes no dtype; a bool next to bools only if compared."""
    if common.kind == "b":
        return compared and type(number) is bool
    if common.kind in "iu":
        return type(number) is int and 0 <= number < SMALL_INT
    return common.kind in "fcV" and (type(number) is float or type(number) is int)


def is_refused(op, arguments: tuple, common) -> bool:
    """Whether the op refuses the dtype; what it refuses of operands is tested at each call."""
    if op.refuses is None or (callable(op.refuses) and op.refused_by is None):
        return False
    if op.refused_by is not None:
        dtypes_of = [value.dtype for value, x in zip(arguments, op.arguments, strict=True) if x.name in op.refused_by]
        return max(each.category for each in dtypes_of) in op.refuses
    return BY_NUMPY[common] in op.refuses or BY_NUMPY[common].category in op.refuses
