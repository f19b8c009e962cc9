"""The arguments of a call as Python's: NumPy's numbers, and tensors of one number where a number is wanted.

Generated functions come here where an argument is of another type than it commonly is, so a call with Python's numbers
pays for nothing that stands here.
"""

from __future__ import annotations

from operator import index

import numpy as np

from rushlight.core.numbers import python_number
from rushlight.core.tensor import PLAIN_TYPES
from rushlight.declarations.declare import VARIADIC
from rushlight.dispatch.argument_errors import check_arguments, kind_of, spread

WHOLE = frozenset(("int", "tuple of ints", "sizes"))  # the kinds that are read by `__index__`


def accepted(op, arguments: tuple) -> tuple:
    """The arguments of a call of an operator, numbers made Python's. Raises TypeError for what PyTorch refuses."""
    check_arguments(op, arguments)
    at = next((at for at, each in enumerate(op.arguments) if each.role == VARIADIC), None)
    values = arguments if at is None else spread(op, arguments, at)
    found = [
        plain(value, (kind_of(op, argument) or "").split(" or "))
        for argument, value in zip(op.arguments, values, strict=True)
    ]
    return tuple(found) if at is None else (*found[:at], *found[at], *found[at + 1 :])


def plain(value, kinds: list[str]):
    """One argument, of some kinds: a number as Python's, a sequence with such numbers, anything else as it is."""
    if isinstance(value, np.generic):
        return python_number(value) if kinds[0] else value
    if type(value) in PLAIN_TYPES:
        if "Tensor" in kinds or value._array.ndim:
            return value
        return index(value) if kinds[0] in WHOLE else value.item() if kinds[0] in ("float", "Number") else value
    if type(value) in (tuple, list) and any(
        [isinstance(each, np.generic) or type(each) in PLAIN_TYPES for each in value]
    ):
        return type(value)([plain(each, ["int"] if kinds[0] in WHOLE else [""]) for each in value])
    return value
