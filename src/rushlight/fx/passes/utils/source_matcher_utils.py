"""`torch.fx.passes.utils.source_matcher_utils`: the nodes that a module or function of the program became."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

__all__ = ["SourcePartition", "check_subgraphs_connected", "get_source_partitions"]


@dataclass
class SourcePartition:
    """The nodes of one call of a module or function."""

    nodes: list[Node]
    source: Any
    input_nodes: list[Node] = field(default_factory=list)  # of other calls
    output_nodes: list[Node] = field(default_factory=list)  # whose results other calls use
    params: list[Node] = field(default_factory=list)


def get_source_partitions(
    graph: Graph, wanted_sources: Collection[Any], filter_fn: Callable[[Node], bool] | None = None
) -> dict[Any, list[SourcePartition]]:
    """Returns the calls of some modules and functions, by these. With `filter_fn`, only calls whose nodes all pass.

    It reads the notes `source_fn_stack`, `torch_fn` and `nn_module_stack` of nodes, which export makes.
    """
    calls_of: dict[Any, dict[str, list[Node]]] = {}
    for node in graph.nodes:
        source, name = source_of(node, wanted_sources)
        if source is not None:
            calls_of.setdefault(source, {}).setdefault(name, []).append(node)
    return {
        source: [
            partition_of(nodes, source) for nodes in calls.values() if filter_fn is None or all(map(filter_fn, nodes))
        ]
        for source, calls in calls_of.items()
    }


def source_of(node: Node, wanted: Collection[Any]) -> tuple[Any, str]:
    """Returns which of some sources a node comes from, and the name of the call; None for others."""
    if (stack := node.meta.get("source_fn_stack")) is not None:
        name, source = stack[-1][:2]
        return (source, name) if source in wanted else (None, "")
    if (function := node.meta.get("torch_fn")) is not None:
        name, source = function[0], function[1].split(".")[1]
        if source in wanted:
            return source, name
    modules = node.meta.get("nn_module_stack") if node.op == "call_function" else None
    if not modules:
        return None, ""
    name, kind = list(modules.values())[-1]
    return next((source for source in wanted if is_of(kind, source)), None), name


def is_of(kind: Any, source: Any) -> bool:
    """Whether a class, or its name, is that of a source."""
    if isinstance(kind, str) and isinstance(source, type):
        return kind.partition(".")[2] == f"{source.__module__}.{source.__qualname__}".partition(".")[2]
    return issubclass(kind, source) if isinstance(kind, type) and isinstance(source, type) else kind == source


def partition_of(nodes: list[Node], source: Any) -> SourcePartition:
    inputs = [x for node in nodes for x in node.all_input_nodes if x not in nodes and x.op != "get_attr"]
    outputs = [node for node in nodes if node.op != "get_attr" and any(user not in nodes for user in node.users)]
    params = [node for node in nodes if node.op == "get_attr"]
    return SourcePartition(nodes, source, list(dict.fromkeys(inputs)), outputs, params)


def check_subgraphs_connected(subgraph1: SourcePartition, subgraph2: SourcePartition) -> bool:
    """Whether a node of the second uses the result of one of the first."""
    return any(user in subgraph2.nodes for node in subgraph1.nodes for user in node.users)
