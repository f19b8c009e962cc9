"""Records of how tensors were made."""

from __future__ import annotations

from math import prod

from rushlight.core.graph import Leaf, Node, node_of
from rushlight.core.origin import Made, Place
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor


def made_of(node: Node) -> Made | None:
    """Returns the record of a node: the recorded one, else one with the noted line; None without either."""
    if node.made is not None or node._place is None:
        return node.made
    made = Made(op_name(node), *node._place[:2])
    made.tracked = True
    return made


def kept_by(node: Node) -> int | None:
    """Returns the number of bytes that a freed step had saved, from the record of its operands; None without one."""
    made, op = node.made, getattr(type(node), "op", None)
    if made is None or made.shape is None or op is None:
        return None
    records = {operand: source for operand, source, _ in made.sources} | dict.fromkeys(op.results, made)
    inputs = [argument.name for argument in op.arguments if argument.name in op.derivatives]
    needed = {
        name for input_, edge in zip(inputs, node.edges, strict=False) if edge is not None for name in op.asks[input_]
    }
    kept = [records[name] for name in type(node).saves if name in needed and name in records]
    return sum(prod(value.shape) * value.dtype.itemsize for value in kept if value.shape is not None)


def op_name(node: Node) -> str:
    """Returns a node's operation: `mul`; the class of a custom function; '' for a leaf."""
    if isinstance(node, Leaf):
        return ""
    op = getattr(type(node), "op", None)
    if op is not None:
        return op.name
    function = getattr(type(node), "function", None)
    return function.__name__ if function is not None else type(node).__name__


def record_of(tensor: Tensor) -> Made:
    """Returns how a tensor was made; an empty record for tensors that are older than the recording."""
    edge = tensor._edge
    node = None if edge is None else node_of(edge)
    made = (made_of(node) if node is not None else None) or tensor._made
    if made is None:
        tensor._made = made = Made("", shape=tensor._array.shape, dtype=tensor._array.dtype)
    return made


def writes_to(memory: Storage) -> tuple:
    """Returns the known writes to a storage as (version, line, operation), oldest first."""
    if memory.writes or memory.last is None:
        return memory.writes
    version, place, by = memory.last
    name = by if by is None or isinstance(by, str) else f"{by.__name__}_"
    return ((version, Place(*place[:2]), name or "a write"),)
