"""train() forgotten after a validation."""

from __future__ import annotations

import weakref

from rushlight.core.modes import recording
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.moods import in_evaluation, moody_layers
from rushlight.explain.watch.passes import Pass
from rushlight.explain.watch.place import Place, here
from rushlight.explain.watch.trap import Trap

STEPS = 2


class TrainingInEvalMode(Trap):
    """After a validation the model stays in evaluation mode until train() is called.

    From the second epoch on dropout does nothing and batch normalisation learns no statistics: the model is trained
    without them, and overfits or drifts.
    """

    kind = "training_in_eval_mode"
    failing = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for step in range(4):
        loss = model(torch.randn(8, 4)).pow(2).mean()  # <- here
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        validation = model(torch.randn(8, 4)).pow(2).mean()
"""
    repaired = failing.replace("    for step in range(4):", "    model.train()\n    for step in range(4):")
    repaired = repaired.replace("  # <- here", "")

    def __init__(self, watching):
        super().__init__(watching)
        self.moody: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # models seen in training mode
        self.calls: dict[int, tuple] = {}  # the last recorded call of each model: where, which layers rest
        self.count: dict[Place, int] = {}

    def called(self, module, output) -> None:
        if not recording() or not isinstance(output, Tensor) or not output.requires_grad:
            return
        moody = self.moody.get(module)  # whether it has layers for which the mode matters
        if moody is None and module.training:
            self.moody[module] = bool(moody_layers(module, True))
        elif moody and not module.training:
            self.calls[id(module)] = here(), in_evaluation(module)

    def before_backward(self, graph: Pass) -> None:
        if not graph.accumulates:
            self.calls.clear()

    def after_step(self, optimizer) -> None:
        for place, layers in self.calls.values():
            self.count[place] = self.count.get(place, 0) + 1
            if self.count[place] == STEPS and layers:
                text = f"The model was trained in training mode, and now in evaluation mode: its {layers} do not take part."
                self.report(place, text, "model.train() before training goes on after model.eval().")
        self.calls.clear()
