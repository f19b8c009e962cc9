"""Parameters that no optimizer has."""

from __future__ import annotations

from rushlight.core.tensor import Tensor
from rushlight.explain.watch.optimizers import Followed
from rushlight.explain.watch.trap import Trap


class NotInOptimizer(Trap):
    """A parameter that gets gradients, but was not given to any optimizer, keeps its initial values.

    If that is intended, as for a frozen backbone, it should not require grad: computing its gradients costs time, and
    they add up.
    """

    kind = "not_in_optimizer"
    failing = """
import torch
from torch import nn

encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
optimizer = torch.optim.SGD(decoder.parameters(), lr=0.01)  # <- here
for step in range(6):
    x = torch.randn(8, 4)
    loss = (decoder(encoder(x)) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace(
        "decoder.parameters(), lr=0.01)  # <- here", "[*encoder.parameters(), *decoder.parameters()], lr=0.01)"
    )

    def untrained(self, parameters: list[Tensor], beside: Followed) -> None:
        if parameters:
            names = self.watching.known.names_of(parameters)
            text = f"No optimizer has {names}: they get gradients in every step, and no step() changes them."
            advice = "give them to this optimizer too, or freeze them with requires_grad_(False)."
            self.report(beside.place, text, advice)
