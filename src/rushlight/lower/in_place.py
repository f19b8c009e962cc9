"""In-place operations on larger tensors, where nothing is recorded: kernels that write to the operand's memory.

In general the result of an in-place operation is computed by the ordinary operator and copied into the tensor's memory.
A kernel reads each element before it writes it, so it needs no copy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.history import edge_of
from rushlight.core.modes import INFERENCE, MODE, current
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import LARGE, PREPARED, WRITTEN
from rushlight.core.tables import fast, forward, xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.declarations.declare import OPERANDS
from rushlight.dispatch.inplace import check_writable
from rushlight.dispatch.interpreter import Call
from rushlight.dispatch.plan import SCALING
from rushlight.kernels.copies import overwrite
from rushlight.lower.conversions import words
from rushlight.lower.elementwise import FLOATS, Kernels, result_of
from rushlight.lower.kernel_cache import ScalarCache

NUMBERS = (bool, int, float)


def writing(op, converting: Callable) -> Callable:
    """Returns what `write` tries first: a function of (tensor, arguments, keywords) to whether it has written."""
    names = [argument.name for argument in op.arguments]
    operands = {argument.name for argument in op.arguments if argument.role in OPERANDS}
    defaults = {argument.name: argument.default for argument in op.arguments}
    function = ARITHMETIC.get(op.name)
    if "alpha" in names:
        SCALING[op.name] = scaling(ScalarCache(Kernels(op.name, result_of(op))))

    def written(tensor: Tensor, arguments: tuple, keywords: dict) -> bool:
        array = tensor._array
        if array.size < WRITTEN or type(array) is not np.ndarray or len(arguments) >= len(names):
            return False
        if function is not None and len(arguments) == 1 and is_bare(tensor, array):
            operand = like(array, arguments[0])
            if operand is not None and is_unscaled(keywords):
                calculate(getattr(fast, function), array, operand)
                tensor._storage.written()
                return True
        if array.size < PREPARED:
            return False
        values_of = {**defaults, **dict(zip(names, (tensor, *arguments), strict=False)), **keywords}
        if not all(is_plain(values_of[name]) for name in operands) or is_recorded(values_of):
            return False
        call = Call(op, tuple(values_of[name] for name in names))
        call.work, call.rounded = call._working_dtypes()
        shapes = [tensor._array.shape for tensor in call.tensors]
        if call.work is None or call.rounded is not tensor.dtype or np.broadcast_shapes(*shapes) != array.shape:
            return False
        call._refuse()
        check_writable(tensor, current(), recorded=False)
        values, work = call.unconverted(), call.work.numpy
        if converting(values, work, call.rounded.numpy, array) is None and not written_integers(
            op, values, work, array
        ):
            return False
        tensor._storage.written()
        return True

    return written


def is_bare(tensor: Tensor, array) -> bool:
    """Whether a write changes only floats: they have no history, and no two elements share memory."""
    mode = MODE.get()
    return (
        (mode is False or (mode is True and tensor._edge is None is tensor._base))
        and array.dtype in FLOATS
        and array.flags.forc
        and not tensor._storage.inference
    )


def is_unscaled(keywords: dict) -> bool:
    """Whether there is no factor; a factor that is no number is refused elsewhere."""
    return not keywords or (len(keywords) == 1 and type(keywords.get("alpha")) is int and keywords["alpha"] == 1)


def scaling(kernels: ScalarCache) -> Callable:
    """Returns a function that adds a multiple of another array in one pass, and returns whether there was a kernel."""

    def is_scaled(array, values, alpha: float) -> bool:
        # For any number but 1, which would be built in.
        kernel = kernels.find(array, {"input": array, "other": values, "alpha": 0.5})
        if kernel is None:
            return False
        kernel(array, values, ARRAY_NUMBERS[array.dtype][alpha], out=array)
        return True

    return is_scaled


def like(array, operand):
    """Returns an operand of an array's dtype, broadcastable to its shape, as array or scalar; None for others."""
    type_ = type(operand)
    if type_ is float:
        return ARRAY_NUMBERS[array.dtype][operand]
    if type_ not in PLAIN_TYPES or (MODE.get() and (operand._edge is not None or operand._base is not None)):
        return None
    values = operand._array
    if type(values) is not np.ndarray or values.dtype is not array.dtype:
        return None
    return values if values.shape == array.shape or is_broadcast(values.shape, array.shape) else None


