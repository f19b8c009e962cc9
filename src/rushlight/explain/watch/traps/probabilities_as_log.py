"""nll_loss of probabilities."""

from __future__ import annotations

from rushlight.explain.watch.passes import Pass
from rushlight.explain.watch.patterns import came_from, op_name
from rushlight.explain.watch.trap import Trap

NOT_LOGARITHMS = ("softmax", "sigmoid")


class ProbabilitiesAsLog(Trap):
    """nll_loss expects logarithms of probabilities. Of probabilities it gives a number between -1 and 0.

    It falls, as a loss should, and its gradient is that of another problem: it hardly minds a confident mistake.
    """

    kind = "probabilities_as_log"
    failing = """
import torch
from torch import nn

model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    probabilities = torch.softmax(model(torch.randn(8, 4)), dim=1)
    loss = nn.functional.nll_loss(probabilities, torch.randint(3, (8,)))  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("torch.softmax", "torch.log_softmax").replace("  # <- here", "")

    def before_backward(self, graph: Pass) -> None:
        if not graph.is_read:
            return
        for node in graph.nodes:
            if op_name(node) == "negative_log_likelihood" and (found := op_name(came_from(node))) in NOT_LOGARITHMS:
                text = f"nll_loss is given the result of {found}, probabilities, and takes logarithms of them."
                advice = "log_softmax in the place of softmax, or cross_entropy of the scores."
                self.report(self.watching.trail.place_of(node) or graph.place, text, advice)
