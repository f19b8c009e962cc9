"""A line that waits for the GPU in every pass of a loop."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType

from rushlight.core.device import WAITS
from rushlight.core.origin import Place, is_ours
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap

OFTEN = 50  # waits of one line
# Packages through which a wait of the program comes; a wait of others, such as a gradient scaler's, is not its own.
PASSED = frozenset(("core", "create", "dispatch", "arrays", "_generated", "declarations", "memory", "explain", "cuda"))
ADVICE = {
    "item": "keep the tensor, `total += loss.detach()`, and read it once after the loop, or every hundred steps.",
    "copy": "keep it on the GPU as long as possible, and copy once after the loop.",
    "send": "DataLoader(..., pin_memory=True) and x.to(device, non_blocking=True): the GPU copies by itself.",
}
TEXTS = {
    "item": "Reading a value waits until the GPU has done all work before it",
    "copy": "A copy to the CPU waits until the GPU has done all work before it",
    "send": "A copy to the GPU from memory that is not pinned waits until it is done",
}


class WaitsInLoop(Trap):
    """A GPU computes while the program goes on and queues more work, until the program reads a value.

    Then it waits, and the GPU is idle afterwards until there is work again: in each pass of the loop.
    """

    kind = "waits_in_loop"
    failing = """
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0.0
for step in range(60):
    loss = model(torch.randn(8, 4, device=device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()  # <- here
print(total / 60)
"""
    repaired = failing.replace("loss.item()  # <- here", "loss.detach()").replace("total / 60", "float(total) / 60")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.count: Counter[tuple[str, Place]] = Counter()
        self.first: dict[tuple[str, Place], int] = {}  # the optimizer's steps before the first wait

    def tap(self, taps: Taps) -> None:
        WAITS.listeners.append(self.waited)
        taps.undo(lambda: WAITS.listeners.remove(self.waited))

    def waited(self, kind: str) -> None:
        """Counts a wait; reports a line that waits in most steps."""
        if kind not in ADVICE or (place := program_line(sys._getframe(1))) is None:
            return
        key = kind, place
        self.count[key] += 1
        first = self.first.setdefault(key, self.watching.steps)
        if self.count[key] == OFTEN and 2 * OFTEN >= self.watching.steps - first:
            self.report(place, f"{TEXTS[kind]}: this line has waited {OFTEN} times.", ADVICE[kind])


def program_line(frame: FrameType | None) -> Place | None:
    """Returns the line of the program that waits; None if another part of the library does."""
    while frame is not None and is_ours(frame.f_code.co_filename):
        if frame.f_globals.get("__name__", "").split(".")[1:2] not in [[package] for package in PASSED]:
            return None
        frame = frame.f_back
    return None if frame is None else Place(frame.f_code, frame.f_lasti)
