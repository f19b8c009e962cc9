"""`torch.fx.passes.dialect.common.cse_pass`: computes equal calls once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rushlight._library.overloads import OpOverload, OpOverloadPacket, find_packet
from rushlight._library.registry import overloads
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_arg
from rushlight.fx.passes.infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]

# Each call draws other numbers, or writes to its argument.
RANDOM = (
    "dropout _standard_gamma bernoulli multinomial native_dropout normal poisson binomial rrelu rand_like rand randint "
    "randn randn_like randint_like randperm"
)
IN_PLACE = "add_ sub_ mul_ div_ pow_ lerp_ relu_ sigmoid_ tanh_"


def get_CSE_banned_ops() -> set[OpOverloadPacket]:  # noqa: N802
    """Returns the operators of `torch.ops.aten` whose calls must all run."""
    names = f"{RANDOM} {IN_PLACE}".split()
    return {find_packet(f"aten::{name}") for name in names if overloads(f"aten::{name}")}


class CSEPass(PassBase):
    """Replaces calls of a function with equal arguments by the first of them. `banned_ops` are left alone.

    The graph must not write to tensors, except by `banned_ops`.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.exp(x) + torch.exp(x))
    >>> print(CSEPass()(traced).graph_module.code.strip())
    def forward(self, x):
        exp = torch.exp(x);  x = None
        add = exp + exp;  exp = None
        return add
    """

    def __init__(self, banned_ops: Collection[Any] | None = None) -> None:
        self.banned_ops = banned_ops or set()
        super().__init__()

    def call(self, graph_module: GraphModule) -> PassResult:
        graph, new, first = Graph(), dict[Node, Node](), dict[Any, Node]()
        graph.set_codegen(graph_module.graph._codegen)
        for node in graph_module.graph.nodes:
            key = self._key(node, new)
            if key is not None and key in first:
                new[node] = first[key]
                continue
            new[node] = graph.node_copy(node, lambda x: new[x])
            if key is not None:
                first[key] = new[node]
        if len(graph.nodes) == len(graph_module.graph.nodes):
            return PassResult(graph_module, False)
        return PassResult(GraphModule(graph_module, graph), True)

    def _key(self, node: Node, new: dict[Node, Node]) -> Any:
        """Returns what equal calls share; None for a node that stays."""
        target = node.target.overloadpacket if isinstance(node.target, OpOverload) else node.target
        if node.op not in ("call_function", "call_method") or target in self.banned_ops or node.is_impure():
            return None
        args, kwargs = map_arg((node.args, node.kwargs), lambda x: new[x])
        key = (node.op, node.target, hashable(args), hashable(kwargs))
        try:
            hash(key)
        except TypeError:  # an argument whose equality is unknown
            return None
        return key


def hashable(value: Any) -> Any:
    """Returns an argument as a key: lists, tuples and dicts with their type, and numbers with theirs."""
    if isinstance(value, tuple | list):
        return (type(value), *map(hashable, value))
    if isinstance(value, dict):
        return (dict, *((name, hashable(each)) for name, each in value.items()))
    if isinstance(value, slice):
        return (slice, *map(hashable, (value.start, value.stop, value.step)))
    return type(value), value
