"""Steps with gradients that older steps have used already."""

from __future__ import annotations

import weakref

from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.followed import gradient_of, is_nonzero, parameters_of
from rushlight.explain.watch.passes import Pass
from rushlight.explain.watch.source import name_of_variable
from rushlight.explain.watch.trap import Trap


class Used:
    """The gradient of one parameter as a step has left it, and what became of it since."""

    def __init__(self, parameter: Tensor, gradient: Tensor):
        self.parameter, self.gradient = weakref.ref(parameter), weakref.ref(gradient)
        self.version = gradient._storage.version
        self.added_to = False

    def kept(self) -> Tensor | None:
        """The gradient, if nobody has taken it away."""
        parameter, gradient = self.parameter(), self.gradient()
        return gradient if parameter is not None and gradient_of(parameter) is gradient else None

    def look(self) -> None:
        """Before a backward: nobody has cleared the gradient, or somebody has."""
        gradient = self.kept()
        self.added_to = gradient is not None and is_nonzero(gradient)

    def has_grown(self) -> bool:
        """Before the next step: a backward has added to it."""
        gradient = self.kept()
        return gradient is not None and gradient._storage.version != self.version


class NoZeroGrad(Trap):
    """backward() adds to the gradients that are there. Without zero_grad() every step repeats all steps before it.

    The direction is still downhill at first, so the loss falls for a while, then swings or explodes.
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
    STEPS = 2  # so many steps in a row

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.used: dict[int, Used] = {}  # by optimizer
        self.count: dict[int, int] = {}
        self.backward: Place | None = None  # the last

    def before_backward(self, graph: Pass) -> None:
        if graph.accumulates:
            self.backward = graph.place
            for each in self.used.values():
                each.look()

    def before_step(self, optimizer) -> None:
        used = self.used.get(id(optimizer))
        if used is None:
            return
        repeated = used.added_to and used.has_grown()
        self.count[id(optimizer)] = self.count.get(id(optimizer), 0) + 1 if repeated else 0
        if self.count[id(optimizer)] == self.STEPS:
            text = "This step uses gradients of earlier steps again: backward() has added the new ones to them."
            name = name_of_variable(optimizer) or "optimizer"
            above = f"`{self.backward.text}` at line {self.backward.line}" if self.backward else "backward()"
            self.report(here(), text, f"{name}.zero_grad()   (a new line above {above}, in every step)")

    def after_step(self, optimizer) -> None:
        for parameter in parameters_of(optimizer):
            gradient = gradient_of(parameter)
            if gradient is not None:
                self.used[id(optimizer)] = Used(parameter, gradient)
                return
