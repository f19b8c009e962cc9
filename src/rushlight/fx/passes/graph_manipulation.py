"""`torch.fx.passes.graph_manipulation`: exchanges targets, and the memory that nodes need."""

from __future__ import annotations

from typing import NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, Target, map_arg
from rushlight.fx.passes.shape_prop import ShapeProp, TensorMetadata

__all__ = ["get_size_of_all_nodes", "get_size_of_node", "get_tensor_meta", "replace_target_nodes_with", "size_bytes"]


def replace_target_nodes_with(
    fx_module: GraphModule, old_op: str, old_target: Target, new_op: str, new_target: Target
) -> None:
    """Replaces what some nodes call; their arguments and names stay.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    >>> replace_target_nodes_with(traced, "call_function", torch.relu, "call_method", "exp")
    >>> traced(torch.zeros(1))
    tensor([1.])
    """
    graph, new = Graph(), dict[Node, Node]()
    graph.set_codegen(fx_module.graph._codegen)
    for node in fx_module.graph.nodes:
        if (node.op, node.target) == (old_op, old_target):
            args, kwargs = (map_arg(each, lambda x: new[x]) for each in (node.args, node.kwargs))
            new[node] = graph.create_node(new_op, new_target, args, kwargs, node.name)
        else:
            new[node] = graph.node_copy(node, lambda x: new[x])
    fx_module.graph = graph


class size_bytes(NamedTuple):  # noqa: N801
    """The bytes of a node's result, and of its result and parameters."""

    output_size: int
    total_size: int


def get_size_of_all_nodes(fx_module: GraphModule, args: list[Tensor] | None = None) -> None:
    """Sets `node.size_bytes`. With example inputs the module runs first, to note shapes."""
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op != "output":
            node.size_bytes = get_size_of_node(fx_module, node)  # type: ignore[attr-defined]


def get_tensor_meta(node: Node) -> TensorMetadata:
    """Returns what `ShapeProp` noted of a node's result. Raises RuntimeError if it did not run."""
    if not node.meta.get("tensor_meta"):
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation has run."
        )
    return node.meta["tensor_meta"]


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    """Returns the bytes of a node. Parameters count as if they had the dtype of the result."""
    known = get_tensor_meta(node)
    count = known.shape.numel()
    called = fx_module.get_submodule(str(node.target)).parameters() if node.op == "call_module" else ()
    total = count + sum(parameter.numel() for parameter in called)
    return size_bytes(count * known.dtype.itemsize, total * known.dtype.itemsize)
