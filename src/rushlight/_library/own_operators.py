"""Operators of rushlight that aten lacks, as overloads of the namespace `rushlight`, for `__torch_dispatch__`.

They are parts of derivatives and of other operators. A class or mode that runs each operator on inner tensors can run
these too; one that has a table of operators does not know them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from rushlight._library import registry
from rushlight._library.overloads import OpOverload, find_packet
from rushlight._library.parsing import parse_schema
from rushlight._library.registry import Kernel, Operator
from rushlight.core.errors import noted
from rushlight.declarations.declare import TENSORS, Op
from rushlight.dispatch.planned import called
from rushlight.dispatch.traced_plan import SETTINGS

OWNER = -1  # of the kernels of these operators


class OwnOperator(Operator):
    """An operator whose arguments are given in order, and all of them."""

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Returns a value for each argument, as it is."""
        return [*args, *kwargs.values()]


def schema_of(op: Op) -> str:
    """Returns the text of the schema of an operator."""
    arguments = [f"{kind_of(op, position)} {argument.name}" for position, argument in enumerate(op.arguments)]
    result = "Tensor(a)" if op.view else "Tensor"
    results = f"({', '.join(['Tensor'] * len(op.results))})" if len(op.results) > 1 else result
    return f"rushlight::{op.name}({', '.join(arguments)}) -> {'Tensor[]' if op.multi_output else results}"


def kind_of(op: Op, position: int) -> str:
    """Returns the type of an argument in a schema; settings are of any type."""
    argument = op.arguments[position]
    if argument not in op.operands():
        return "Any"
    if argument.role == TENSORS:
        return "Tensor[]"
    return "Tensor(a)" if op.view and not position and not op.multi_output else "Tensor"


def refuse_settings(op: Op, values: Mapping[str, Any]) -> None:
    """Raises NotImplementedError for an operator that keeps something of a call in its settings, for its derivative.

    A class may run an operator more than once, on several inner tensors.
    """
    operands = [argument.name for argument in op.operands()]
    for name, value in values.items():
        parts = value if type(value) in (list, tuple) else (value,)
        if name not in operands and not all([is_plain(part) for part in parts]):
            raise noted(
                NotImplementedError(f"'{op.name}' has no operator of aten that __torch_dispatch__ could get"),
                "It is one operator in rushlight and several in PyTorch: override the call in __torch_function__.",
            )


def is_plain(value: Any) -> bool:
    return type(value) in SETTINGS or isinstance(value, (slice, tuple, list, np.ndarray, np.dtype, type(...)))


@cache
def own_overload(op: Op) -> OpOverload:
    """Returns the overload of an operator that aten lacks."""
    schema = parse_schema(schema_of(op))
    operator = OwnOperator(schema, (), "registered in rushlight")
    operator.built_in = True
    registry.OPERATORS.setdefault(schema.name, {})[""] = operator
    kernel = Kernel(lambda *arguments: called(op, arguments), False, OWNER)
    registry.KERNELS[operator.name] = {"CompositeImplicitAutograd": [kernel]}
    return find_packet(schema.name).default
