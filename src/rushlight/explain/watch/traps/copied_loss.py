"""`torch.tensor(loss, requires_grad=True)`."""

from __future__ import annotations

import weakref
from typing import Any

from rushlight.core.graph import Leaf
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.dispatch import from_data
from rushlight.explain.watch.passes import Pass
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap


class CopiedLoss(Trap):
    """torch.tensor() copies numbers. What it is given, a tensor or a list of them, loses its history.

    With requires_grad=True the copy begins a new graph, so backward runs without an error and stops at the copy.
    """

    kind = "copied_loss"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(3):
    losses = [model(torch.randn(8, 4)).pow(2).mean() for part in range(2)]
    loss = torch.tensor(losses, requires_grad=True).sum()  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("torch.tensor(losses, requires_grad=True).sum()  # <- here", "torch.stack(losses).sum()")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.copies: weakref.WeakKeyDictionary[Leaf, Place] = weakref.WeakKeyDictionary()

    def tap(self, taps: Taps) -> None:
        taps.everywhere(from_data.tensor, self._around(from_data.tensor))

    def _around(self, make):
        def tensor(data, **keywords):
            copied = make(data, **keywords)
            leaf = copied._edge
            if isinstance(leaf, Leaf) and has_history(data):
                self.copies[leaf] = here()
            return copied

        tensor.__doc__ = make.__doc__
        return tensor

    def before_backward(self, graph: Pass) -> None:
        if not self.copies:
            return
        for leaf in graph.leaves:
            if leaf in self.copies:
                text = "torch.tensor() copies the values without the graph: backward() stops here and trains nothing."
                advice = "the tensor itself for one, torch.stack([...]) or their sum for several: these keep the graph."
                self.report(self.copies[leaf], text, advice)


def has_history(data: Any) -> bool:
    """Whether data is a tensor that requires grad, or a sequence that begins with one."""
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    return isinstance(data, Tensor) and data.requires_grad
