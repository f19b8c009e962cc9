"""`torch.fx.experimental.const_fold`: computes once what does not depend on the arguments of a module."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor
from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.nn.modules.container import ParameterList
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]

FOLDED = "_FX_CONST_FOLDED_ATTRS"


class FoldedGraphModule(GraphModule):
    """A module that computes its constants at the first call, or with `run_folding`, and keeps them."""

    def __init__(
        self,
        root: Module,
        graph: Graph,
        const_subgraph: Graph | None = None,
        fx_const_folded_attrs_name: str | None = None,
        device_for_folded_attrs: str = "cuda",
    ) -> None:
        super().__init__(root, graph)
        self.const_subgraph_module = None if const_subgraph is None else GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args, **kwargs)

    def run_folding(self) -> None:
        """Computes the constants."""
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        if self.has_folding_been_run:
            raise AssertionError("Folding has already been run")
        self.has_folding_been_run = True
        values = self.const_subgraph_module()
        folded = ParameterList(map(self._kept, values)) if isinstance(values, tuple) else self._kept(values)
        setattr(self, self.fx_const_folded_attrs_name, folded)

    def _kept(self, value: Tensor | int) -> Parameter:
        if not isinstance(value, Tensor):
            return Parameter(tensor([float(value)], device=self.device_for_folded_attrs), requires_grad=False)
        return Parameter(value.detach().clone(), requires_grad=value.requires_grad)


def get_unique_attr_name_in_module(mod_traced: GraphModule, name: str) -> str:
    """Returns an identifier near `name` that the module does not have.

    >>> import rushlight as torch
    >>> get_unique_attr_name_in_module(torch.fx.symbolic_trace(torch.nn.Linear(2, 2)), "weight-1")
    'weight_1'
    """
    name = re.sub("[^0-9a-zA-Z_]+", "_", name)
    name = f"_{name}" if name[0].isdigit() else name
    while hasattr(mod_traced, name):
        numbered = re.fullmatch(r"(.*)_(\d+)", name)
        name = f"{numbered[1]}_{int(numbered[2]) + 1}" if numbered else f"{name}_1"
    return name


def split_const_subgraphs(
    module: Module | GraphModule,
    skip_folding_node_fn: Callable[[Node], bool] | None = None,
    device_for_folded_attrs: str = "cpu",
) -> FoldedGraphModule:
    """Returns a module that computes the calls whose arguments are all constants only once.

    Nodes for which `skip_folding_node_fn` is true are computed at each call.

    >>> import rushlight as torch
    >>> class Scaled(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    ...     def forward(self, x):
    ...         return x * torch.exp(self.scale)
    >>> print(split_const_subgraphs(Scaled()).code.strip())
    def forward(self, x):
        _fx_const_folded_attrs = self._FX_CONST_FOLDED_ATTRS
        mul = x * _fx_const_folded_attrs;  x = _fx_const_folded_attrs = None
        return mul
    """
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constant = constants(traced, skip_folding_node_fn or (lambda node: False))
    folded = [
        node
        for node in traced.graph.nodes
        if node in constant and node.op != "get_attr" and not constant.issuperset(node.users)
    ]
    if not folded:
        return FoldedGraphModule(traced, traced.graph)
    name = get_unique_attr_name_in_module(traced, FOLDED)
    once, each_time = graph_of_constants(traced, constant, folded), graph_without(traced, constant, folded, name)
    result = FoldedGraphModule(
        with_attribute(traced, name, len(folded)), each_time, None, name, device_for_folded_attrs
    )
    result.const_subgraph_module = GraphModule(traced, once)
    return result


def constants(module: GraphModule, skipped: Callable[[Node], bool]) -> set[Node]:
    """Returns the nodes that do not depend on arguments, and that may run once."""
    once: set[Node] = set()
    for node in module.graph.nodes:
        if node.op in ("placeholder", "output") or not once.issuperset(node.all_input_nodes):
            continue
        if not (skipped(node) or node.is_impure() or (node.op == "call_module" and has_effects(module, node))):
            once.add(node)
    return once


def has_effects(module: GraphModule, node: Node) -> bool:
    """Whether the graph of the module that a node calls has calls with effects."""
    called = module.get_submodule(str(node.target))
    return isinstance(called, GraphModule) and any(
        (each.op == "call_function" and each.is_impure()) or (each.op == "call_module" and has_effects(called, each))
        for each in called.graph.nodes
    )


def graph_of_constants(module: GraphModule, constant: set[Node], folded: list[Node]) -> Graph:
    graph, new = Graph(), dict[Node, Node]()
    for node in module.graph.nodes:
        if node in constant and (node.op != "get_attr" or node.users):
            new[node] = graph.node_copy(node, lambda x: new[x])
    results = tuple(new[node] for node in folded)
    graph.output(results if len(results) > 1 else results[0])
    graph.eliminate_dead_code()
    return graph


def graph_without(module: GraphModule, constant: set[Node], folded: list[Node], name: str) -> Graph:
    """Returns the graph with an attribute for the constants."""
    graph, new = Graph(tracer_cls=module.graph._tracer_cls), dict[Node, Node]()
    graph.set_codegen(module.graph._codegen)
    for node in module.graph.nodes:
        if node in folded:
            new[node] = read(graph, name, folded.index(node), len(folded))
            new[node].meta = dict(node.meta)
        elif node not in constant or (node.op == "get_attr" and not constant.issuperset(node.users)):
            new[node] = graph.node_copy(node, lambda x: new[x])
    return graph


def read(graph: Graph, name: str, index: int, count: int) -> Node:
    """Adds the nodes that read a constant; several constants are a list, which is read once."""
    if count == 1:
        return graph.get_attr(name)
    nodes = graph.find_nodes(op="get_attr", target=name)
    values = nodes[0] if nodes else graph.get_attr(name)
    return graph.call_function(operator.getitem, (values, index))


def with_attribute(module: GraphModule, name: str, count: int) -> Module:
    """Returns a module with the members of another one, and a parameter, or a list, for constants."""
    root = Module()
    root.__dict__.update(
        {key: dict(value) if isinstance(value, dict) else value for key, value in vars(module).items()}
    )
    setattr(root, name, ParameterList() if count > 1 else Parameter())
    return root
