"""softmax before cross_entropy."""

from __future__ import annotations

from rushlight.core.graph import Node
from rushlight.explain.watch.graph_patterns import is_softmax_by_hand
from rushlight.explain.watch.op_sequence import Follows


class SoftmaxBeforeCrossEntropy(Follows):
    """cross_entropy takes scores (logits) and applies log_softmax itself. To probabilities it applies softmax again.

    Probabilities are between 0 and 1, so the second softmax is nearly flat: training is slow, and the loss cannot come
    near zero.
    """

    kind = "softmax_before_cross_entropy"
    op = "log_softmax"
    after = ("softmax",)
    text = "cross_entropy applies softmax itself, and its input has been through a softmax already."
    advice = "pass the scores to cross_entropy; use softmax only to show probabilities."
    left_out = ("softmax", "Softmax")
    failing = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    scores = model(torch.randn(8, 4))
    loss = nn.functional.cross_entropy(scores, torch.randint(3, (8,)))  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))", "nn.Linear(4, 3)").replace(
        "  # <- here", ""
    )

    def is_wrong_before(self, before: Node) -> bool:
        return super().is_wrong_before(before) or is_softmax_by_hand(before)
