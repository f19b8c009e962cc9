"""A loss that grows from step to step."""

from __future__ import annotations

from rushlight.explain.watch.loss_growth import shorter_steps, too_long
from rushlight.explain.watch.trap import Trap


class GrowingLoss(Trap):
    """A step that is too long overshoots the minimum and ends higher than it started. The next one is even longer.

    The loss multiplies with each step until it is infinite. A lower learning rate prevents this.
    """

    kind = "growing_loss"
    failing = """
import torch

w = torch.tensor([1.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.5)  # <- here
for step in range(20):
    loss = (w - 3).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("lr=1.5)  # <- here", "lr=0.5)")

    def closed(self) -> None:
        """Reports at the end, because a loss may fall again; infinite losses belong to another trap."""
        if any(kind == "nan" for kind, *_ in self.watching.reported):
            return
        for start, growth in self.watching.losses.explosions():
            followed = next((x for x in self.watching.known.followed if x.rate > 0), None)
            place = start.place if followed is None else followed.place
            self.report(place, f"{growth}: {too_long(followed)}.", shorter_steps(growth, followed, []))
