"""Replaces each number in a sample's arguments by a NumPy scalar: the result must be the same.

Samples and defaults of the declaration show which arguments are numbers, or sequences of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rushlight.autograd.gradients import grad
from rushlight.core.numbers import python_number
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.declare import VARIADIC, Op
from rushlight.testing.comparison import assert_close
from rushlight.testing.declared import Case, flat, is_smooth
from rushlight.testing.oracle import from_torch, run

FLOATS = (np.float16, np.float32, np.float64, np.longdouble)
WHOLE = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
LARGEST = 100  # fits into every integer dtype
# Functions that PyTorch has written in Python, which require an int: they refuse NumPy integers.
INTS_ONLY = frozenset(("broadcast_shapes", "split", "split_of_size", "tensordot"))
REFUSALS = (
    RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, OverflowError, AssertionError, AttributeError
)  # fmt: skip

# Returns the arguments of a call with one number replaced.
Filled = Callable[[Any], tuple[list, dict]]


def is_number(value) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST


def places(case: Case) -> Iterator[tuple[str, Any, Filled]]:
    """Yields each number in a sample: name of the argument, value, and the call with another value."""
    operator, arguments = case.op, list(case.arguments)
    roles = [argument.role for argument in operator.arguments]
    names = [argument.name for argument in operator.arguments if not argument.keyword_only]
    if VARIADIC in roles:  # with a variable number of arguments, each is named by its position
        names = [str(at) for at in range(len(arguments))]
    values = dict(zip(names, arguments, strict=False)) | case.keywords
    left_out = {} if VARIADIC in roles else {argument.name: argument.default for argument in operator.arguments}
    for name, value in (left_out | values).items():
        if is_number(value):
            yield name, value, filled_at(case, names, name)
        elif type(value) in (tuple, list) and value and all(map(is_number, value)):
            for at in {0, len(value) - 1}:
                yield f"{name}[{at}]", value[at], filled_at(case, names, name, value, at)


def filled_at(case: Case, names: list[str], name: str, values=None, at: int = 0) -> Filled:
    """Returns a function that replaces an argument, or an element of one, by a number."""

    def filled(number):
        value = number if values is None else type(values)([*values[:at], number, *values[at + 1 :]])
        arguments, keywords = list(case.arguments), dict(case.keywords)
        if name in names[: len(arguments)]:
            arguments[names.index(name)] = value
        else:
            keywords[name] = value
        return arguments, keywords

    return filled


def of_numpy(op: Op, place: str, value) -> Iterator[Any]:
    """Yields NumPy scalars that equal a Python number, or round it."""
    yield from [kind(value) for kind in FLOATS]
    if value == int(value) and op.name not in INTS_ONLY:
        yield from [kind(value) for kind in WHOLE if value >= 0 or not issubclass(kind, np.unsignedinteger)]
    # The fast path of views and splitting does not accept NumPy integers.
    if value in (0, 1) and not ((op.view or op.multi_output) and "[" in place):
        yield np.bool_(value)


def check(case: Case) -> None:
    """Checks that a NumPy scalar gives the same results and gradients as the Python number."""
    for place, value, filled in places(case):
        for number in of_numpy(case.op, place, value):
            expected, actual = (outcome(case, *filled(x)) for x in (python_number(number), number))
            words = f"{case}, {place}={number!r}"
            if isinstance(expected, Exception) or isinstance(actual, Exception):
                if type(actual) is not type(expected):
                    raise AssertionError(f"{words}: {actual!r}, where Python's number gives {expected!r}")
            else:
                assert_close(actual, expected, equal_nan=True, msg=worded(words))


def check_beside(case: Case, torch, *, with_tensors: bool = True) -> None:
    """Checks that PyTorch accepts and refuses the same NumPy scalars and 0-d tensors, with the same results."""
    for place, value, filled in places(case):
        kinds = [x for x in ("float32", "int64", "uint8") if with_tensors and fits(value, x)]
        for number in (*of_numpy(case.op, place, value), *(wrap(np.array(value, kind)) for kind in kinds)):
            arguments, keywords = filled(number)
            compare(Case(case.op, case.number, (*arguments, keywords)), torch, f"{case}, {place}={number!r}")


def compare(case: Case, torch, label: str) -> None:
    """Compares one call in both libraries."""
    tensors = [narrow(tensor) for tensor in case.tensors]
    expected = attempt(lambda: [from_torch(x, torch) for x in run(case, torch, tensors)])
    actual = attempt(lambda: case.results(tensors))
    if isinstance(expected, Exception) != isinstance(actual, Exception):
        raise AssertionError(f"{label}: {actual!r}, where PyTorch gives {expected!r}")
    if not isinstance(expected, Exception):
        assert_close(actual, expected, equal_nan=True, msg=worded(label))


def worded(label: str) -> Callable[[str], str]:
    """Returns the function that makes the message of `assert_close`."""
    return lambda message: f"{label}:\n{message}"


def fits(value, kind: str) -> bool:
    return kind == "float32" or value == int(value) and (kind == "int64" or value >= 0)


def attempt(function: Callable):
    """Returns a function's result, or the error that it raises."""
    try:
        return function()
    except REFUSALS as error:
        return error


def outcome(case: Case, arguments, keywords):
    """Returns the results of a call and their gradients, or the error that it raises."""
    changed = Case(case.op, case.number, (*arguments, keywords))
    leaves = [tensor.detach().float().requires_grad_() for tensor in changed.tensors if tensor.requires_grad]
    fresh = iter(leaves)
    tensors = [next(fresh) if tensor.requires_grad else narrow(tensor) for tensor in changed.tensors]
    try:
        results = [result.clone() if isinstance(result, Tensor) else result for result in changed.results(tensors)]
        smooth = [x for x in flat(results) if is_smooth(x) and x.requires_grad]
        gradients = grad([x.abs().sum() for x in smooth], leaves, allow_unused=True) if smooth else ()
    except REFUSALS as error:
        return error
    return [result.detach() if isinstance(result, Tensor) else result for result in (*results, *gradients)]


def narrow(tensor: Tensor) -> Tensor:
    """Returns a tensor without gradient, float32 if floating point, which a NumPy scalar could widen."""
    return tensor.detach().float() if tensor.is_floating_point() else tensor.detach()
