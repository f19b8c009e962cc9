"""Converts arguments to Python numbers: NumPy scalars, and 0-d tensors where a number is expected.

Generated functions call this only if an argument has an uncommon type, so calls with Python numbers pay nothing.
"""

from __future__ import annotations

from operator import index

import numpy as np

from rushlight.core.dtype import BOOL
from rushlight.core.numbers import python_number
from rushlight.core.tensor import PLAIN_TYPES
from rushlight.declarations.declare import VARIADIC
from rushlight.declarations.dtype_rules import category_of
from rushlight.dispatch.argument_errors import check_arguments, kind_of, spread

WHOLE = frozenset(("int", "tuple of ints", "sizes"))  # kinds that are read by `__index__`


def accepted(op, arguments: tuple) -> tuple:
    """Returns the arguments of a call with Python numbers. Raises TypeError for types that PyTorch does not take."""
    check_arguments(op, arguments)
    index = next((index for index, argument in enumerate(op.arguments) if argument.role == VARIADIC), None)
    values = arguments if index is None else spread(op, arguments, index)
    converted = [
        plain(value, (kind_of(op, argument) or "").split(" or "))
        for argument, value in zip(op.arguments, values, strict=True)
    ]
    if op.bools_for:
        refuse_bools(op, converted)
    return tuple(converted) if index is None else (*converted[:index], *converted[index], *converted[index + 1 :])


def refuse_bools(op, values: list) -> None:
    """Raises RuntimeError for a bool where PyTorch takes one only if all operands are bools."""
    by_name = {argument.name: value for argument, value in zip(op.arguments, values, strict=True)}
    name = next((name for name in op.bools_for if isinstance(by_name[name], bool)), None)
    operands = [by_name[operand.name] for operand in op.operands()]
    if name is None or all(category_of(each) == BOOL for each in operands):
        return
    if op.refuses is None or op.refuses(*operands) is None:  # what it refuses of operands comes first
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")


def plain(value, kinds: list[str]):
    """Returns an argument with NumPy scalars and 0-d tensors converted, also in sequences; others unchanged."""
    if isinstance(value, np.generic):
        return python_number(value) if kinds[0] else value
    if type(value) in PLAIN_TYPES:
        if "Tensor" in kinds or value._array.ndim:
            return value
        return index(value) if kinds[0] in WHOLE else value.item() if kinds[0] in ("float", "Number") else value
    if type(value) in (tuple, list) and any([isinstance(x, np.generic) or type(x) in PLAIN_TYPES for x in value]):
        return type(value)([plain(x, ["int"] if kinds[0] in WHOLE else [""]) for x in value])
    return value
