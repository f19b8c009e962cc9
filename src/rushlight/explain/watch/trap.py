"""The base class of traps: mistakes that are visible in a running program."""

from __future__ import annotations

from typing import Protocol

from rushlight.core.origin import Place
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.loss_growth import Losses
from rushlight.explain.watch.node_lines import NodeLines
from rushlight.explain.watch.optimizers import Followed, Known
from rushlight.explain.watch.program_lines import Line
from rushlight.explain.watch.taps import Taps

MARK = "# <- here"  # marks the line of the failing program that the finding names


class Watcher(Protocol):
    """What a trap can read of the watch."""

    known: Known  # optimizers and models
    node_lines: NodeLines  # lines that recorded the nodes
    losses: Losses  # last losses of each line
    steps: int  # of all optimizers, so far
    reported: set[tuple]  # (kind, file, line) of findings so far

    def report(self, kind: str, place: Place | Line | None, text: str, advice: str) -> None: ...


class Trap:
    """A mistake, and how to detect it. Subclasses define methods for the events that they need.

    The docstring of a subclass says what happens and why; it is printed on the documentation page. `failing` is a
    program with the mistake at the line that ends in `MARK`, `repaired` the same program without it: both run under
    PyTorch as well.
    """

    kind: str
    failing: str
    repaired: str

    def __init__(self, watching: Watcher):
        self.watching = watching

    def report(self, place: Place | Line | None, text: str, advice: str) -> None:
        """Reports a finding, once per line."""
        self.watching.report(self.kind, place, text, advice)

    # ---- events

    def tap(self, taps: Taps) -> None:
        """At the start of a watch: wraps additional functions."""

    def called(self, module, output, arguments: tuple) -> None:
        """After the program, not another module, has called a module."""

    def before_backward(self, graph: Pass) -> None:
        """Before a backward pass; nothing of the graph is freed yet."""

    def after_backward(self, graph: Pass) -> None:
        """After a backward pass."""

    def before_step(self, optimizer) -> None:
        """Before a step of an optimizer."""

    def after_step(self, optimizer) -> None:
        """After a step of an optimizer."""

    def cleared(self, owner) -> None:
        """After `zero_grad` of an optimizer or module."""

    def untrained(self, parameters: list[Tensor], beside: Followed) -> None:
        """When parameters get gradients and no optimizer has them, although one has others of the graph.

        A trap removes the parameters that it explains from the list.
        """

    def closed(self) -> None:
        """At the end of the watch."""


EVENTS = tuple(
    name
    for name in vars(Trap)
    if name.startswith(("called", "before_", "after_", "cleared", "untrained", "closed")) or name == "tap"
)
