"""A state that keeps the graphs of all earlier steps."""

from __future__ import annotations

import weakref
from typing import NamedTuple

from rushlight.core.graph import Leaf, Node
from rushlight.core.origin import Place
from rushlight.explain.carried_state import cut_off, state_behind
from rushlight.explain.old_graphs import KEEPING
from rushlight.explain.source_text import text_at
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import op_name
from rushlight.explain.watch.trap import Trap

LOOKED_AT = 20  # number of passes that are read
PASSES = 4  # consecutive passes, each through the whole graph of the one before and more


class Last(NamedTuple):
    """The last pass of a line."""

    nodes: weakref.WeakSet
    size: int
    growths: int


class GrowingGraph(Trap):
    """A hidden state that goes into the next step without detach() carries its graph along, back to the first step.

    Each backward is longer than the last one: time and memory grow with every step. retain_graph=True only hides the
    error that would have reported it.
    """

    kind = "growing_graph"
    failing = """
import torch

cell = torch.nn.RNNCell(3, 4)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.01)
state = torch.zeros(2, 4)
for step in range(8):
    state = cell(torch.randn(2, 3), state)
    loss = state.pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- here
"""
    repaired = failing.replace("torch.randn(2, 3), state)", "torch.randn(2, 3), state.detach())").replace(
        "retain_graph=True)  # <- here", ")"
    )

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.last: dict[Place, Last] = {}

    def before_backward(self, graph: Pass) -> None:
        if not graph.keep or graph.create or graph.number > LOOKED_AT:
            return
        nodes = [node for node in graph.nodes if not isinstance(node, Leaf)]
        last = self.last.get(graph.place)
        shared = [node for node in nodes if last is not None and node in last.nodes]
        growths = last.growths + 1 if last is not None and shared and len(nodes) > last.size else 0
        self.last[graph.place] = Last(weakref.WeakSet(nodes), len(nodes), growths)
        if growths == PASSES:
            self._tell(graph, shared[0])

    def _tell(self, graph: Pass, newest: Node) -> None:
        place = self.watching.node_lines.place_of(newest)
        where = f" at line {place.line}" if place else ""
        text = (
            "Each backward() from this line runs through the graphs of all earlier steps, and takes longer than the "
            f"last. The result of {op_name(newest) or newest.name()}(){where} connects them."
        )
        state = state_behind(place or graph.place)
        if state is None:
            self.report(graph.place, text, "detach() what the next step uses. Then retain_graph=True is not needed.")
            return
        line = cut_off(state)
        without = KEEPING.sub("", text_at(graph.place.file, graph.place.line))
        self.report(graph.place, text, f"{without}\n           {line}   (a new line below it)")
