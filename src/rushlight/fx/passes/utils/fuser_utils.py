"""`torch.fx.passes.utils.fuser_utils`: replaces parts of a graph by modules that do the same."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterable

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.tools_common import legalize_graph, ordered

__all__ = [
    "erase_nodes", "fuse_as_graphmodule", "fuse_by_partitions", "insert_subgm", "topo_sort", "validate_partition",
]  # fmt: skip


def topo_sort(nodes: list[Node]) -> list[Node]:
    """Returns nodes in an order in which each comes after those that it uses."""
    return ordered(nodes)


def validate_partition(partition: list[Node]) -> bool:
    """Whether nodes can be one: no other node uses some of them and is used by others."""
    inside = set(partition)
    waiting = [user for node in inside for user in node.users if user not in inside]
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node in inside:
            return False
        if node not in seen:
            seen.add(node)
            waiting.extend(node.users)
    return True


def fuse_as_graphmodule(
    gm: GraphModule,
    nodes: list[Node],
    module_name: str,
    partition_lookup_table: Iterable[Node] | None = None,
    *,
    always_return_tuple: bool = False,
) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:
    """Returns a module of some nodes of a graph, the nodes that it takes, and the nodes that it returns."""
    for node in nodes:
        if node.graph.owning_module is not gm:
            raise AssertionError(f"{node} doesn't belong to passed in graph module {gm._get_name()}")
        if node._erased:
            raise AssertionError(f"{node} has been removed from owning graph")
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    graph, inside, inputs, new = Graph(), set(nodes), dict[Node, Node](), dict[Node, Node]()

    def of_part(node: Node) -> Node:
        if node in inside:
            return new[node]
        if node not in inputs:
            inputs[node] = graph.placeholder(node.name, type_expr=node.type)
            inputs[node].meta = copy.copy(node.meta)
        return inputs[node]

    for node in nodes:
        new[node] = graph.node_copy(node, of_part)
    outputs = [node for node in nodes if any(user not in inside for user in node.users)]
    results = tuple(new[node] for node in outputs)
    graph.output(results[0] if len(results) == 1 and not always_return_tuple else results)
    graph.lint()
    return GraphModule(gm, graph, module_name), tuple(inputs), tuple(outputs)


def insert_subgm(
    gm: GraphModule,
    sub_gm: GraphModule,
    orig_inputs: tuple[Node, ...],
    orig_outputs: tuple[Node, ...],
    insertion_point: Node | None = None,
) -> GraphModule:
    """Adds a module and a call of it; its results replace those of some nodes."""
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    last = insertion_point or next((node for node in reversed(gm.graph.nodes) if node in orig_outputs), None)
    if last is None:
        raise AssertionError("Cannot determine insertion point: no insertion_point provided and orig_outputs is empty. "
                             "Pass the last partition node as insertion_point.")  # fmt: skip
    with gm.graph.inserting_after(last):
        call = gm.graph.call_module(name, orig_inputs)
    if len(orig_outputs) == 1 and not isinstance(sub_gm.graph.output_node().args[0], tuple):
        orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        return gm
    with gm.graph.inserting_before(call.next):
        for index, node in enumerate(orig_outputs):
            part = gm.graph.call_function(operator.getitem, (call, index))
            node.replace_all_uses_with(part, propagate_meta=True)
    call.meta["val"] = tuple(node.meta.get("val") for node in orig_outputs)
    return gm


def erase_nodes(gm: GraphModule, nodes: list[Node]) -> None:
    """Removes nodes, the last one first."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(
    gm: GraphModule,
    partitions: list[dict[Node, int | None]],
    prefix: str = "fused_",
    always_return_tuple: bool = False,
) -> GraphModule:
    """Replaces each of some groups of nodes by a module `fused_0`, `fused_1`, ..."""
    for number, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        part, inputs, outputs = fuse_as_graphmodule(
            gm, nodes, f"{prefix}{number}", always_return_tuple=always_return_tuple
        )
        insert_subgm(gm, part, inputs, outputs, nodes[-1])
        erase_nodes(gm, nodes)
    legalize_graph(gm)
    gm.graph.lint()
    return gm
