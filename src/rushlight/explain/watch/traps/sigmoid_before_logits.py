"""sigmoid before binary_cross_entropy_with_logits."""

from __future__ import annotations

from rushlight.explain.watch.op_sequence import Follows


class SigmoidBeforeLogits(Follows):
    """binary_cross_entropy_with_logits applies the sigmoid itself. After another sigmoid the model cannot predict 0.

    The second sigmoid sees values between 0 and 1, so its probabilities are between 0.5 and 0.73, whatever is learned.
    """

    kind = "sigmoid_before_logits"
    op = "logistic_loss"
    after = ("sigmoid",)
    text = "The loss applies sigmoid itself, and its input has been through a sigmoid already."
    advice = "pass the scores to this loss, or use binary_cross_entropy after the sigmoid."
    left_out = ("sigmoid", "Sigmoid")
    failing = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.BCEWithLogitsLoss()
for step in range(3):
    loss = criterion(model(torch.randn(8, 4)), torch.ones(8, 1))  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("nn.BCEWithLogitsLoss()", "nn.BCELoss()").replace("  # <- here", "")
