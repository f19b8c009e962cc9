"""The general path of an operator: Python numbers, promotion, devices, subclasses and modes, then recording.

The generated functions come here with whatever they do not handle themselves. Nothing here is about one operator: all
is read from the declaration.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.errors import EXPLAINER, about, is_about, noted
from rushlight.core.modes import INFERENCE, MODE, current
from rushlight.core.numbers import NO_NUMBERS
from rushlight.core.source_lines import ENTRY, NOTING, enter
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.core.traced import ACTIVE, ENTERED
from rushlight.declarations.promote import result_type
from rushlight.dispatch import message, traced_plan
from rushlight.dispatch.autocast import cast_arguments, uncast
from rushlight.dispatch.interpreter import Call
from rushlight.dispatch.numpy_errors import out_of_memory
from rushlight.dispatch.operands import NUMBERS, adopted
from rushlight.dispatch.out import in_dtype_of, write_out
from rushlight.dispatch.override import ABSENT, overridden
from rushlight.dispatch.plan_table import plan_of, plan_of_operator
from rushlight.dispatch.planned import called
from rushlight.dispatch.traced_call import call_of, check_out

SCALARS = frozenset((int, float, np.float32, np.float64, np.int32, np.int64))
OPERAND_TYPES = (Tensor, *NUMBERS)
PRODUCTS = frozenset(("matmul", "__rmatmul__"))  # which take no numbers
QUOTIENTS = frozenset(("div", "true_divide", "__rtruediv__"))
# The operators that refuse an array on the left, by the names of the functions behind them.
SIGNS = {
    "add": "+", "mul": "*", "__rsub__": "-", "__rfloordiv__": "//", "__rmod__": "%", "__rpow__": "**",
    "__rmatmul__": "@", "__rlshift__": "<<", "__rrshift__": ">>", "__and__": "&", "__or__": "|", "__xor__": "^",
}  # fmt: skip
CONCATENATION = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on "
    "this error; it may not be given on all Python implementations."
)


def general(op, arguments: tuple, out=None):
    """Runs an operator on any arguments that it can take."""
    computing = None
    try:
        if out is None:
            mode = MODE.get()
            if mode is True or mode is False or mode is INFERENCE:
                if ACTIVE and (result := traced_plan.run(op, arguments)) is not None:
                    return result
                if (plan := plan_of(op, arguments)) is not None:
                    if (result := plan.run(arguments, mode)) is not None:
                        return result
        else:
            if type(out) not in PLAIN_TYPES or not all([type(each) in PLAIN_TYPES for each in arguments[:1]]):
                taken = overridden(op, arguments, current(), {"out": out}, (*arguments, out))
                if taken is not ABSENT:
                    return taken
            if ENTERED:
                check_out(op, arguments, out)
            if op.computes_in_out_dtype:
                arguments = in_dtype_of(out, op, arguments)
            return write_out(out, op.called, uncast(called, op, arguments), op, arguments)
        modes = current()
        taken = overridden(op, arguments, modes)
        if taken is not ABSENT:
            return taken
        if modes.autocast is not None:
            arguments = cast_arguments(op, arguments, modes)
        call = computing = call_of(op, arguments) if ENTERED else Call(op, arguments)
        if modes.computed is not None and (computed := modes.computed.take(op)) is not None:
            tensors = call.taking(computed, modes)
        elif (run := call.backend.run) is None:
            results = call.compute()
            computing = None
            tensors = call.wrap(results, modes)
        else:
            tensors = run(call, modes)
        if modes.grad and op.derivatives and not modes.inference:
            call.record(tensors, modes)
        if len(op.results) > 1:
            return op.named_tuple(*tensors) if op.named_tuple else tuple(tensors)
        return tensors[0] if not op.multi_output else tuple(tensors)
    except Exception as error:
        explain_arguments(op, arguments)
        if out is not None and isinstance(error, NotImplementedError):
            message.refuse_cast(error, op, out, arguments)
        if computing is not None and (EXPLAINER.operands or (EXPLAINER.explain and is_about(error, "dtypes"))):
            about(error, "operands", op=op, tensors=computing.named_tensors())
        if isinstance(error, MemoryError):
            raise out_of_memory(error) from None
        raise


def explain_arguments(op, arguments: tuple) -> None:
    """Raises TypeError if a call has failed for the kinds of its arguments, whatever it ran into."""
    import_module("rushlight.dispatch.argument_errors").check_arguments(op, arguments)


def accepted(op, arguments: tuple) -> tuple:
    """The arguments of a call with numbers made Python's. Raises TypeError for what PyTorch refuses."""
    return import_module("rushlight.dispatch.python_arguments").accepted(op, arguments)


