"""`torch.fx.experimental.merge_matmul`: products with the same matrix on the right as one product."""

from __future__ import annotations

import itertools
import operator
from typing import Any

from rushlight._generated.functions import cat, matmul, split
from rushlight.core.tensor import Tensor
from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.tools_common import legalize_graph
from rushlight.fx.proxy import Proxy
from rushlight.nn.modules.module import Module

__all__ = ["are_nodes_independent", "may_depend_on", "merge_matmul", "split_result_tensors"]


def split_result_tensors(result: Tensor, inputs: list[Tensor]) -> tuple[Tensor, ...]:
    """Returns the rows of a product that belong to each of the inputs that were joined."""
    sizes = [0] * len(inputs) if isinstance(result, Proxy) else [x.shape[0] for x in inputs]
    return split(result, sizes)


def may_depend_on(a: Node, b: Node, search_depth: int = 6) -> bool:
    """Whether a node needs another one; also true where that is more than `search_depth` steps away."""
    if a is b:
        return True
    if not a.all_input_nodes:
        return False
    return search_depth == 0 or any(may_depend_on(x, b, search_depth - 1) for x in a.all_input_nodes)


def are_nodes_independent(nodes: list[Node]) -> bool:
    """Whether no node needs another one."""
    return not any(may_depend_on(a, b) for a, b in itertools.permutations(nodes, 2))


def merge_matmul(in_mod: Module) -> GraphModule:
    """Returns the module with `x @ w` and `y @ w` computed as `cat([x, y]) @ w`, where neither needs the other.

    >>> import rushlight as torch
    >>> merged = merge_matmul(lambda x, y, w: torch.matmul(x, w).sum() + torch.matmul(y, w).sum())
    >>> len(merged.graph.find_nodes(op="call_function", target=torch.matmul))
    1
    """
    module = symbolic_trace(in_mod)
    products: dict[Any, list[Node]] = {}
    for node in module.graph.find_nodes(op="call_function", target=matmul):
        right = node.args[1]
        products.setdefault(right.target if right.op == "get_attr" else right, []).append(node)
    for nodes in products.values():
        if len(nodes) > 1 and are_nodes_independent(nodes):
            merge(module, nodes)
            legalize_graph(module)
    module.recompile()
    module.graph.lint()
    return module


def merge(module: GraphModule, nodes: list[Node]) -> None:
    """Replaces products by parts of one. The new nodes are at the end."""
    graph = module.graph
    left, right = [node.args[0] for node in nodes], nodes[0].args[1]
    product = graph.call_function(matmul, (graph.call_function(cat, (left,)), right))
    parts = graph.call_function(split_result_tensors, (product, left))
    for index, node in enumerate(nodes):
        node.replace_all_uses_with(graph.call_function(operator.getitem, (parts, index)))
        graph.erase_node(node)
