"""`torch.fx.passes.utils.matcher_utils`: finds all places in a graph that have the shape of a smaller graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import _get_attr
from rushlight.fx.node import Node
from rushlight.fx.passes.utils.fuser_utils import validate_partition

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """A place in a graph: its node, or constant, for each node of the pattern."""

    anchors: list[Node]  # the last nodes of the pattern
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)  # what the placeholders of the pattern are there
    returning_nodes: list[Node] = field(default_factory=list)  # the nodes there that the pattern returns
    name_node_map: dict[str, Node] = field(default_factory=dict)


class SubgraphMatcher:
    """Finds a pattern in graphs. A placeholder of the pattern is any value, unless `match_placeholder`.

    With `ignore_literals` constants need not be equal. Of places that overlap the first is returned, unless
    `remove_overlapping_matches` is false. `match_output` makes the output a part of the pattern.
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        if any(node.op != "output" and not node.is_impure() and not node.users for node in pattern.nodes):
            raise AssertionError("SubgraphMatcher cannot be initialized with an pattern with dead code")
        self.pattern = pattern
        self.match_output, self.match_placeholder = match_output, match_placeholder
        self.remove_overlapping_matches, self.ignore_literals = remove_overlapping_matches, ignore_literals
        output = pattern.output_node()
        self.pattern_placeholder_nodes = pattern.find_nodes(op="placeholder")
        self.pattern_returning_nodes = output.all_input_nodes
        ends = [node for node in output.all_input_nodes if len(node.users) == 1]
        self.pattern_anchors = [output] if match_output else ends

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """Returns the places, first ones first. Nodes inside of one are used in there only, except returned ones.

        With `node_name_match`, also nodes with this text in their name are the last node of the pattern.
        """
        matches = [
            self._match_of(known)
            for known in self._all_from(graph, list(self.pattern_anchors), {}, node_name_match)
            if self._is_contained(known) and validate_partition(self._inside(known))
        ]
        return self._first_ones(matches) if self.remove_overlapping_matches else matches

    def _all_from(
        self, graph: Graph, anchors: list[Node], known: dict[Node, Any], name: str
    ) -> Iterator[dict[Node, Any]]:
        """Returns the assignments that extend a known one by the remaining last nodes of the pattern."""
        if not self.pattern_anchors:
            return
        if not anchors:
            yield known
            return
        for node in graph.nodes:
            extended = self._matched(anchors[0], node, known, name)
            if extended is not None:
                yield from self._all_from(graph, anchors[1:], extended, name)

    def _matched(self, pattern: Node, node: Node, known: dict[Node, Any], name: str = "") -> dict[Node, Any] | None:
        """Returns an assignment with a node for a node of the pattern, and all that these need; None if they differ."""
        if pattern in known:
            return known if known[pattern] is node else None
        if any(other is node for other in known.values()) or not self._nodes_are_equal(pattern, node, name):
            return None
        extended = {**known, pattern: node}
        if pattern.op == "placeholder":
            return extended
        if len(pattern.args) != len(node.args) or list(pattern.kwargs) != list(node.kwargs):
            return None
        own, others = [*pattern.args, *pattern.kwargs.values()], [*node.args, *node.kwargs.values()]
        return self._matched_all(own, others, extended)

    def _matched_all(self, own: Any, others: Any, known: dict[Node, Any]) -> dict[Node, Any] | None:
        if len(own) != len(others):
            return None
        result: dict[Node, Any] | None = known
        for one, other in zip(own, others, strict=True):
            if result is None:
                return None
            if isinstance(one, Node) and isinstance(other, Node):
                result = self._matched(one, other, result)
            elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
                result = self._matched_all(one, other, result)
            else:
                result = self._matched_constant(one, other, result)
        return result

    def _matched_constant(self, one: Any, other: Any, known: dict[Node, Any]) -> dict[Node, Any] | None:
        if isinstance(one, Node) and one.op == "placeholder":
            if one not in known:
                return {**known, one: other}
            return known if known[one] == other else None
        same = not isinstance(one, Node) and type(one) is type(other) and one == other
        return known if same or self.ignore_literals else None

    def _nodes_are_equal(self, pattern: Node, node: Node, name: str = "") -> bool:
        if pattern.op == "placeholder" and not self.match_placeholder:
            return True
        if name and name in node.name:
            return True
        if pattern.op != node.op:
            return False
        if pattern.op in ("placeholder", "output"):
            return True
        return same_attribute(pattern, node) if pattern.op == "get_attr" else pattern.target == node.target

    def _inside(self, known: dict[Node, Any]) -> list[Node]:
        return [node for pattern, node in known.items() if pattern.op not in ("placeholder", "output")]

    def _is_contained(self, known: dict[Node, Any]) -> bool:
        """Whether only returned nodes are used outside."""
        inside = {node for pattern, node in known.items() if pattern.op != "placeholder"}
        hidden = [node for pattern, node in known.items() if pattern.op != "placeholder"
                  and pattern not in self.pattern_returning_nodes]  # fmt: skip
        return all(user in inside for node in hidden for user in node.users)

    def _match_of(self, known: dict[Node, Any]) -> InternalMatch:
        placeholders = [known[node] for node in self.pattern_placeholder_nodes]
        returning = [known[node] for node in self.pattern_returning_nodes]
        return InternalMatch(self.pattern_anchors, known, placeholders, returning)

    def _first_ones(self, matches: list[InternalMatch]) -> list[InternalMatch]:
        taken: set[Node] = set()
        result = []
        for match in matches:
            inside = self._inside(match.nodes_map)
            if taken.isdisjoint(inside):
                taken.update(inside)
                result.append(match)
        return result


def same_attribute(pattern: Node, node: Node) -> bool:
    """Whether two nodes read tensors of the same class; elements may differ."""
    one, other = (_get_attr(each.graph.owning_module, str(each.target)) for each in (pattern, node))
    if type(one) is not type(other):
        return False
    if not isinstance(one, Tensor):
        raise RuntimeError(f"Unsupported type {one} when matching attributes")
    return True
