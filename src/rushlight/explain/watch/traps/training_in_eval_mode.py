"""train() forgotten after a validation."""

from __future__ import annotations

import weakref
from typing import NamedTuple

from rushlight.core.graph import Node, node_of
from rushlight.core.history import edge_of
from rushlight.core.modes import recording
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.mode_layers import in_evaluation, mode_dependent_layers, switched
from rushlight.explain.watch.source import name_of_variable
from rushlight.explain.watch.trap import Trap

STEPS = 2


class Call(NamedTuple):
    """A recorded call of a model in evaluation mode."""

    place: Place
    layers: str  # layers that depend on the mode
    node: Node  # of the result
    module: weakref.ref


class TrainingInEvalMode(Trap):
    """After a validation the model stays in evaluation mode until train() is called.

    From the second epoch on, dropout does nothing and batch normalization updates no statistics: the model is trained
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

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.mode_dependent: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # models seen in training mode
        self.before: set[tuple[int, int]] = set()  # lines that have called such a model in training mode
        self.calls: list[Call] = []
        self.used: list[Call] = []  # calls that the last loss depends on
        self.count: dict[Place, int] = {}

    def called(self, module, output, arguments) -> None:
        if not recording() or not isinstance(output, Tensor) or not output.requires_grad:
            return
        mode_dependent = self.mode_dependent.get(module)  # whether it has layers that depend on the mode
        if mode_dependent is None and module.training:
            mode_dependent = self.mode_dependent[module] = bool(mode_dependent_layers(module, True))
        if mode_dependent and module.training:
            self.before.add(key_of(here()))
        elif mode_dependent:
            node = node_of(edge_of(output))
            self.calls = [*self.calls[-9:], Call(here(), in_evaluation(module), node, weakref.ref(module))]

    def before_backward(self, graph: Pass) -> None:
        """Counts only calls that a loss depends on as training."""
        if self.calls and graph.accumulates:
            nodes = set(graph.nodes)
            self.used = [call for call in self.calls if call.node in nodes]
            self.calls.clear()

    def after_step(self, optimizer) -> None:
        used, self.used = self.used, []
        for place, layers, _, module in used:
            self.count[place] = self.count.get(place, 0) + 1
            if self.count[place] == STEPS and layers and key_of(place) in self.before:
                name = name_of_variable(module()) or "model"
                text = (
                    f"`{name}` is trained in evaluation mode here, and was in training mode before: "
                    f"{name}.eval() stays in force until {name}.train() is called. Its {switched(layers)}."
                )
                self.report(place, text, f"{name}.train()   (a new line above this one)")


def key_of(place: Place) -> tuple[int, int]:
    return id(place.code), place.offset
