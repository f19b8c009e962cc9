"""Reads the graph: a node's operation, and the node behind its operand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rushlight.core.graph import RELEASED, Leaf, Node, node_of


def op_name(node: Node | None) -> str:
    """Returns the operation of a node; empty for leaves and custom functions."""
    return getattr(getattr(type(node), "op", None), "name", "")


def came_from(node: Node, operand: int = 0) -> Node | None:
    """Returns the node that computed an operand, skipping views; None without history."""
    result = _source(node, operand)
    while (
        result is not None
        and not isinstance(result, Leaf)
        and getattr(getattr(type(result), "op", None), "view", False)
    ):
        result = _source(result, 0)
    return result


def _source(node: Node, operand: int) -> Node | None:
    edge = node.edges[operand] if operand < len(node.edges) else None
    return None if edge is None else node_of(edge)


def is_softmax_by_hand(node: Node) -> bool:
    """Whether a node divides exponentials by their sum."""
    above, below = came_from(node), came_from(node, 1)
    if (op_name(node), op_name(above), op_name(below)) != ("true_divide", "exp", "sum"):
        return False
    return below is not None and op_name(came_from(below)) == "exp"


def saved_arrays(node: Node) -> Iterator[tuple[str, np.ndarray]]:
    """Yields (name, array) of the arrays that a node saves; none if it is freed or a custom function."""
    if node.saved is not RELEASED and not node.takes_tensors:
        for name, array in zip(type(node).saves, node.saved, strict=False):
            if isinstance(array, np.ndarray):
                yield name, array
