"""Parameters of an optimizer that never get a gradient."""

from __future__ import annotations

from rushlight.explain.watch.followed import listed
from rushlight.explain.watch.trap import Trap

STEPS = 3


class NeverGradient(Trap):
    """The optimizer has a parameter that no loss ever reaches: it stays as it was drawn.

    Its layer is not called in forward, or its result is not used, or the way from it is cut by detach(), .data, item(),
    numpy() or no_grad().
    """

    kind = "never_gradient"
    failing = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.features(x)).detach())

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)  # <- here
for step in range(6):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace(".detach())", ")").replace("  # <- here", "")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.names: dict[int, str] = {}  # by the id of the reference, for at the end the model may be gone

    def after_step(self, optimizer) -> None:
        known = self.watching.known
        followed = known.optimizer(optimizer)
        if followed.steps == STEPS:
            for each in followed.without or ():
                parameter = each()
                if parameter is not None and parameter.requires_grad and parameter._array.size:
                    self.names[id(each)] = known.name_of(parameter)

    def closed(self) -> None:
        for followed in self.watching.known.followed:
            never = [self.names[id(each)] for each in followed.without or () if id(each) in self.names]
            if never and len(followed.without or ()) < followed.count:
                text = f"In {followed.steps} steps of this optimizer, {listed(never)} got no gradient."
                advice = (
                    "look for what cuts the graph between it and the loss: a layer that is not called, detach(), "
                    ".data, item(), no_grad(). If it is to stay fixed, leave it out of the optimizer."
                )
                self.report(followed.place, text, advice)
