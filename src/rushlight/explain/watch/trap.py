"""What a trap is: a mistake that a running program can be seen to make."""

from __future__ import annotations

from typing import Protocol

from rushlight.core.origin import Place
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.followed import Followed, Known
from rushlight.explain.watch.growth import Losses
from rushlight.explain.watch.passes import Pass
from rushlight.explain.watch.place import Line
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trail import Trail

MARK = "# <- here"  # in the failing program of a trap: the line that the finding names


class Watcher(Protocol):
    """What a trap can ask of the watch."""

    known: Known  # optimizers and models
    trail: Trail  # the lines that recorded the nodes
    losses: Losses  # the last of each line
    steps: int  # of all optimizers, until now
    reported: set[tuple]  # (kind, file, line) of what has been found

    def report(self, kind: str, place: Place | Line | None, text: str, advice: str) -> None: ...


class Trap:
    """A mistake, and how it is noticed. A subclass defines the methods for the events that it needs.

    The docstring of a subclass says what happens and why, for its page in the documentation. `failing` is a program
    that steps into the trap at the line that ends in `MARK`, `repaired` the same program without the mistake: both run
    under PyTorch as well.
    """

    kind: str
    failing: str
    repaired: str

    def __init__(self, watching: Watcher):
        self.watching = watching

    def report(self, place: Place | Line | None, text: str, advice: str) -> None:
        """Says so, once per line."""
        self.watching.report(self.kind, place, text, advice)

    # ---- events

    def tap(self, taps: Taps) -> None:
        """The watch begins: what has to be seen beside the events below can be tapped."""

    def called(self, module, output, arguments: tuple) -> None:
        """The program has called a module, not from within another, with these arguments."""

    def before_backward(self, graph: Pass) -> None:
        """A backward pass is about to run; nothing of the graph has been freed."""

    def after_backward(self, graph: Pass) -> None:
        """It has run."""

    def before_step(self, optimizer) -> None:
        """An optimizer is about to make a step."""

    def after_step(self, optimizer) -> None:
        """It has made it."""

    def cleared(self, owner) -> None:
        """`zero_grad` of an optimizer or a module has run."""

    def untrained(self, parameters: list[Tensor], beside: Followed) -> None:
        """Parameters get gradients beside those of an optimizer, and none has them.

        A trap takes out of the list those that it explains.
        """

    def closed(self) -> None:
        """The watch ends."""


EVENTS = tuple(
    name
    for name in vars(Trap)
    if name.startswith(("called", "before_", "after_", "cleared", "untrained", "closed")) or name == "tap"
)
