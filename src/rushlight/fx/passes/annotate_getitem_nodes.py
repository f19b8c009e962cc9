"""`torch.fx.passes.annotate_getitem_nodes`: types of parts, from the types of what they are parts of."""

from __future__ import annotations

import operator
import typing
from typing import Any

from rushlight.fx.graph import Graph

__all__ = ["annotate_getitem_nodes"]


def annotate_getitem_nodes(graph: Graph) -> None:
    """Sets the types of nodes `x[index]` where `x` has the type of a tuple, list or named tuple.

    >>> import rushlight as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x", type_expr=tuple[int, str])
    >>> part = graph.call_function(operator.getitem, (x, 1))
    >>> annotate_getitem_nodes(graph)
    >>> part.type
    <class 'str'>
    """
    for node in graph.nodes:
        if node.target is operator.getitem:
            whole, index = node.args
            kind = whole.type and type_of_part(whole.type, index)
            node.type = kind or node.type


def type_of_part(kind: Any, index: int) -> Any:
    """Returns the type of an item; None if that of the whole does not say it."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        return parts[0]
    if origin is tuple:
        return parts[0] if len(parts) == 2 and parts[1] is ... else parts[index]
    return kind.__annotations__[kind._fields[index]] if hasattr(kind, "_fields") else None
