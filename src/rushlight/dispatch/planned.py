"""Plans: how calls run that the generated fast path does not take. `plan_table.py` chooses one for each signature.

A plan tests at each call what the signature leaves open, such as the history of operands. It returns None for a call
that it does not take; the general path computes that, or raises its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy import ndarray

from rushlight.core import dtype as dtypes
from rushlight.core.dtype import BY_NUMPY
from rushlight.core.formats import laid_out
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.modes import INFERENCE
from rushlight.core.numbers import ARRAY_NUMBERS, python_number
from rushlight.core.storage import InferenceStorage
from rushlight.core.tables import forward, objects, xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.declarations.declare import OPERANDS, OPS
from rushlight.dispatch.half_scalars import FITTED, FLOAT32, number_beside
from rushlight.dispatch.numpy_errors import FAILURES
from rushlight.dispatch.operands import has_history
from rushlight.dispatch.plan import CONVERTING
from rushlight.dispatch.recording import FOLLOWED, record

# How the raw value of an argument is made.
OPERAND, VALUE, DEFAULT, NUMBER, HALF_NUMBER, FITTING_NUMBER, FITTED_NUMBER, RAW, RAW_LIST = range(9)


class Plan:
    """How calls of one signature run."""

    __slots__ = ("op", "rest")

    def __init__(self, op):
        self.op = op
        self.rest = defaults_after(op)

    def run(self, arguments: tuple, mode) -> Any:
        """Returns the result of a call, or None if the plan does not take it."""
        raise NotImplementedError

    def run_operator(self, input, other, mode) -> Any:
        """The same for an operator, which leaves the arguments after its operands at their defaults."""
        return self.run((input, other, *self.rest), mode)

    def describe(self) -> list[str]:
        """Returns the steps, one a line."""
        raise NotImplementedError


# ---- plans that convert arguments and call the generated function again


class WithPythonNumber(Plan):
    """Converts the second argument, a NumPy number, to a Python number."""

    __slots__ = ("convert",)

    def __init__(self, op, kind: type):
        super().__init__(op)
        signed = issubclass(kind, np.signedinteger)
        self.convert = int if signed else float if issubclass(kind, np.floating) else python_number

    def run(self, arguments, mode):
        op, number = self.op, self.convert(arguments[1])
        try:
            if len(arguments) == 2:
                return op.function(arguments[0], number)
            return called(op, (arguments[0], number, *arguments[2:]))
        except FAILURES:
            return None  # the general path fails again, and describes the arguments that were passed

    def describe(self):
        return [f"convert {self.op.arguments[1].name} to a Python number"]


class WithFloats(Plan):
    """Casts integers and bools to a floating dtype; None is the default dtype."""

    __slots__ = ("dtype", "positions")

    def __init__(self, op, positions: list[int], dtype):
        super().__init__(op)
        self.positions, self.dtype = positions, dtype

    def run(self, arguments, mode):
        dtype = self.dtype
        if dtype is None and (dtype := dtypes.DEFAULTS.floating.numpy).char not in "fd":
            return None
        converted = list(arguments)
        for position in self.positions:
            converted[position] = brought = objects.tensor(None)
            array = arguments[position]._array
            brought._array = array.astype(dtype) if array.flags.c_contiguous else xp.astype(array, dtype)
            brought._store = arguments[position]._storage  # a write to the operand makes the saved copy stale
            brought._meta_key = brought._base = brought._edge = brought._generation = None
        return called(self.op, converted)

    def describe(self):
        name = "the default dtype" if self.dtype is None else str(BY_NUMPY[self.dtype])
        return [f"cast {self.op.arguments[position].name} to {name}" for position in self.positions]


class WithResolved(Plan):
    """Computes lazy conjugates and negatives first."""

    __slots__ = ()

    def run(self, arguments, mode):
        if mode and any([has_history(value) for value in arguments if type(value) in PLAIN_TYPES]):
            return None
        converted = list(arguments)
        for position, value in enumerate(arguments):
            if type(value) in PLAIN_TYPES and type(value._array) is Unresolved:
                converted[position] = made_of(value._array.resolved())
        return called(OPS[self.op.name], converted)  # the function of a method or an operator has fewer arguments

    def describe(self):
        return ["compute lazy conjugates and negatives"]


@cache
def defaults_after(op) -> tuple:
    """Returns the defaults of the arguments after the two operands of an operator."""
    return tuple([argument.default for argument in op.arguments[2:]])


def called(op, arguments: Sequence):
    """Calls the generated function of an op with all its arguments in order."""
    if not op.arguments[-1].keyword_only:
        return op.function(*arguments)
    last = sum([not argument.keyword_only for argument in op.arguments])
    named = {argument.name: value for argument, value in zip(op.arguments[last:], arguments[last:], strict=True)}
    return op.function(*arguments[:last], **named)


# ---- plans that compute


class Computed(Plan):
    """Casts operands to `work`, computes the op's `forward`, rounds to `half` if that was widened, wraps, records."""

    __slots__ = ("common", "half", "loads", "numbers", "refusal", "rounds_to", "saved_in", "several", "work")

    def __init__(self, op, loads: list, common, half, work):
        super().__init__(op)
        self.loads, self.several = loads, len(op.results) > 1
        self.common, self.half, self.work = common, half, work
        self.rounds_to = None if op.exact else half
        self.numbers = ARRAY_NUMBERS[common]
        self.saved_in = None if op.exact or half is None else FLOAT32  # the dtype that the derivative computes in
        self.refusal: Any = op.refuses if callable(op.refuses) and op.refused_by is None else None

    def run(self, arguments, mode):
        op, work, recorded = self.op, self.work, False
        if self.refusal is not None and self.is_refused(arguments):
            return None
        positional: list = []
        named: dict = {}
        for (load, default, name), value in zip(self.loads, arguments, strict=True):
            if load == OPERAND:
                raw = value._array
                if mode and (value._edge is not None or value._base is not None):
                    recorded = recorded or has_history(value)
                if raw.dtype is not work:
                    raw = raw.astype(work) if raw.flags.c_contiguous else xp.astype(raw, work)
            elif load == NUMBER:
                raw = self.numbers[value]
            elif load == VALUE or (load == DEFAULT and value is default):
                raw = value
            elif (raw := self.load(load, default, value)) is None:
                return None
            elif load == RAW_LIST:
                recorded = mode and any([has_history(tensor) for tensor in value])
            if name is None:
                positional.append(raw)
            elif value is not default:
                named[name] = raw
        if recorded and self.several:
            return None
        result = self.compute(op, positional, named)
        if result is None:
            return None
        if mode is INFERENCE:
            for tensor in result if self.several else (result,):
                tensor._store = InferenceStorage()
        if recorded and op.derivatives and result._array.dtype.kind in FOLLOWED:
            record(op, arguments, result, self.saved_in)
        return result

    def is_refused(self, arguments: tuple) -> bool:
        """Whether the op refuses these operands, for more than their dtype."""
        pairs = zip(arguments, self.op.arguments, strict=True)
        return self.refusal(*[value for value, argument in pairs if argument.role in OPERANDS]) is not None

    def load(self, load: int, default, value):
        """Returns the raw value of an argument; None if the plan is not for this number."""
        if load == HALF_NUMBER:
            return number_beside(self.op.name, self.half, value)
        if load == FITTED_NUMBER:
            return FITTED[self.half][value]
        if load == FITTING_NUMBER:
            return None if FITTED[self.half][value] is None else number_beside(self.op.name, self.half, value)
        if load == RAW:
            return value._array
        if load == RAW_LIST:
            return [tensor._array for tensor in value]
        if load == DEFAULT:
            return value if value is default or (type(value) is int and value == default) else None
        return self.numbers[value] if load == NUMBER else value

    def compute(self, op, positional: Sequence, named: dict):
        """Returns the tensor, or the tuple of several; None after a failure, which the general path explains."""
        token = set_errors(xp.IGNORED)
        try:
            run = getattr(forward, op.name)
            # A call with `**named`, even empty, costs 0.5 us more in NumPy's functions
            result = run(xp, *positional, **named) if named else run(xp, *positional)
            if self.several:
                results = [made_of(self.rounded(array)) for array in result]
                return op.named_tuple(*results) if op.named_tuple else tuple(results)
            if type(result) is not np.ndarray or result.dtype is not self.rounds_to is not None:
                result = self.rounded(result)
            if result.ndim > 1 and op.kind == "elementwise":
                arrays = [raw for raw in (*positional, *named.values()) if type(raw) is np.ndarray]
                result = laid_out(result, arrays, op.contiguous_result)
        except FAILURES:
            return None
        finally:
            reset_errors(token)
        return made_of(result)

    def rounded(self, result):
        """Returns a result as an array, in half precision if that was widened."""
        if type(result) is not np.ndarray:
            result = np.asarray(result)
        half = self.rounds_to
        return result.astype(half) if half is not None and result.dtype == FLOAT32 else result

    def describe(self):
        op, lines = self.op, []
        cast = [
            argument.name
            for argument, (load, _, _) in zip(op.arguments, self.loads, strict=True)
            if load in (OPERAND, NUMBER, HALF_NUMBER, FITTING_NUMBER)
        ]
        if cast:
            lines.append(f"take {', '.join(cast)} as {BY_NUMPY[self.work]}")
        lines.append(f"compute forward.{op.name}")
        if self.rounds_to is not None:
            lines.append(f"round to {BY_NUMPY[self.rounds_to]}")
        return lines