def is_broadcast(shape: tuple, target: tuple) -> bool:
    """Whether an array of a shape is repeated to fill another."""
    sizes = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all([size in (1, other) for size, other in sizes])


def calculate(function: Callable, array, operand):
    """Writes the result of a function of two arrays to the first one; returns the function's result."""
    token = set_errors(xp.IGNORED)
    try:
        return function(array, operand, out=array)
    finally:
        reset_errors(token)


def written_integers(op, values: dict, work: np.dtype, array: np.ndarray) -> bool:
    """Runs an operation on integers or bools that is one function of the array language; returns whether it did."""
    name = INTEGER_FUNCTIONS.get(op.name)
    if name is None or work.kind not in "biu" or values.get("alpha", 1) != 1:
        return False
    getattr(fast, name)(values["input"], values["other"], out=array)
    return True


ARITHMETIC = {"add": "add", "sub": "subtract", "mul": "multiply", "true_divide": "divide"}
INTEGER_FUNCTIONS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor", "logical_and": "logical_and", "logical_or": "logical_or",
}  # fmt: skip


def fill(tensor: Tensor, arguments: tuple, keywords: dict) -> bool:
    """`fill_` and `zero_`: writes a number to every element."""
    (value,), array = (*arguments, *keywords.values()) or (0,), tensor._array
    if array.size < WRITTEN or type(value) not in NUMBERS or type(array) is not np.ndarray:
        return False
    if is_bare(tensor, array) and -HUGE < value < HUGE:
        if array.size < LARGE or overwrite(array, ARRAY_NUMBERS[array.dtype][value]) is None:
            array.fill(value)
    elif is_recorded({"input": tensor}):
        return False
    else:
        check_writable(tensor, current(), recorded=False, one_value=True)
        one = forward.fill_with_number(xp, np.empty(1, array.dtype), value)
        if array.size < LARGE or overwrite(array, one.reshape(())) is None:
            words(array)[...] = words(one)
    tensor._storage.written()
    return True


HUGE = 1e38  # within the range of every float dtype


def copy(tensor: Tensor, arguments: tuple, keywords: dict) -> bool:
    """`copy_` from a tensor that does not share memory."""
    (source,), array = arguments, tensor._array
    if array.size < WRITTEN or not is_plain(source) or type(array) is not np.ndarray:
        return False
    values = source._array
    if source._storage is tensor._storage:
        return False
    if is_bare(tensor, array) and like(array, source) is not None:
        if array.size < LARGE or overwrite(array, values) is None:
            array[...] = values
    elif array.size < LARGE or is_recorded({"input": tensor, "src": source}):
        return False
    else:
        check_writable(tensor, current(), recorded=False)
        try:
            if overwrite(array, values) is None:
                return False
        except ValueError:
            return False  # the general path raises the error
    tensor._storage.written()
    return True


def is_plain(value) -> bool:
    """Whether an operand is a number, None, or a plain tensor in memory."""
    return value is None or type(value) in NUMBERS or (type(value) in PLAIN_TYPES and type(value._array) is np.ndarray)


def is_recorded(arguments: dict) -> bool:
    """Whether a call with these arguments leaves a history, or a mode may observe it."""
    mode = MODE.get()
    if mode is False or mode is INFERENCE:
        return False
    return mode is not True or any(isinstance(arg, Tensor) and edge_of(arg) is not None for arg in arguments.values())
