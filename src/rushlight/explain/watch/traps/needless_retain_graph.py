"""retain_graph=True without a second backward."""

from __future__ import annotations

import weakref
from collections import Counter

from rushlight.core.graph import Leaf
from rushlight.core.origin import Place
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.trap import Trap

PASSES = 5  # passes that kept their graph without a second pass through it


class NeedlessRetainGraph(Trap):
    """retain_graph=True keeps all saved values until the loss itself is gone, which takes twice the memory.

    It is needed only if another backward goes through the same graph. Often it silences "Trying to backward through the
    graph a second time", which has better repairs.
    """

    kind = "needless_retain_graph"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(8):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- here
    optimizer.step()
"""
    repaired = failing.replace("retain_graph=True)  # <- here", ")")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.kept: dict[Place, weakref.WeakSet] = {}  # nodes of the last graphs that were kept
        self.count: Counter[Place] = Counter()
        self.needed: set[Place] = set()

    def before_backward(self, graph: Pass) -> None:
        for place, nodes in list(self.kept.items()):
            if not nodes:
                del self.kept[place]
            elif any(node in nodes for node in graph.nodes if not isinstance(node, Leaf)):
                self.needed.add(place)
                del self.kept[place]
        if not (graph.keep and graph.accumulates) or graph.create or graph.place in self.needed:
            return
        self.count[graph.place] += 1
        if self.count[graph.place] > PASSES:
            self.needed.add(graph.place)  # reported already
            self.kept.pop(graph.place, None)
            text = f"retain_graph=True kept the graphs of {PASSES} losses here, and no second backward() used them."
            self.report(graph.place, text, "loss.backward(), without retain_graph.")
            return
        kept = self.kept.setdefault(graph.place, weakref.WeakSet())
        kept.update(node for node in graph.nodes if not isinstance(node, Leaf))
