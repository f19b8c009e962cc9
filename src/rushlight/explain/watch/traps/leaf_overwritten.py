"""`w = w - lr * w.grad`: a parameter that is replaced instead of updated in place."""

from __future__ import annotations

from rushlight.core.graph import Leaf, Node
from rushlight.explain.manual_updates import and_cleared, in_place_update
from rushlight.explain.source_text import statement_at
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import op_name
from rushlight.explain.watch.trap import Trap

UPDATING = ("sub", "add")


class LeafOverwritten(Trap):
    """`w = w - lr * w.grad` makes w a new tensor that is not a leaf. Gradients are stored in leaves only.

    They go to the old tensor, and `w.grad` is None: the second step fails, or an `if` skips it, and nothing is trained.
    """

    kind = "leaf_overwritten"
    failing = """
import torch

w = torch.ones(2, requires_grad=True)
for step in range(3):
    loss = (w**2).sum()
    loss.backward()
    if w.grad is not None:
        w = w - 0.1 * w.grad  # <- here
"""
    repaired = """
import torch

w = torch.ones(2, requires_grad=True)
for step in range(3):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
"""

    def before_backward(self, graph: Pass) -> None:
        """Reports a graph that starts at a leaf with a gradient and immediately replaces it."""
        if not graph.is_read:
            return
        for node in graph.nodes:
            edge = node.edges[0] if op_name(node) in UPDATING else None
            if isinstance(edge, Leaf) and edge.grad is not None:
                self._look(node)

    def _look(self, node: Node) -> None:
        place = self.watching.node_lines.place_of(node)
        update = None if place is None else in_place_update(statement_at(place.code, place.line))
        if place is None or update is None:
            return
        name, line = update[0], and_cleared(update, place.code)
        text = (
            f"This line makes a new tensor and calls it `{name}`. The parameter that requires grad is the old one: "
            f"gradients go there, and `{name}.grad` is None from the next step on."
        )
        self.report(place, text, f"with torch.no_grad(): {line}")
