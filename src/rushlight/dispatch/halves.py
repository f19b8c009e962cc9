"""The short way of few numbers in float16 or bfloat16 of which no history is kept: made float32, computed, rounded.

The general path finds this out as well, for any operands, and takes ten times as long for it as NumPy for the numbers.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rushlight.arrays import cpu
from rushlight.core.dtype import BY_NUMPY, bfloat16, float16
from rushlight.core.history import edge_of
from rushlight.core.large import LARGE
from rushlight.core.modes import MODE
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.errors_of_numpy import IGNORED, cast, reset_errors, set_errors
from rushlight.dispatch.operands import FACTORS, WIDE_FACTORS, is_number
from rushlight.ops.declare import CONSTANT, OPTIONAL, OPTIONAL_CONSTANT, TENSOR, TENSORS

FLOAT32 = np.dtype(np.float32)
HALVES = frozenset((float16.numpy, bfloat16.numpy))
# What an argument is to an operator.
LEFT_OUT, FIXED, PLAIN, NUMBER, BESIDE, WIDENED, WIDENED_OR_NUMBER = range(7)


class Plan(NamedTuple):
    """What is known of the calls of an operator."""

    parts: tuple[int, ...]
    defaults: tuple
    names: tuple[str, ...]  # of what is passed by name: not what is left at its default


@cache
def plan_of(op) -> Plan | None:
    """How an operator is called on this way; None for one that takes another."""
    if op.view or op.many or op.crosses or len(op.results) > 1 or op.dtype == "common":
        return None
    parts = [part_of(op, place, each) for place, each in enumerate(op.arguments)]
    names = [
        each.name for part, each in zip(parts, op.arguments, strict=True) if each.keyword_only and part != LEFT_OUT
    ]
    defaults = [each.default for each in op.arguments]
    return Plan(tuple(parts), tuple(defaults), tuple(names)) if None not in parts else None  # type: ignore[arg-type]


def part_of(op, place: int, argument) -> int | None:
    if argument.role in (TENSOR, OPTIONAL):
        return WIDENED_OR_NUMBER if place and not op.exact and op.takes_number(argument.name) else WIDENED
    if argument.role in (CONSTANT, OPTIONAL_CONSTANT):
        return BESIDE
    if argument.name in (*FACTORS, "dtype"):  # what else than the default may stand there is looked at elsewhere
        return LEFT_OUT if argument.keyword_only else FIXED
    if argument.role == TENSORS:
        return None
    return NUMBER if is_number(argument) else PLAIN


def with_halves(op, arguments: tuple) -> Tensor | None:
    """The result where all that is differentiated is of one such dtype; None where there is more to think of."""
    mode = MODE.get()
    if not (mode is True or mode is False) or (plan := plan_of(op)) is None:
        return None
    half, given, exact = None, [], op.exact
    for part, default, value in zip(plan.parts, plan.defaults, arguments, strict=True):
        if part >= WIDENED and type(value) in PLAIN_TYPES:
            array = value._array
            if half is None and (half := array.dtype) not in HALVES:
                return None
            if array.dtype != half or type(array) is not np.ndarray or array.size >= LARGE:
                return None
            if mode and (value._edge is not None or (value._base is not None and edge_of(value) is not None)):
                return None
            given.append(array if exact else array.astype(FLOAT32))
        elif part <= FIXED:
            if value is not default and not (type(value) is int and value == default):
                return None
            if part == FIXED:
                given.append(value)
        elif part == WIDENED_OR_NUMBER and half is not None and (type(value) is float or type(value) is int):
            given.append(number_beside(op.name, half, value))
        elif not is_taken(part, value):
            return None
        else:
            given.append(value._array if part == BESIDE and value is not None else value)
    return None if half is None or is_refused(op, plan, arguments, half) else computed(op, plan.names, given, half)


def number_beside(name: str, half, number):
    """A number as float32, rounded to the dtype beside it first save where it multiplies or divides."""
    found = ARRAY_NUMBERS[FLOAT32][number]
    return found if name in WIDE_FACTORS else cast(cast(found, half), FLOAT32)


def is_taken(part: int, value) -> bool:
    """Whether an argument that is neither widened nor a number beside is one of those that need no thought."""
    if part == BESIDE:
        return value is None or (type(value) in PLAIN_TYPES and type(value._array) is np.ndarray)
    if part >= WIDENED:
        return value is None
    return type(value) in (int, float, bool) if part == NUMBER else not isinstance(value, Tensor)


def is_refused(op, plan: Plan, arguments: tuple, half) -> bool:
    """Whether an operator has no kernel for the dtype, or for these operands."""
    refusal = op.refuses
    if refusal is None:
        return False
    if not callable(refusal):
        return BY_NUMPY[half] in refusal or BY_NUMPY[half].category in refusal
    return refusal(*(value for value, part in zip(arguments, plan.parts, strict=True) if part >= BESIDE)) is not None


def computed(op, names: tuple[str, ...], given: list, half) -> Tensor | None:
    """The operator's `forward`, rounded and wrapped. Whatever goes wrong, the general path meets again and explains."""
    token = set_errors(IGNORED)
    try:
        if names:
            last = len(given) - len(names)
            found: Any = op.forward(cpu, *given[:last], **dict(zip(names, given[last:], strict=True)))
        else:
            found = op.forward(cpu, *given)
        if type(found) is not np.ndarray:
            found = np.asarray(found)
        if found.dtype == FLOAT32 and not op.exact:
            found = found.astype(half)
    except Exception:
        return None
    finally:
        reset_errors(token)
    tensor = new_tensor(None)
    tensor._array = found
    tensor._alike = tensor._base = tensor._edge = tensor._generation = tensor._store = None
    return tensor
