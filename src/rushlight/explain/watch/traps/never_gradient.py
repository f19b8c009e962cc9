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
        self.names: dict[int, str] = {}  # of parameters whose model may be gone at the end

    def after_step(self, optimizer) -> None:
        known = self.watching.known
        followed = known.optimizer(optimizer)
        if followed.steps == STEPS:
            self.names.update((id(each), known.name_of(each)) for each in followed.without or ())

    def closed(self) -> None:
        known = self.watching.known
        explained = {id(each) for each in known.replaced}
        for followed in known.followed:
            without = [each for each in followed.without or () if id(each) not in explained]
            never = [each for each in without if each.requires_grad and each._array.size]
            if never and followed.steps >= STEPS and len(followed.without or ()) < followed.count:
                names = listed([self.names[id(each)] for each in never if id(each) in self.names])
                text = f"In {followed.steps} steps of this optimizer, {names} never got a gradient."
                advice = (
                    "look for the cut between it and the loss: a layer that is not called, detach(), .data, item(), "
                    "no_grad(). If it is meant to rest, do not give it to the optimizer."
                )
                self.report(followed.place, text, advice)
