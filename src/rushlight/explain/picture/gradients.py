"""A backward pass that shows the gradients at each step and edge; the graph is kept.

No `.grad` changes, no hooks of the program are called, and the graph can be used again.
"""

from __future__ import annotations

from typing import NamedTuple

from rushlight.autograd import nesting
from rushlight.autograd.gradients import roots_of
from rushlight.autograd.steps import call
from rushlight.autograd.tasks import Task
from rushlight.core.graph import Leaf, Node
from rushlight.core.tensor import Tensor
from rushlight.explain.picture.formatting import preview


class Gradient(NamedTuple):
    """A gradient in words: short for the picture, longer for the details."""

    short: str
    long: str


class Passed:
    """The gradients that nodes received, and those that they sent along their edges."""

    def __init__(self) -> None:
        self.received: dict[Node, Gradient] = {}
        self.sent: dict[tuple[Node, int], Gradient] = {}

    def at(self, node: Node) -> Gradient | None:
        """Returns the total gradient with respect to a node's result."""
        return self.received.get(node)

    def along(self, node: Node, position: int) -> Gradient | None:
        """Returns the gradient that a node sent to an operand."""
        return self.sent.get((node, position))


class Watched(Task):
    """A backward pass that records gradients and accumulates nothing."""

    def __init__(self, roots, passed: Passed):
        super().__init__(roots, keep=True, create=False)
        self.passed = passed

    def _start(self) -> None:
        super()._start()
        self.choose = lambda task, node: note_step

    def note(self, node, g) -> None:
        """Notes what came to a node, unless it is undefined."""
        arrived = [each for each in (g if type(g) is list else [g]) if each is not None]
        if arrived:
            self.passed.received[node] = in_words(arrived[0])

    def _finish(self, leaves: list) -> None:
        for leaf, g in leaves:
            self.note(leaf, g)


def note_step(task: Watched, node, g, edges) -> tuple:
    """Runs a node without its hooks, and notes what comes to it and what it sends."""
    if isinstance(node, Leaf):
        task.leaves[node] = g
        return ()
    g = task.on_device(node, g)
    task.note(node, g)
    results = call(task, node, g, edges)
    for position, (edge, result) in enumerate(zip(edges, results, strict=True)):
        if edge is not None and result is not None:
            task.passed.sent[node, position] = in_words(result)
    return results


def in_words(g) -> Gradient:
    """Describes the current value of a gradient; the engine may change it later."""
    array = g._array if isinstance(g, Tensor) else g
    return Gradient(preview(array, short=True), preview(array))


def pass_back(roots: list[Tensor], gradient: Tensor | None = None) -> Passed:
    """Runs backward from some tensors, from `gradient` if there is one, and returns the gradients that passed.

    Raises RuntimeError as `backward` does: for a tensor with several elements and no gradient, or a freed graph.
    """
    passed = Passed()
    nesting.run(Watched(roots_of(roots, None if gradient is None else [gradient] * len(roots)), passed))
    return passed
