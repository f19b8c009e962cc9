"""Steps as calls of functions of arrays, without tensors in between: where that gives what the operator gives.

An operator casts, rounds, lays out and checks what its arguments need. Operands of one dtype, float32 or float64, need
none of that; neither do views.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.dtype import float32, float64
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import FORMULA
from rushlight.core.tables import entered, raw
from rushlight.declarations.declare import DIFFERENTIABLE, OPERANDS
from rushlight.graph.trace import REFERENCES, Left, Meta, Step

WHOLE = (float32.numpy, float64.numpy)
MASKS = (np.dtype(np.bool_), np.dtype(np.int64))  # dtypes of operands that choose among others


class RawCall(NamedTuple):
    """A call of a function of arrays: its text before the arguments, which are values and references, then names."""

    function: str
    positional: list[Any]
    named: dict[str, Any]
    scalar: bool  # whether the result may be a NumPy number, and not an array


def raw_call(step: Step, metas: list[Meta]) -> RawCall | None:
    """Returns the call of a step on arrays, None if it has to be a call of the operator."""
    op = step.op
    if op is None or step.written() or any([type(value) is Left for value in step.values.values()]):
        return None
    operands = [metas[number] for number in step.operands()]
    if not op.view and not (_is_plain(op, operands, metas[step.results[0]]) and _chooses_only(step, metas)):
        return None
    number = _numbers_of(op, operands)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for argument, value in zip(op.arguments, step.values.values(), strict=True):
        if number is not None and argument.role in OPERANDS and type(value) in (int, float):
            value = number(value)
        if argument.keyword_only:
            if value is not argument.default:
                named[argument.name] = value
        else:
            positional.append(value)
    while positional and _is_default(op.arguments[len(positional) - 1], positional[-1]):
        positional.pop()
    scalar = not op.view and any([not metas[number].shape for number in step.results])
    return _shortened(op.name, positional, named)._replace(scalar=scalar)


def _is_default(argument, value) -> bool:
    return type(value) not in REFERENCES and value is argument.default


def _is_plain(op, operands: list[Meta], result: Meta) -> bool:
    """Whether the operator computes with its operands as they are."""
    kinds = {each.dtype for each in operands}
    floats = kinds.intersection(WHOLE)
    if len(floats) != 1 or not kinds.issubset((*floats, *MASKS)):
        return False
    if op.kind != "elementwise":
        return True
    if math.prod(result.shape) >= FORMULA:
        return False  # the operator has a kernel
    dense = all([each.strides == packed(each) for each in operands])
    return len(kinds) == 1 and (dense or len(result.shape) < (2 if op.contiguous_result else 3))


def _chooses_only(step: Step, metas: list[Meta]) -> bool:
    """Whether operands of integers and bools are indices, masks or targets, which the operator does not promote."""
    for argument, value in zip(step.op.arguments, step.values.values(), strict=True):
        if argument.role in DIFFERENTIABLE:
            for each in value if type(value) in (list, tuple) else (value,):
                if type(each) in REFERENCES and metas[each.number].dtype in MASKS:
                    return False
    return True


def packed(meta: Meta) -> tuple[int, ...]:
    """Returns the strides of a contiguous array."""
    strides, step = [], meta.dtype.itemsize
    for size in reversed(meta.shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _numbers_of(op, operands: list[Meta]) -> Callable[[Any], Any] | None:
    """Returns what makes an array of a number next to operands; None if the function takes it as it is."""
    if op.kind != "elementwise":
        return None
    return ARRAY_NUMBERS[next(each.dtype for each in operands if each.dtype in WHOLE)].__getitem__


class Seen:
    """Represents a table of functions of arrays, and notes what is called."""

    def __init__(self):
        self.calls: list[RawCall] = []

    def __getattr__(self, name: str) -> Callable:
        def note(*positional, **named):
            self.calls.append(RawCall(f"xp.{name}", list(positional), named, False))
            return self

        return note


class Unknown:
    """Represents an array: nothing can be read of it."""

    def __init__(self, reference):
        self.reference = reference


def _shortened(name: str, positional: list, named: dict) -> RawCall:
    """Returns the call of a raw function, or what that calls if it is one function of arrays, with the same values."""
    function = entered(raw, name)
    longer = RawCall(f"raw.{name}", positional, named, False)
    if type(function) is not FunctionType or "xp" not in function.__code__.co_names or function.__closure__:
        return longer
    if any([type(value) in (tuple, list) for value in positional]) or "forward" in function.__code__.co_names:
        return longer
    seen = Seen()
    alone = FunctionType(function.__code__, {"xp": seen}, name, function.__defaults__)
    alone.__kwdefaults__ = function.__kwdefaults__
    try:
        result = alone(*[Unknown(each) if type(each) in REFERENCES else each for each in positional], **named)
    except (AttributeError, TypeError, NameError):
        return longer  # it looks at its operands
    if result is not seen or len(seen.calls) != 1:
        return longer
    call = seen.calls[0]
    known = [each.reference if type(each) is Unknown else each for each in call.positional]
    return call._replace(positional=known)
