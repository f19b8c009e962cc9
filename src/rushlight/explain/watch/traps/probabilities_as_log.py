"""nll_loss of probabilities."""

from __future__ import annotations

from rushlight.explain.watch.op_sequence import Follows


class ProbabilitiesAsLog(Follows):
    """nll_loss expects log probabilities. With probabilities it returns a value between -1 and 0.

    It decreases, as a loss should, but its gradient is that of another problem: it hardly penalizes a confident
    mistake.
    """

    kind = "probabilities_as_log"
    op = "negative_log_likelihood"
    after = ("softmax", "sigmoid")
    text = "nll_loss takes logarithms of probabilities, and its input holds probabilities."
    advice = "log_softmax instead of softmax, or cross_entropy of the scores."
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
