"""Parameters that no optimizer has."""

from __future__ import annotations

from rushlight.core.origin import here
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.trap import Trap


class NotInOptimizer(Trap):
    """A parameter that takes part and gets gradients, but was not given to any optimizer, stays as it was drawn.

    If that is intended, as for a frozen backbone, it should not require grad: computing its gradients costs time, and
    they pile up.
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

    def untrained(self, parameters: list[Tensor]) -> None:
        if not parameters:
            return
        known = self.watching.known
        followed = known.stepped
        text = f"{known.names_of(parameters)}: they get gradients in every step, and no optimizer has them."
        self.report(
            followed.place if followed else here(),
            text[0].upper() + text[1:],
            "give the optimizer these parameters too, or freeze them with requires_grad_(False).",
        )
