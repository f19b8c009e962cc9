"""A model whose parameters were replaced after the optimizer was made."""

from __future__ import annotations

from rushlight.core.tensor import Tensor
from rushlight.explain.watch.optimizers import Followed
from rushlight.explain.watch.trap import Trap
from rushlight.explain.watch.untrained import orphans


class ReplacedParameters(Trap):
    """An optimizer holds the parameters that the model had when it was made. Later ones are never trained.

    It happens when a head is replaced, when weights are loaded with `assign=True`, and when a parameter is assigned
    again after the optimizer was made.
    """

    kind = "replaced_parameters"
    failing = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)  # <- here
model[2] = nn.Linear(8, 1)
for step in range(6):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
model[2] = nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(6):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

    def untrained(self, parameters: list[Tensor], beside: Followed) -> None:
        known = self.watching.known
        old = orphans(beside, known)
        if old and parameters:
            text = (
                f"This optimizer has {len(old)} parameters that the model no longer uses, and lacks "
                f"{known.names_of(parameters)}: they replaced the old ones after the optimizer was made."
            )
            parameters.clear()
            beside.forget(old)
            self.report(beside.place, text, "make the optimizer after the model has its final parameters.")
