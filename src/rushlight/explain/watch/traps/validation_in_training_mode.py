"""eval() forgotten before a validation."""

from __future__ import annotations

import weakref
from collections import Counter
from typing import NamedTuple

from rushlight.core.graph import Node, node_of
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.modes import recording
from rushlight.core.origin import Place, here
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import saved_arrays
from rushlight.explain.watch.mode_layers import in_training
from rushlight.explain.watch.source import name_of_variable
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap
from rushlight.nn.modules.module import Module

CALLS = 2  # calls of one line whose results no backward uses
LOOKED_AT = 20  # calls of a model that are read
WAITING = 8  # calls that a later backward may still use


class Suspect(NamedTuple):
    """A line that calls a model in training mode, and whose results no backward has used yet."""

    place: Place
    name: str
    layers: str
    under_no_grad: bool


class Unclear(NamedTuple):
    """A call that the next backward may use."""

    place: Place
    node: weakref.ref | None  # of the result, if recorded
    memory: object  # of the result


class ValidationInTrainingMode(Trap):
    """A model works in training mode until eval() is called, also under no_grad: dropout drops values.

    Batch normalization uses the statistics of the validation batch, and updates its own. The validation loss is too
    high and noisy, and validation changes the model.
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
        self.calls: Counter[int] = Counter()  # of models, by id
        self.suspects: dict[Place, Suspect] = {}
        self.count: Counter[Place] = Counter()
        self.unclear: list[Unclear] = []
        self.used: set[Place] = set()  # lines whose results were used for training, or that ran before it
        self.parts: weakref.WeakSet[Module] = weakref.WeakSet()  # models whose results other models take, as generators
        self.results: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # the last result of each model
        self.wanted = -1  # the step count at the program's last call of train()

    def tap(self, taps: Taps) -> None:
        def make(train):
            def noted_train(module, mode: bool = True):
                self.wanted = self.watching.steps if mode else self.wanted
                return train(module, mode)

            return noted_train

        taps.attribute(Module, "train", make)

    def called(self, module, output, arguments) -> None:
        result = first_tensor(output)
        if result is None or not result.is_cpu or not module.training:
            return
        if self.calls[id(module)] < LOOKED_AT:
            self.calls[id(module)] += 1
            self._note_parts(module, result, arguments)
        place = here()
        if place in self.used:
            return
        if not self.watching.steps:
            self.used.add(place)  # also for the first evaluation of an untrained model
        elif module not in self.parts and self.wanted < self.watching.steps and self._is_trained(module):
            self._suspect(place, module, result)

    def _note_parts(self, module, result: Tensor, arguments: tuple) -> None:
        if not result.requires_grad or next(module.parameters(), None) is None:
            return
        for argument in arguments:
            if isinstance(argument, Tensor) and argument.requires_grad:
                node = node_of(edge_of(argument))
                self.parts.update(made for made, last in self.results.items() if last() is node and made is not module)
        self.results[module] = weakref.ref(node_of(edge_of(result)))

    def _suspect(self, place: Place, module, result: Tensor) -> None:
        layers = in_training(module)
        if not layers:
            return
        if place not in self.suspects:
            self.suspects[place] = Suspect(place, name_of_variable(module) or "model", layers, not recording())
        self.count[place] += 1
        node = weakref.ref(node_of(edge_of(result))) if result.requires_grad else None
        self.unclear = [*self.unclear[1 - WAITING :], Unclear(place, node, owner(beneath(result._array)))]
        if self.count[place] >= CALLS and self.suspects[place].under_no_grad:
            self._tell(self.suspects[place])

    def _is_trained(self, module) -> bool:
        return not self.watching.known.trained().isdisjoint(id(parameter) for parameter in module.parameters())

    def _tell(self, suspect: Suspect) -> None:
        self.used.add(suspect.place)
        text = (
            f"`{suspect.name}` is called here in training mode, and nothing is trained on the result. Its "
            f"{suspect.layers} layers work as in training: the output is random, or depends on the other samples in "
            "the batch."
        )
        advice = (
            f"{suspect.name}.eval()   (a new line above this one; and {suspect.name}.train() before training goes on)"
        )
        self.report(suspect.place, text, advice)

    def before_backward(self, graph: Pass) -> None:
        """Skips results under no_grad that become training data, such as a generator's samples."""
        if not self.unclear:
            return
        nodes: set[Node] = set(graph.nodes)
        memories = {id(owner(array)) for node in nodes for _, array in saved_arrays(node)}
        for entry in self.unclear:
            if (entry.node is not None and entry.node() in nodes) or id(entry.memory) in memories:
                self.used.add(entry.place)
        self.unclear = [x for x in self.unclear if x.place not in self.used]

    def closed(self) -> None:
        for place, suspect in self.suspects.items():
            if place not in self.used:
                self._tell(suspect)


def first_tensor(output) -> Tensor | None:
    """Returns a model's output, or the first of several."""
    while isinstance(output, (tuple, list)) and output:
        output = output[0]
    return output if isinstance(output, Tensor) else None
