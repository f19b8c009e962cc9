"""The order of zero_grad, backward and step."""

from __future__ import annotations

from rushlight.core.origin import Place, here
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.optimizers import gradient_of, is_nonzero, parameters_of
from rushlight.explain.watch.trap import Trap


class StepWithoutGradients(Trap):
    """zero_grad() between backward() and step() discards the gradients, and the step changes nothing.

    The same happens if step() comes before backward(), and zero_grad() after it.
    """

    kind = "step_without_gradients"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(5):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()  # <- here
"""
    repaired = failing.replace(
        "    loss.backward()\n    optimizer.zero_grad()", "    optimizer.zero_grad()\n    loss.backward()"
    )
    repaired = repaired.replace("  # <- here", "")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.backward: Place | None = None  # line of the last one that reached parameters
        self.clearing: Place | None = None  # line that cleared gradients after it

    def after_backward(self, graph: Pass) -> None:
        if graph.accumulates:
            self.backward, self.clearing = graph.place, None

    def cleared(self, owner) -> None:
        if self.backward is not None:
            self.clearing = here()

    def before_step(self, optimizer) -> None:
        backward, clearing = self.backward, self.clearing
        self.backward = self.clearing = None
        if backward is None or clearing is None or self.watching.known.optimizer(optimizer).steps < 2:
            return
        gradients = [gradient_of(parameter) for parameter in parameters_of(optimizer)]
        if all(gradient is None or not is_nonzero(gradient) for gradient in gradients):
            text = (
                f"No parameter has a gradient, so this step changes nothing: zero_grad() at line {clearing.line} "
                f"cleared the gradients that backward() at line {backward.line} had computed."
            )
            advice = "in every step first optimizer.zero_grad(), then loss.backward(), then optimizer.step()."
            self.report(here(), text, advice)