def operated(function, input, other):
    """An operator between a tensor and anything; NotImplemented lets a foreign object have its say."""
    if ACTIVE and (result := traced_plan.run_operator(function.declaration, input, other)) is not None:
        return result
    if type(input) in PLAIN_TYPES and type(other) in PLAIN_TYPES:
        if not NOTING or ENTRY.place is not None or input._edge is None is other._edge:
            return planned_operator(function, input, other)
        enter(2)
        try:
            return planned_operator(function, input, other)
        finally:
            ENTRY.place = None
    if type(other) in SCALARS and type(input) in PLAIN_TYPES and function.__name__ not in PRODUCTS:
        return planned_operator(function, input, other)
    if not isinstance(input, Tensor):
        raise TypeError(f"descriptor requires a 'torch.Tensor' object but received a '{type(input).__name__}'")
    if not isinstance(other, Tensor) and hasattr(other, "__torch_function__"):
        return _foreign(function, input, other)
    if isinstance(other, np.ndarray):
        return _beside_array(function, input, adopted(other))
    if function.__name__ in PRODUCTS:
        return function(input, other) if isinstance(other, Tensor) else NotImplemented
    if isinstance(other, NO_NUMBERS) or (isinstance(other, np.unsignedinteger) and other >= 2**63):
        return NotImplemented
    return function(input, other) if isinstance(other, OPERAND_TYPES) else NotImplemented


def planned_operator(function, input, other):
    """An operator whose own fast path did not take its operands: by its plan, else by the function behind it."""
    mode = MODE.get()
    if mode is True or mode is False or mode is INFERENCE:
        try:
            if (plan := plan_of_operator(function.declaration, input, other)) is not None:
                if (result := plan.run_operator(input, other, mode)) is not None:
                    return result
        except Exception:  # noqa: S110  the function fails again, and explains
            pass
    return function(input, other)


def _foreign(function, input, other):
    """What a class that is no tensor makes of an operator. Where it refuses, Python asks a method of its own."""
    try:
        taken = overridden(function.declaration, (input, other), current())
        return function(input, other) if taken is ABSENT else taken
    except TypeError:
        return NotImplemented


def _beside_array(function, input, other):
    """An operator between a tensor and an array on its right, of which NumPy says the dtype, as in PyTorch."""
    try:
        common = np.result_type(input._array.dtype, other._array.dtype)
    except TypeError:  # NumPy knows none for a dtype of others and whole numbers
        common = result_type([(input.dtype, 1), (other.dtype, 1)]).numpy
    if function.__name__ in QUOTIENTS and common.kind in "biu":
        common = dtypes.float64.numpy
    if function.declaration.dtype != "bool" and common in dtypes.BY_NUMPY:
        input, other = input.to(dtypes.BY_NUMPY[common]), other.to(dtypes.BY_NUMPY[common])
    return function(input, other)


def reflected(function, input, other):
    """An operator between anything on the left and a tensor. Raises TypeError for an array, as PyTorch does."""
    if not isinstance(other, np.ndarray):
        return operated(function, input, other)
    sign = SIGNS[function.__name__]
    shown = "** or pow()" if sign == "**" else sign
    words = CONCATENATION if sign == "+" else f"unsupported operand type(s) for {shown}: 'numpy.ndarray' and 'Tensor'"
    raise noted(
        TypeError(words),
        "NumPy leaves the operator to the tensor, and PyTorch takes an array on the right only. Write "
        f"torch.from_numpy(array) {sign} tensor, which keeps the history.",
    )
