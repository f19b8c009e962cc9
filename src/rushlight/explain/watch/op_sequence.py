"""Traps for one operation that is applied to the result of another."""

from __future__ import annotations

from rushlight.core.graph import Node
from rushlight.core.origin import Place
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import came_from, op_name
from rushlight.explain.watch.removed_activation import without
from rushlight.explain.watch.trap import Trap


class Follows(Trap):
    """An operation that is applied to the result of another one by mistake."""

    op: str
    after: tuple[str, ...]
    text: str
    advice: str  # used if the line of the other operation is not found
    left_out: tuple[
        str, ...
    ] = ()  # names of the other operation, as a function and as a layer, if it should be removed

    def before_backward(self, graph: Pass) -> None:
        if not graph.is_read:
            return
        for node in graph.nodes:
            before = came_from(node)
            if op_name(node) == self.op and before is not None and self.is_wrong_before(before):
                self._tell(before, self.watching.node_lines.place_of(node) or graph.place)

    def is_wrong_before(self, before: Node) -> bool:
        """Whether an operation is the one that the other is applied to by mistake."""
        return op_name(before) in self.after

    def _tell(self, before: Node, place: Place) -> None:
        applied = self.watching.node_lines.place_of(before)
        line = without(applied, *self.left_out) if applied is not None and self.left_out else None
        self.report(place, self.text, self.advice if line is None else line.instead_of(place.line))
