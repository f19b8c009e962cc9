"""A validation without no_grad() whose losses are summed."""

from __future__ import annotations

import weakref
from collections import deque

from rushlight.core.graph import node_of
from rushlight.core.history import edge_of
from rushlight.core.modes import recording
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.trap import Trap
from rushlight.explain.watch.traps.collected_losses import holder

CALLS = 10  # consecutive calls whose graphs are alive at the next backward, which does not use them


class ValidationWithGraphs(Trap):
    """Without no_grad() a validation records graphs, with all saved values, for a backward that never comes.

    One graph at a time costs some memory. A sum or list of the losses keeps all of them: as much as the activations of
    the whole validation set.
    """

    kind = "validation_with_graphs"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for step in range(3):
        loss = model(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    total = 0.0
    for batch in range(20):
        total += model(torch.randn(8, 4)).pow(2).mean()  # <- here
    model.train()
    print(f"validation: {total / 20:.3f}")
"""
    repaired = failing.replace(
        "        total += model(torch.randn(8, 4)).pow(2).mean()  # <- here",
        "        with torch.no_grad():\n            total += model(torch.randn(8, 4)).pow(2).mean()",
    )

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.nodes: deque[weakref.ref] = deque(maxlen=CALLS)  # nodes of the last calls' results
        self.place: Place | None = None  # line of the last one

    def called(self, module, output, arguments) -> None:
        if not module.training and isinstance(output, Tensor) and output.requires_grad and recording():
            self.nodes.append(weakref.ref(node_of(edge_of(output))))
            self.place = here()

    def before_backward(self, graph: Pass) -> None:
        if len(self.nodes) < CALLS:
            return
        alive = {node for x in self.nodes if (node := x()) is not None}
        self.nodes.clear()
        if len(alive) == CALLS and alive.isdisjoint(graph.nodes):
            name, line = holder(alive)
            kept = f", and `{name}` keeps them" if name else ""
            text = f"The model is called in evaluation mode and records graphs{kept}. No backward() uses them."
            self.report(line or self.place, text, "`with torch.no_grad():` around the validation.")
