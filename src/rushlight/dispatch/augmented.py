"""Augmented assignment: `x += y` writes as `x.add_(y)` does, but leaves foreign operands to their own methods."""

from __future__ import annotations

import numpy as np

from rushlight.core.modes import MODE
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.declarations.declare import Op
from rushlight.dispatch.general import OPERAND_TYPES
from rushlight.dispatch.inplace import write
from rushlight.dispatch.override import ABSENT, may_be_taken, offered

OPERANDS = (*OPERAND_TYPES, np.ndarray)
# The methods that classes with `__torch_function__` see, where it is not the method that computes the result.
SEEN_AS = {
    "true_divide_": "div_", "bitwise_and_": "__iand__", "bitwise_or_": "__ior__", "bitwise_xor_": "__ixor__",
    "bitwise_left_shift_": "__ilshift__", "bitwise_right_shift_": "__irshift__",
}  # fmt: skip


def write_augmented(function, tensor: Tensor, arguments: tuple, keywords: dict, op: Op) -> Tensor:
    """Writes the result of `x += y`; returns NotImplemented for an operand that is no tensor, array or number."""
    if not all([isinstance(each, OPERANDS) or hasattr(each, "__torch_function__") for each in arguments]):
        return NotImplemented
    if op.called in SEEN_AS and (type(tensor) not in PLAIN_TYPES or may_be_taken(arguments, MODE.get())):
        taken = offered(getattr(Tensor, SEEN_AS[op.called]), tensor, *arguments)
        if taken is not ABSENT:
            return taken
    return write(function, tensor, arguments, keywords, op)
