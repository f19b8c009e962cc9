"""`torch.fx.passes.split_utils`: nodes with tags become modules, one for each tag."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_arg
from rushlight.fx.passes.tools_common import CALLABLE_NODE_OPS, NodeList, is_node_output_tensor
from rushlight.fx.passes.utils.common import HolderModule, lift_subgraph_as_module
from rushlight.nn.modules.container import ModuleList

__all__ = ["Component", "getattr_recursive", "move_non_tensor_nodes_on_boundary", "setattr_recursive", "split_by_tags"]


def getattr_recursive(obj: Any, name: str) -> Any:
    """Returns the attribute with a dotted name, or None if there is none."""
    for part in name.split("."):
        obj = obj._modules.get(part) if isinstance(obj, ModuleList) else getattr(obj, part, None)
        if obj is None:
            return None
    return obj


def setattr_recursive(obj: Any, attr: str, value: Any) -> None:
    """Sets the attribute with a dotted name."""
    *path, name = attr.split(".")
    for part in path:
        obj = getattr(obj, part)
    setattr(obj, name, value)


@dataclass
class Component:
    """A part of a graph: its own graph, and the nodes that it takes and returns."""

    graph: Graph
    order: int
    name: str
    input_placeholders: NodeList = field(default_factory=list)  # in `graph`
    orig_inputs: NodeList = field(default_factory=list)  # in the graph that is divided
    orig_outputs: NodeList = field(default_factory=list)
    getattr_maps: dict[Node, Node] = field(default_factory=dict)
    constructor_args: list[str] = field(default_factory=list)
    gm: GraphModule | None = None


def split_by_tags(
    gm: GraphModule,
    tags: list[str],
    return_fqn_mapping: bool = False,
    return_tuple: bool = False,
    GraphModuleCls: type[GraphModule] = GraphModule,  # noqa: N803
) -> GraphModule | tuple[GraphModule, dict[str, str]]:
    """Returns a module that calls one module for each tag, in the order of `tags`.

    Every call in the graph has a tag, `node.tag = "encoder"`. `return_fqn_mapping` also returns the new name of each
    member by its old one; `return_tuple` makes parts return tuples also of one value. Raises AssertionError for a call
    without a tag, or if a part needs the result of a later one.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.exp(x) + 1)
    >>> for node in traced.graph.nodes:
    ...     node.tag = "first" if node.name == "exp" else "second"
    >>> print(split_by_tags(traced, ["first", "second"]).code.strip())
    def forward(self, x):
        first = self.first(x);  x = None
        second = self.second(first);  first = None
        return second
    """
    split = Tagged(gm, tags)
    split.divide()
    return split.joined(return_tuple, GraphModuleCls, return_fqn_mapping)


class Tagged:
    """One division of a graph by tags."""

    def __init__(self, gm: GraphModule, tags: list[str]) -> None:
        self.gm = gm
        self.parts = {tag: Component(Graph(), order, tag) for order, tag in enumerate(tags)}
        self.of: dict[Node, Component] = {}
        self.new: dict[Node, Node] = {}
        self.used: dict[Node, None] = {}  # results that leave their part

    def divide(self) -> None:
        """Copies each call into the graph of its part."""
        for node in self.gm.graph.nodes:
            if node.op not in CALLABLE_NODE_OPS:
                continue
            if not hasattr(node, "tag"):
                raise AssertionError(f"Node does not have tag: {node.format_node()}")
            part = self.parts[node.tag]
            last = max((self.of[x].order for x in node.all_input_nodes if x in self.of), default=0)
            if part.order < last:
                raise AssertionError(f"Component {part.name} order must be >= max of its upstream components, "
                                     f"order={part.order} and max={last}")  # fmt: skip
            self.of[node] = part
            self.new[node] = part.graph.node_copy(node, lambda x, part=part: self._within(part, x))  # type: ignore[misc]
            self.new[node].tag = node.tag  # type: ignore[attr-defined]
        for node in self.gm.graph.output_node().all_input_nodes:
            self.used[node] = None
        for node in self.used:
            if node in self.of:
                self.of[node].orig_outputs.append(node)

    def _within(self, part: Component, node: Node) -> Node:
        """Returns the node of a part for an argument: its own, an attribute, or a new placeholder."""
        if self.of.get(node) is part:
            return self.new[node]
        if node.op == "get_attr":
            if node not in part.getattr_maps:
                part.getattr_maps[node] = part.graph.get_attr(str(node.target), type_expr=node.type)
                part.getattr_maps[node].meta = copy.copy(node.meta)
            return part.getattr_maps[node]
        if node not in part.orig_inputs:
            placeholder = part.graph.placeholder(node.name, type_expr=node.type)
            placeholder.meta = copy.copy(node.meta)
            part.orig_inputs.append(node)
            part.input_placeholders.append(placeholder)
            self.used[node] = None
        return part.input_placeholders[part.orig_inputs.index(node)]

    def joined(self, return_tuple: bool, kind: type[GraphModule], with_names: bool) -> Any:
        """Returns the module that calls the parts, with the new names of members if wanted."""
        graph, known, names = Graph(), dict[Node, Node](), dict[str, str]()
        graph.set_codegen(self.gm.graph._codegen)
        for node in self.gm.graph.find_nodes(op="placeholder"):
            known[node] = graph.placeholder(node.name, type_expr=node.type)
            known[node].meta = copy.copy(node.meta)
        output = self.gm.graph.output_node()
        attributes = [node for node in output.all_input_nodes if node.op == "get_attr"]
        for node in attributes:
            known[node] = graph.get_attr(node.name, type_expr=node.type)
        for part in self.parts.values():
            names.update(self._finish(part, return_tuple))
            call = graph.call_module(part.name, tuple(known[x] for x in part.orig_inputs))
            for index, node in enumerate(part.orig_outputs):
                single = len(part.orig_outputs) == 1 and not return_tuple
                known[node] = call if single else graph.call_function(operator.getitem, (call, index))
        graph.output(map_arg(output.args[0], lambda x: known[x]))
        root = HolderModule({part.name: part.gm for part in self.parts.values() if part.gm is not None})
        for node in attributes:
            setattr(root, node.name, getattr_recursive(self.gm, str(node.target)))
        made = kind(root, graph)
        return (made, names) if with_names else made

    def _finish(self, part: Component, return_tuple: bool) -> dict[str, str]:
        results = tuple(self.new[node] for node in part.orig_outputs)
        part.graph.output(results[0] if len(results) == 1 and not return_tuple else results)
        part.gm, names = lift_subgraph_as_module(self.gm, part.graph, part.name)
        return names


def move_non_tensor_nodes_on_boundary(subgraphs: list[Any]) -> None:
    """Moves nodes that pass on numbers, not tensors, to the part that uses them, so that parts exchange tensors.

    A part has `nodes`, and `is_acc` where it runs on an accelerator: only from such parts are nodes moved. A node
    stays if several parts use its result. `ShapeProp` has noted which results are tensors.
    """
    of = {node: part for part in subgraphs for node in part.nodes}
    for part in filter(lambda each: each.is_acc, subgraphs):
        waiting = [node for node in part.nodes if not is_node_output_tensor(node) and others(node, of)]
        while waiting:
            node = waiting.pop(0)
            targets = others(node, of)
            if of[node] is not part or len(targets) != 1:
                continue
            moved = set(between(node, of, targets[0]))
            if any(of[each] is not part for each in moved):
                continue
            for each in [each for each in part.nodes if each in moved]:
                part.nodes.remove(each)
                targets[0].nodes.append(each)
                of[each] = targets[0]
            waiting += [x for x in node.all_input_nodes if of.get(x) is part and not is_node_output_tensor(x)]


def others(node: Node, of: dict[Node, Any]) -> list[Any]:
    """Returns the other parts that use the result of a node."""
    parts = {id(of[user]): of[user] for user in node.users if user in of and of[user] is not of[node]}
    return list(parts.values())


def between(node: Node, of: dict[Node, Any], target: Any) -> Iterator[Node]:
    """Yields a node and those that follow from it, up to a part."""
    yield node
    for user in node.users:
        if user in of and of[user] is not target:
            yield from between(user, of, target)