class OfTwo(Computed):
    """The same for two operands, and the defaults of the arguments after them."""

    __slots__ = ()

    def run(self, arguments, mode):
        rest = self.rest
        return None if rest and arguments[2:] != rest else self.run_operator(arguments[0], arguments[1], mode)

    def run_operator(self, input, other, mode):
        op, work = self.op, self.work
        array, values = input._array, other._array
        if array.dtype is not work:
            array = array.astype(work) if array.flags.c_contiguous else xp.astype(array, work)
        if values.dtype is not work:
            values = values.astype(work) if values.flags.c_contiguous else xp.astype(values, work)
        token = set_errors(xp.IGNORED)  # the steps of `compute` for one result and no names: a call less
        try:
            result = getattr(forward, op.name)(xp, array, values)
            if type(result) is not ndarray or result.dtype is not self.rounds_to is not None:
                result = self.rounded(result)
            if result.ndim > 1 and op.kind == "elementwise":
                result = laid_out(result, [array, values], op.contiguous_result)
        except FAILURES:
            return None
        finally:
            reset_errors(token)
        tensor = made_of(result)
        if mode is INFERENCE:
            tensor._store = InferenceStorage()
        elif mode and (
            input._edge is not None
            or other._edge is not None
            or (input._base is not None and has_history(input))
            or (other._base is not None and has_history(other))
        ):
            if op.derivatives and tensor._array.dtype.kind in FOLLOWED:
                record(op, (input, other, *self.rest), tensor, self.saved_in)
        return tensor


