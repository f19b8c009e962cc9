"""`torch.fx.passes.infra.partitioner`: the largest parts of a graph that a backend can run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rushlight.fx.graph_module import GraphModule
from rushlight.fx.naming import qualified
from rushlight.fx.node import Node
from rushlight.fx.passes.operator_support import OperatorSupportBase
from rushlight.fx.passes.utils.fuser_utils import fuse_by_partitions

__all__ = ["CapabilityBasedPartitioner", "Partition"]

NON_COMPUTE = ("torch.ops.aten.view", "_operator.getitem")


class Partition:
    """Nodes that run together, each with its place from the end of the graph."""

    def __init__(
        self, id: int | None = None, nodes: Iterable[Node] | None = None, node_orders: Iterable[int] | None = None
    ) -> None:
        self.id = id
        self.nodes: dict[Node, int | None] = dict.fromkeys(nodes or ())
        if node_orders is not None:
            orders = list(node_orders)
            if len(orders) != len(self.nodes):
                raise AssertionError("nodes and node_orders must have the same length")
            self.nodes = dict(zip(self.nodes, orders, strict=True))

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        del self.nodes[node]

    def size(self) -> int:
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Finds parts of nodes that a backend supports, as large as possible, such that no part needs itself.

    Parts of one computation are left out, unless `allows_single_node_partition`; functions named in `non_compute_ops`
    do not count, and those in `allowed_single_node_partition_ops` are enough alone. `skip_horizontal_fusion` only
    joins nodes with those that use their results.

    >>> import rushlight as torch
    >>> from rushlight.fx.passes.operator_support import create_op_support
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.exp(torch.sin(torch.cos(x))))
    >>> support = create_op_support(lambda modules, node: node.name in ("sin", "cos"))
    >>> print(CapabilityBasedPartitioner(traced, support).partition_and_fuse().code.strip())
    def forward(self, x):
        fused_0 = self.fused_0(x);  x = None
        exp = torch.exp(fused_0);  fused_0 = None
        return exp
    """

    def __init__(
        self,
        graph_module: GraphModule,
        operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        skip_horizontal_fusion: bool = False,
    ) -> None:
        self.graph_module, self.operator_support = graph_module, operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops or []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion

    def propose_partitions(self) -> list[Partition]:
        """Returns the parts."""
        modules = dict(self.graph_module.named_modules())
        growing = Growing(self.graph_module)
        for order, node in enumerate(reversed(self.graph_module.graph.nodes)):
            supported = self.operator_support.is_node_supported(modules, node)
            if supported:
                growing.add(node, order)
            growing.join([node] if supported else [], node.users if self.skip_horizontal_fusion else None)
        parts = growing.partitions()
        return [part for part in parts if self.allows_single_node_partition or self._is_worth_it(part)]

    def _is_worth_it(self, part: Partition) -> bool:
        names = [qualified(node.target) for node in part.nodes if callable(node.target)]
        idle = {*NON_COMPUTE, *self.non_compute_ops}
        count = sum(name not in idle for name in names)
        return count + sum(name in self.allowed_single_node_partition_ops for name in names) > 1

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """Replaces each part by a call of a module."""
        return fuse_by_partitions(self.graph_module, [part.nodes for part in partitions], prefix=prefix)

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """Finds the parts, and replaces each by a call of a module."""
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Takes functions in `non_compute_ops` out of parts where nothing is computed before, or after them."""
        for part in partitions:
            first, last = set[Node](), set[Node]()
            for node in part.nodes:  # from the first to the last
                if self._is_idle(node) and all(x not in part.nodes or x in first for x in node.all_input_nodes):
                    first.add(node)
            for node in reversed(part.nodes):
                if self._is_idle(node) and all(x not in part.nodes or x in last for x in node.users):
                    last.add(node)
            for node in first | last:
                part.remove_node(node)

    def _is_idle(self, node: Node) -> bool:
        return callable(node.target) and qualified(node.target) in self.non_compute_ops


class Growing:
    """Parts that are joined while the graph of parts has no cycle. Sets of nodes are the bits of integers."""

    def __init__(self, module: GraphModule) -> None:
        self.nodes = list(module.graph.nodes)
        self.bit = {node: 1 << index for index, node in enumerate(self.nodes)}
        self.after: dict[Node, int] = {}  # the nodes that need the result of a node
        for node in reversed(self.nodes):
            self.after[node] = 0
            for user in node.users:
                self.after[node] |= self.bit[user] | self.after[user]
        self.parts: dict[int, Partition] = {}
        self.masks: dict[int, int] = {}
        self.needs: dict[int, int] = {}  # the nodes that need a result of a part
        self.ranks: dict[int, int] = {}
        self.of: dict[Node, int] = {}

    def add(self, node: Node, order: int) -> None:
        number = len(self.of)
        self.parts[number] = Partition(number, [node], [order])
        self.masks[number], self.needs[number] = self.bit[node], self.after[node]
        self.ranks[number], self.of[node] = number, number

    def join(self, new: list[Node], near: Iterable[Node] | None) -> None:
        """Joins the part of a new node with others where that is possible: all, or those of some nodes."""
        if near is None:
            near = [next(iter(self.parts[each].nodes)) for each in sorted(self.parts, key=self.ranks.__getitem__)]
        elif not new:
            return
        numbers = list(dict.fromkeys(self.of[node] for node in (*new, *near) if node in self.of))
        current = numbers[0] if numbers else 0
        for other in numbers[1:]:
            current = self.joined(current, other)

    def joined(self, one: int, other: int) -> int:
        """Returns the number of the part of two, or of the first if they stay apart."""
        both = self.masks[one] | self.masks[other]
        if self.needed_by(one, other) & both:
            return one
        kept, gone = (one, other) if self.parts[one].size() >= self.parts[other].size() else (other, one)
        self.parts[kept].nodes.update(self.parts[gone].nodes)
        self.of.update(dict.fromkeys(self.parts.pop(gone).nodes, kept))
        self.ranks[kept] = min(self.ranks[kept], self.ranks.pop(gone))
        self.masks[kept] = both
        self.needs[kept] |= self.needs.pop(gone)
        del self.masks[gone]
        return kept

    def needed_by(self, one: int, other: int) -> int:
        """Returns the nodes that run after two parts, once these are one, by way of nodes of neither."""
        both = self.masks[one] | self.masks[other]
        reached = 0
        for node in (*self.parts[one].nodes, *self.parts[other].nodes):
            for user in node.users:
                if not self.bit[user] & both:
                    reached |= self.bit[user] | self.after[user]
        rest = {number: mask for number, mask in self.masks.items() if number not in (one, other)}
        while True:
            met = [number for number, mask in rest.items() if mask & reached]
            if not met:
                return reached
            for number in met:
                reached |= rest.pop(number) | self.needs[number]

    def partitions(self) -> list[Partition]:
        """Returns the parts, with their nodes in the order of the graph; items of a tuple are where it is made."""
        while moves := list(self._moves()):
            for node, number in moves:
                if node in self.of:
                    self.parts[self.of.pop(node)].remove_node(node)
                if number is not None:
                    self.of[node] = number
                    self.parts[number].add_node(node)
        place = {node: index for index, node in enumerate(self.nodes)}
        for part in self.parts.values():
            part.nodes = {node: part.nodes[node] for node in sorted(part.nodes, key=place.__getitem__)}
        return [part for part in self.parts.values() if part.size()]

    def _moves(self) -> Iterable[tuple[Node, int | None]]:
        for node in self.nodes:
            if all(callable(user.target) and qualified(user.target) == "_operator.getitem" for user in node.users):
                yield from ((user, self.of.get(node)) for user in node.users if self.of.get(user) != self.of.get(node))
