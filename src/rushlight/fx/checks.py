"""Whether a graph is sound: the order of its nodes, their names, and the members of the module that they use."""

from __future__ import annotations

from typing import Any

from rushlight.fx.node import OPS, Node
from rushlight.nn.modules.module import Module


def check_graph(graph: Any) -> None:
    """Raises RuntimeError for the first fault of a graph."""
    seen: set[Node] = set()
    names: set[str] = set()
    for node in graph.nodes:
        check_node(graph, node, seen)
        seen.add(node)
        if node.name in names:
            raise RuntimeError(f"Node redefined name {node.name}!")
        names.add(node.name)
        if graph.owning_module is not None:
            check_target(graph.owning_module, node)


def check_node(graph: Any, node: Node, seen: set[Node]) -> None:
    if node.op not in OPS:
        raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
    if node.graph is not graph:
        raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
    for used in node.all_input_nodes:
        if used.graph is not graph:
            raise RuntimeError(f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was used as an "
                               "argument! If you are copying nodes from another graph, make sure to use "
                               f"``arg_transform`` on node_copy() to remap values\n{graph}")  # fmt: skip
        if used not in seen:
            raise RuntimeError(f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check "
                               f"that Nodes in the graph are topologically ordered\n{graph}")  # fmt: skip


def check_target(root: Module, node: Node) -> None:
    """Raises RuntimeError if a module lacks the member that a node uses."""
    if node.op not in ("get_attr", "call_module"):
        return
    here, path = root, str(node.target).split(".")
    for count, name in enumerate(path):
        place = ".".join(path[:count])
        there = getattr(here, name, None)
        if there is None:
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {name} of {place}")
        if node.op == "call_module" and not isinstance(there, Module):
            raise RuntimeError(f"Node {node} target {node.target} {name} of {place} does not reference an nn.Module")
        here = there