class ByKernel(Computed):
    """Runs a kernel that casts the elements that it loads and rounds those that it stores."""

    __slots__ = ()

    def run(self, arguments, mode):
        op, values = self.op, {}
        if self.refusal is not None and self.is_refused(arguments):
            return None
        for (load, default, _), argument, value in zip(self.loads, op.arguments, arguments, strict=True):
            if load == OPERAND:
                if mode and has_history(value):
                    return None
                raw = value._array
            elif (raw := self.load(load, default, value)) is None and value is not None:
                return None
            values[argument.name] = raw
        tensor = by_kernel(op, values, self.work, self.common)
        if tensor is not None and mode is INFERENCE:
            tensor._store = InferenceStorage()
        return tensor

    def describe(self):
        return [f"run the converting kernel of {self.op.name} in {BY_NUMPY[self.work]}, store {BY_NUMPY[self.common]}"]


def by_kernel(op, values: dict, work, common) -> Tensor | None:
    """Returns the result of a kernel that computes in `work` and stores `common`; None if it takes no such arrays."""
    token = set_errors(xp.IGNORED)
    try:
        result = CONVERTING[op.name](values, work, common)
    except FAILURES:
        return None
    finally:
        reset_errors(token)
    if result is None:
        return None
    result = np.asarray(result)  # which may be a NumPy scalar
    result = laid_out(result, [result], True) if op.contiguous_result else result
    return made_of(xp.cast(result, common) if common is not work and result.dtype == FLOAT32 else result)


def made_of(array) -> Tensor:
    """Returns a tensor on an array, without history."""
    tensor = objects.tensor(None)
    tensor._array = array
    tensor._meta_key = tensor._base = tensor._edge = tensor._generation = tensor._store = None
    return tensor
