"""How operators compute with tangents: by the kind of the operator, else by the transposed derivative."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.core.traced import DualArray
from rushlight.dispatch.planned import called


def interpret(level, op, values: dict) -> Any:
    """Returns the array of the result of an operator, or a list of them."""
    primals = {name: primal_of(level, value) for name, value in values.items()}
    result = called(op, list(primals.values()))
    if op.kind == "linear":
        tangents = {name: tangent_of(level, value) for name, value in values.items()}
        return DualArray(level, result, called(op, list(tangents.values())))
    return DualArray(level, result)


def primal_of(level, value):
    """Returns an argument without tangents of the level."""
    if isinstance(value, Tensor):
        return value._array.value if type(value._array) is DualArray and value._array.level is level else value
    if type(value) in (list, tuple):
        return type(value)([primal_of(level, each) for each in value])
    return value


def tangent_of(level, value):
    """Returns the tangent of a tensor of the level; other arguments unchanged."""
    if isinstance(value, Tensor) and type(value._array) is DualArray and value._array.level is level:
        return value._array.tangent
    return value


def write(level, tensor: Tensor, source: Tensor) -> None:
    """Writes the elements and tangents of `source` to `tensor`, of which one is of the level."""
    raise NotImplementedError
