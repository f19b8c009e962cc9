"""`torch.fx.passes.tools_common`: names of targets, and the order of nodes."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping

from rushlight.core.tensor import Tensor
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.naming import qualified
from rushlight.fx.node import Node
from rushlight.nn.modules.module import Module

__all__ = [
    "FxNetAccFusionsFinder", "get_acc_ops_name", "get_node_target", "is_node_output_tensor", "legalize_graph",
    "stable_topological_sort",
]  # fmt: skip

Tensors = tuple[Tensor] | list[Tensor]
TensorOrTensors = Tensor | Tensors
NodeList = list[Node]
NodeSet = set[Node]
Names = list[str]
CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_node_target(submodules: Mapping[str, Module], node: Node) -> str:
    """Returns what a node calls: the name of a function, of a method, or of the class of a module."""
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(
            f"Expect op types of {', '.join(sorted(CALLABLE_NODE_OPS))}, but found {node.op}, target: {node.target}"
        )
    if node.op == "call_method":
        return str(node.target)
    if node.op == "call_function":
        return qualified(node.target)  # type: ignore[arg-type]
    return get_acc_ops_name(type(submodules[str(node.target)]))


def get_acc_ops_name(k: str | type) -> str:
    """Returns the name of a class or function with its module; a string as it is."""
    if isinstance(k, str):
        return k
    module = "acc_ops" if "acc_ops" in k.__module__ else k.__module__.replace("torch._ops", "torch.ops")
    return f"{module}.{k.__name__}".replace("rushlight.", "torch.", 1)


def is_node_output_tensor(node: Node) -> bool:
    """Whether the result of a node is a tensor, as `ShapeProp` has noted."""
    kind = node.meta.get("type")
    return kind is not None and issubclass(kind, Tensor)


class FxNetAccFusionsFinder:
    """Groups nodes of an accelerator that exchange values that are no tensors: these have to stay together.

    Called, it returns the group of each such node. A group that has a node outside `acc_nodes` is taken out of them.
    """

    def __init__(self, module: GraphModule, acc_nodes: NodeSet) -> None:
        self.module, self.acc_nodes = module, acc_nodes
        self.nodes = list(module.graph.nodes)

    def __call__(self) -> dict[Node, NodeSet]:
        result: dict[Node, NodeSet] = {}
        for node in [node for node in self.nodes if node in self.acc_nodes]:
            if node in result or not passes_no_tensor(node) or node not in self.acc_nodes:
                continue
            group = self.group_of(node)
            if group <= self.acc_nodes:
                result.update(dict.fromkeys(group, group))
            else:
                self.acc_nodes -= group
        return result

    def group_of(self, node: Node) -> NodeSet:
        """Returns the nodes that values which are no tensors connect with a node, and those between them."""
        group, waiting = set[Node](), [node]
        while waiting:
            current = waiting.pop()
            if current in group:
                continue
            group.add(current)
            waiting += [x for x in current.all_input_nodes if passes_no_tensor(x)]
            if passes_no_tensor(current):
                waiting += [x for x in current.users if x.op in CALLABLE_NODE_OPS]
            if not waiting:
                waiting += self.between(group)
        return group

    def between(self, group: NodeSet) -> list[Node]:
        """Returns the nodes outside of a group that use its results, and whose results it uses."""
        after, before = set[Node](), set[Node]()
        for node in self.nodes:
            if not (group | after).isdisjoint(node.all_input_nodes):
                after.add(node)
        for node in reversed(self.nodes):
            if not (group | before).isdisjoint(node.users):
                before.add(node)
        return [node for node in self.nodes if node in (after & before) - group]


def passes_no_tensor(node: Node) -> bool:
    return node.op in CALLABLE_NODE_OPS and "tensor_meta" not in node.meta


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Brings the nodes into an order in which each comes after the nodes that it uses. Raises RuntimeError for cycles.

    The graph is replaced by a copy in that order.
    """
    return in_order(gm, ordered(list(gm.graph.nodes)))


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """Does the same, and moves only the nodes that come before one that they use. Raises AssertionError for cycles."""
    nodes = list(gm.graph.nodes)
    place = {node: index for index, node in enumerate(nodes)}
    missing = {node: len(node.all_input_nodes) for node in nodes}
    ready = [place[node] for node in nodes if not missing[node]]
    result: list[Node] = []
    while ready:
        result.append(node := nodes[heapq.heappop(ready)])
        for user in node.users:
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, place[user])
    if len(result) < len(nodes):
        raise AssertionError(f"Input graph has cycles, unable to add {[node for node in nodes if missing[node]]}")
    return in_order(gm, result)


def in_order(gm: GraphModule, nodes: Iterable[Node]) -> GraphModule:
    """Replaces the graph of a module by a copy with its nodes in another order."""
    graph, new = Graph(), dict[Node, Node]()
    graph.set_codegen(gm.graph._codegen)
    for node in nodes:
        new[node] = graph.node_copy(node, lambda x: new[x])
    gm.graph = graph
    return gm


def ordered(nodes: list[Node]) -> list[Node]:
    """Returns nodes in an order in which each comes after those that it uses."""
    own = set(nodes)
    missing = {node: sum(used in own for used in node.all_input_nodes) for node in nodes}
    ready = deque(node for node in nodes if not missing[node])
    result: list[Node] = []
    while ready:
        node = ready.popleft()
        result.append(node)
        for user in node.users:
            if user in missing:
                missing[user] -= 1
                if not missing[user]:
                    ready.append(user)
    if len(result) < len(nodes):
        raise RuntimeError(f"Input graph has cycles, unable to add {[node for node in nodes if missing[node]]}")
    return result
