"""log_softmax before cross_entropy."""

from __future__ import annotations

from rushlight.explain.watch.op_sequence import Follows


class LogSoftmaxTwice(Follows):
    """cross_entropy includes log_softmax. After another log_softmax it computes it twice.

    The loss is the same, because log_softmax changes nothing the second time. But the work is done twice, and readers
    of the code take the model's output for scores.
    """

    kind = "log_softmax_twice"
    op = "log_softmax"
    after = ("log_softmax",)
    text = "cross_entropy applies log_softmax itself, and its input has been through log_softmax already."
    advice = "nll_loss for the result of log_softmax, or cross_entropy for the scores themselves."
    left_out = ("log_softmax", "LogSoftmax")
    failing = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    scores = model(torch.randn(8, 4))
    loss = nn.functional.cross_entropy(scores, torch.randint(3, (8,)))  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("cross_entropy", "nll_loss").replace("  # <- here", "")
