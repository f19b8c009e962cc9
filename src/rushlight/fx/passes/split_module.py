"""`torch.fx.passes.split_module`: the nodes of a graph divided into modules, and a module that calls these."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from rushlight.fx.graph import NO_DEFAULT, Graph
from rushlight.fx.graph_module import GraphModule, _get_attr
from rushlight.fx.node import Node, map_arg
from rushlight.nn.modules.module import Module

__all__ = ["Partition", "split_module"]


class Partition:
    """A part of a graph: what it takes and returns, by the names of nodes, and its own graph."""

    def __init__(self, name: str, affix: str | None) -> None:
        self.name = name
        self.submod_name = f"submod_{name}" if affix is None else f"submod_{affix}_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[str, None] = {}
        self.outputs: dict[str, None] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return (
            f"name: {self.name},\n nodes: {self.node_names},\n inputs: {list(self.inputs)},\n outputs: "
            f"{list(self.outputs)},\n partitions depended on: {list(self.dependencies)},\n partition dependents: "
            f"{list(self.dependents)}"
        )


def split_module(
    m: GraphModule,
    root_m: Module | None,
    split_callback: Callable[[Node], int],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    *,
    partition_affix: str | None = None,
    tuple_return: bool = False,
) -> GraphModule:
    """Returns a module that calls modules `submod_0`, `submod_1`, ...; each has the nodes of one number.

    `split_callback` returns the number of a node. `qualname_map` gets the old name of each member by its new one.
    Modules are called in an order of dependencies; `keep_original_order` in that of their first nodes. Raises
    RuntimeError if modules need each other's results.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.exp(x * 2) + 1)
    >>> split = split_module(traced, None, lambda node: int(node.name == "add"))
    >>> print(split.code.strip())
    def forward(self, x):
        submod_0 = self.submod_0(x);  x = None
        submod_1 = self.submod_1(submod_0);  submod_0 = None
        return submod_1
    """
    split = Split(m, split_callback, partition_affix)
    split.divide()
    order = split.ordered()
    split.fill(order, qualname_map, bool(keep_original_node_name), keep_original_input_name)
    return split.joined(
        list(split.partitions) if keep_original_order else order, tuple_return, bool(keep_original_order)
    )


class Split:
    """One division of a graph."""

    def __init__(self, module: GraphModule, number: Callable[[Node], int], affix: str | None) -> None:
        self.module, self.number, self.affix = module, number, affix
        self.partitions: dict[str, Partition] = {}
        self.of: dict[Node, Partition] = {}
        self.nodes = {node.name: node for node in module.graph.nodes}

    def divide(self) -> None:
        """Assigns each node to a part, and notes what parts need of each other."""
        for node in self.module.graph.nodes:
            if node.op in ("placeholder", "get_attr", "output"):
                continue
            name = str(self.number(node))
            self.of[node] = part = self.partitions.setdefault(name, Partition(name, self.affix))
            part.node_names.append(node.name)
        for node in self.module.graph.nodes:
            for used in node.all_input_nodes:
                self.note_use(used, node)

    def note_use(self, used: Node, user: Node) -> None:
        source, target = self.of.get(used), self.of.get(user)
        if source is target or user.op in ("placeholder", "get_attr"):
            return
        if source is not None:
            source.outputs.setdefault(used.name)
        if target is not None:
            target.inputs.setdefault(used.name)
        if source is not None and target is not None:
            source.dependents.setdefault(target.name)
            target.dependencies.setdefault(source.name)

    def ordered(self) -> list[str]:
        """Returns the names of parts in an order in which each comes after those that it needs."""
        missing = {name: dict(part.dependencies) for name, part in self.partitions.items()}
        ready = [name for name in self.partitions if not missing[name]]
        order: list[str] = []
        while ready:
            name = ready.pop()
            order.append(name)
            for dependent in self.partitions[name].dependents:
                del missing[dependent][name]
                if not missing[dependent]:
                    ready.append(dependent)
        if len(order) != len(self.partitions):
            raise RuntimeError("cycle exists between partitions!")
        return order

    def fill(self, order: list[str], names: dict[str, str] | None, keep_names: bool, keep_inputs: bool) -> None:
        """Copies the nodes into the graphs of their parts."""
        for name in order:
            part = self.partitions[name]
            for count, used in enumerate(part.inputs):
                node = self.nodes[used]
                new = part.graph.placeholder(used if keep_inputs else f"arg_{count}", type_expr=node.type)
                new.meta, part.environment[node] = node.meta.copy(), new
        for node, part in self.of.items():
            target: Any = node.target
            if node.op == "call_module":
                target = str(node.target).replace(".", "_")
                part.targets[target] = _get_attr(self.module, str(node.target))
                if names is not None:
                    names[f"{part.submod_name}.{target}"] = str(node.target)
            args, kwargs = (map_arg(each, part.environment.__getitem__) for each in (node.args, node.kwargs))
            new = part.graph.create_node(node.op, target, args, kwargs, node.name if keep_names else None, node.type)
            new.meta, part.environment[node] = node.meta.copy(), new

    def joined(self, order: list[str], tuple_return: bool, in_place: bool) -> GraphModule:
        """Returns the module that calls the parts. `in_place`: it reads attributes where they are used."""
        graph, members, known = Graph(), dict[str, Any](), dict[str, Node]()
        inputs = self.module.graph.find_nodes(op="placeholder")
        if not in_place:
            inputs = [node for node in self.module.graph.nodes if node.op in ("placeholder", "get_attr")]
        for node in inputs:
            known[node.name] = self.copied(graph, node, members)
        for name in order:
            part = self.partitions[name]
            for each in part.inputs:
                if each not in known:  # an attribute
                    known[each] = self.copied(graph, self.nodes[each], members)
            results = tuple(part.environment[self.nodes[each]] for each in part.outputs)
            single = len(results) == 1 and not tuple_return
            part.graph.output(results[0] if single else results)
            members[part.submod_name] = GraphModule(part.targets, part.graph)
            call = graph.call_module(part.submod_name, tuple(known[each] for each in part.inputs))
            for index, each in enumerate(part.outputs):
                known[each] = call if single else graph.call_function(operator.getitem, (call, index))
        output = self.module.graph.output_node()
        for node in output.all_input_nodes:
            if node.name not in known:
                known[node.name] = self.copied(graph, node, members)
        graph.output(map_arg(output.args[0], lambda node: known[node.name]))
        result = GraphModule(members, graph)
        result.meta["partition_names"] = {part.submod_name for part in self.partitions.values()}
        return result

    def copied(self, graph: Graph, node: Node, members: dict[str, Any]) -> Node:
        if node.op == "placeholder":
            default = node.args[0] if node.args else NO_DEFAULT
            new = graph.placeholder(str(node.target), type_expr=node.type, default_value=default)
        else:
            new = graph.get_attr(str(node.target))
            members[str(node.target)] = _get_attr(self.module, str(node.target))
        new.meta = node.meta.copy()
        return new
