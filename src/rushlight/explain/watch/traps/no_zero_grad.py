"""Steps with gradients that include those of earlier steps."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from rushlight.core.graph import Leaf
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.aliases import array_of, sample
from rushlight.explain.watch.backward_pass import Pass, Start
from rushlight.explain.watch.optimizers import gradient_of, is_nonzero, parameters_of
from rushlight.explain.watch.source import name_of_variable, variables
from rushlight.explain.watch.trap import Trap


class Used:
    """A parameter's gradient after a step, and what happened to it since."""

    def __init__(self, parameter: Tensor, gradient: Tensor):
        self.parameter, self.gradient = weakref.ref(parameter), weakref.ref(gradient)
        self.version = gradient._storage.version
        self.added_to = False

    def kept(self) -> Tensor | None:
        """The gradient, if it was not cleared."""
        parameter, gradient = self.parameter(), self.gradient()
        return gradient if parameter is not None and gradient_of(parameter) is gradient else None

    def look(self) -> None:
        """Before a backward: records whether the gradient was cleared."""
        gradient = self.kept()
        self.added_to = gradient is not None and is_nonzero(gradient)

    def has_grown(self) -> bool:
        """Before the next step: whether a backward has added to it."""
        gradient = self.kept()
        return gradient is not None and gradient._storage.version != self.version


class ByHand:
    """A parameter without optimizer, and its gradient, after a backward."""

    def __init__(self, leaf: Leaf):
        self.leaf = weakref.ref(leaf)
        self.gradient = weakref.ref(leaf.grad)
        self.version = leaf.grad._storage.version
        array = array_of(leaf.variable)
        self.values = None if array is None else sample(array)

    def was_updated(self) -> bool:
        """Before the next backward: whether the values have changed and the gradient has not."""
        leaf, gradient = self.leaf(), self.gradient()
        if leaf is None or gradient is None or leaf.grad is not gradient or gradient._storage.version != self.version:
            return False
        array = array_of(leaf.variable)
        if array is None or self.values is None or not is_nonzero(gradient):
            return False
        return not np.array_equal(self.values, sample(array))


def is_parameter(value: Any) -> bool:
    """Whether a value is a leaf that has a gradient."""
    return isinstance(value, Tensor) and isinstance(value._edge, Leaf) and value._edge.grad is not None


class NoZeroGrad(Trap):
    """backward() adds to existing gradients. Without zero_grad() every step repeats all steps before it.

    The direction still goes downhill at first, so the loss falls for a while, then oscillates or explodes.
    """

    kind = "no_zero_grad"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(5):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()  # <- here
"""
    repaired = failing.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()").replace(
        "  # <- here", ""
    )
    STEPS = 2  # consecutive steps

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.used: dict[int, Used] = {}  # by optimizer
        self.count: dict[int, int] = {}
        self.backward: Place | None = None  # line of the last one
        self.by_hand: dict[Start, ByHand] = {}  # after the last pass of a line

    def before_backward(self, graph: Pass) -> None:
        if graph.accumulates:
            self.backward = graph.place
            for entry in self.used.values():
                entry.look()
            last = self.by_hand.pop(graph.start, None)
            if last is not None and last.was_updated():
                self.count[id(graph.start)] = self.count.get(id(graph.start), 0) + 1
                if self.count[id(graph.start)] == self.STEPS:
                    self._tell_by_hand(graph.place)

    def after_backward(self, graph: Pass) -> None:
        """Records parameters without optimizer, which the program updates itself."""
        if graph.accumulates and graph.is_read:
            leaf = next((leaf for leaf in graph.leaves if leaf.grad is not None), None)
            if leaf is not None and id(leaf.variable) not in self.watching.known.optimized():
                self.by_hand[graph.start] = ByHand(leaf)

    def _tell_by_hand(self, place: Place) -> None:
        text = (
            "The parameters have been updated, and backward() adds the new gradients to the old ones: `.grad` has not "
            "been cleared."
        )
        self.report(place, text, f"{self._clearing()}   (a new line above this one)")

    def _clearing(self) -> str:
        """Returns the line that clears all gradients: of a model, a list of parameters, or variables."""
        for module in self.watching.known.live_modules():
            name = name_of_variable(module)
            if name and any(gradient_of(parameter) is not None for parameter in module.parameters()):
                return f"{name}.zero_grad()"
        known = list(variables())
        for name, value, _ in known:
            if isinstance(value, (list, tuple)) and len(value) > 1 and all(is_parameter(x) for x in value):
                return f"for p in {name}: p.grad = None"
        names = {id(value): name for name, value, _ in reversed(known) if is_parameter(value)}
        return "; ".join(f"{name}.grad = None" for name in reversed(names.values()))

    def before_step(self, optimizer) -> None:
        used = self.used.get(id(optimizer))
        if used is None:
            return
        repeated = used.added_to and used.has_grown()
        self.count[id(optimizer)] = self.count.get(id(optimizer), 0) + 1 if repeated else 0
        if self.count[id(optimizer)] == self.STEPS:
            text = "backward() has added the new gradients to those of earlier steps, and this step uses the sum."
            name = name_of_variable(optimizer) or "optimizer"
            above = f"`{self.backward.text}` at line {self.backward.line}" if self.backward else "backward()"
            self.report(here(), text, f"{name}.zero_grad()   (a new line above {above}, in every step)")

    def after_step(self, optimizer) -> None:
        for parameter in parameters_of(optimizer):
            gradient = gradient_of(parameter)
            if gradient is not None:
                self.used[id(optimizer)] = Used(parameter, gradient)
                return
