"""`torch.fx.passes.utils.common`: a part of a graph as a module; whether two graphs are the same."""

from __future__ import annotations

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.passes.utils.matcher_utils import SubgraphMatcher
from rushlight.nn.modules.module import Module

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]


class HolderModule(Module):
    """A module that holds modules by name."""

    def __init__(self, d: dict[str, Module]) -> None:
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(
    gm: GraphModule, subgraph: Graph, comp_name: str = "", class_name: str = "GraphModule"
) -> tuple[GraphModule, dict[str, str]]:
    """Returns a module of a graph with the members of `gm` that it uses, and the new name of each."""
    targets = [str(node.target) for node in subgraph.nodes if node.op in ("call_module", "get_attr")]
    return GraphModule(gm, subgraph, class_name), {target: f"{comp_name}.{target}" for target in targets}


def compare_graphs(left: Graph, right: Graph) -> bool:
    """Whether two graphs have the same nodes, connected in the same way.

    >>> import rushlight as torch
    >>> one, other = (torch.fx.symbolic_trace(f).graph for f in (lambda x: x + 1, lambda y: y + 1))
    >>> compare_graphs(one, other)
    True
    """
    return bool(SubgraphMatcher(left, match_output=True, match_placeholder=True).match(right))
