"""Functions that programs register to write an operator: what they get, and what they return.

Such a function is called as `function(g, *arguments)`: `g.op("Kind", value, attribute_i=1)` adds a node. The arguments
are values of the graph or constants, in the order of the operator's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.onnx.table import Call
from rushlight.onnx.writer import Refused, Value

KINDS = {"i": int, "f": float, "s": str}


class GraphContext:
    """The graph that a registered function adds nodes to."""

    def __init__(self, call: Call):
        self.call = call
        self.opset = call.writer.opset

    def op(self, opname: str, *raw_args: Any, outputs: int = 1, **kwargs: Any) -> Any:
        """Adds a node, of a domain before `::`; returns its result, or a tuple of `outputs` results."""
        writer, first = self.call.writer, self.call.tensors[0]
        domain, _, kind = opname.rpartition("::")
        inputs = [each if isinstance(each, Value) or each is None else writer.constant(each) for each in raw_args]
        if domain == "onnx":
            domain = ""
        if opname.rpartition("::")[2] == "Constant":
            return writer.constant(np.asarray(next(iter(kwargs.values()))))
        if domain:
            writer.domains.add(domain)
        names = writer.nodes_of(
            kind, inputs, outputs, domain=domain, **{key[:-2]: value for key, value in kwargs.items()}
        )
        values = [Value(writer, name, first.dtype) for name in names]
        return values[0] if outputs == 1 else tuple(values)


def by_symbolic(function: Any, call: Call) -> Any:
    """Writes a call by a function that a program registered for it."""
    made = function(GraphContext(call), *call.values.values())
    values = made if isinstance(made, tuple | list) else [made]
    if any([not isinstance(value, Value) for value in values]):
        raise Refused(f"the function registered for {call.op.name} returned no value of the graph")
    for value, result in zip(values, call.results, strict=False):
        value.dtype = result.dtype
    return values
