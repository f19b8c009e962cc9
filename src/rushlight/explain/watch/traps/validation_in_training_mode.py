"""eval() forgotten before a validation."""

from __future__ import annotations

from typing import NamedTuple

from rushlight.core.modes import recording
from rushlight.core.origin import Place, here
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.core.unresolved import beneath
from rushlight.explain.watch.moods import in_training
from rushlight.explain.watch.passes import Pass
from rushlight.explain.watch.patterns import saved_arrays
from rushlight.explain.watch.trap import Trap

CALLS = 2  # without a backward that uses the result


class Suspect(NamedTuple):
    """A call that may be part of a validation."""

    place: Place
    layers: str
    memory: object  # of the result


class ValidationInTrainingMode(Trap):
    """Under no_grad the model still works in training mode until eval() is called: dropout drops, and batch
    normalisation uses the statistics of the validation batch, and learns them.

    The validation loss is too high and noisy, and what the model has learned about its data is changed by looking.
    """

    kind = "validation_in_training_mode"
    failing = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for step in range(4):
        loss = model(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        for batch in range(2):
            validation = model(torch.randn(8, 4)).pow(2).mean()  # <- here
"""
    repaired = failing.replace("    for step in range(4):", "    model.train()\n    for step in range(4):").replace(
        "    with torch.no_grad():", "    model.eval()\n    with torch.no_grad():"
    )
    repaired = repaired.replace("  # <- here", "")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.suspects: list[Suspect] = []
        self.excused: set[Place] = set()  # from where the results were used for training

    def called(self, module, output) -> None:
        if (
            recording()
            or not self.watching.steps
            or not module.training
            or not (isinstance(output, Tensor) and output.is_cpu)
        ):
            return
        layers = in_training(module)
        if not layers or not self._is_trained(module):
            return
        place = here()
        if place in self.excused:
            return
        self.suspects.append(Suspect(place, layers, owner(beneath(output._array))))
        if sum(each.place == place for each in self.suspects) >= CALLS:
            self._tell(place, layers)

    def _is_trained(self, module) -> bool:
        return not self.watching.known.optimized().isdisjoint(id(each) for each in module.parameters())

    def _tell(self, place: Place, layers: str) -> None:
        text = (
            f"The model is called under no_grad, as in a validation, and its {layers} layers are in training mode: "
            "the output is random or depends on the other samples in the batch."
        )
        self.excused.add(place)
        self.report(place, text, "model.eval() before the validation, model.train() before training goes on.")

    def before_backward(self, graph: Pass) -> None:
        """What was computed under no_grad may be data for training, such as the samples of a generator."""
        if not self.suspects:
            return
        used = {id(owner(array)) for node in graph.nodes for _, array in saved_arrays(node)}
        self.excused.update(each.place for each in self.suspects if id(each.memory) in used)
        self.suspects = []
