"""Traps that are one operation after another."""

from __future__ import annotations

from rushlight.explain.watch.passes import Pass
from rushlight.explain.watch.patterns import came_from, op_name
from rushlight.explain.watch.trap import Trap


class Follows(Trap):
    """An operation that is given the result of another one, which should not stand before it."""

    op: str
    after: tuple[str, ...]
    text: str
    advice: str

    def before_backward(self, graph: Pass) -> None:
        if not graph.is_read:
            return
        for node in graph.nodes:
            if op_name(node) == self.op and op_name(came_from(node)) in self.after:
                self.report(self.watching.trail.place_of(node) or graph.place, self.text, self.advice)
