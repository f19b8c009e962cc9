"""The chain rule at work: one backward pass over a graph that is kept, to see what comes to each step and goes on.

Nothing is left behind: no `.grad` changes, hooks of the program are not called, and the graph can be used again.
"""

from __future__ import annotations

from typing import NamedTuple

from rushlight.autograd import nesting
from rushlight.autograd.gradients import roots_of
from rushlight.autograd.steps import call
from rushlight.autograd.tasks import Task
from rushlight.core.graph import Leaf, Node
from rushlight.core.tensor import Tensor
from rushlight.explain.picture.words import preview


class Gradient(NamedTuple):
    """A gradient in words: in few for the picture, in more for those who point at it."""

    short: str
    long: str


class Passed:
    """What came to the nodes of a graph, and what they sent along their edges."""

    def __init__(self) -> None:
        self.came: dict[Node, Gradient] = {}
        self.sent: dict[tuple[Node, int], Gradient] = {}

    def at(self, node: Node) -> Gradient | None:
        """The gradient with respect to the result of a node, all that came to it added up."""
        return self.came.get(node)

    def along(self, node: Node, position: int) -> Gradient | None:
        """What a node sent to its operand at this position."""
        return self.sent.get((node, position))


class Watched(Task):
    """A backward pass that notes what passes, and accumulates nothing."""

    def __init__(self, roots, passed: Passed):
        super().__init__(roots, keep=True, create=False)
        self.passed = passed

    def _start(self) -> None:
        super()._start()
        self.choose = lambda task, node: note_step

    def note(self, node, g) -> None:
        """Notes what came to a node, unless it is undefined."""
        came = [each for each in (g if type(g) is list else [g]) if each is not None]
        if came:
            self.passed.came[node] = in_words(came[0])

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
    """A gradient as it is now: the engine may go on to change it."""
    array = g._array if isinstance(g, Tensor) else g
    return Gradient(preview(array, short=True), preview(array))


def pass_back(roots: list[Tensor], gradient: Tensor | None = None) -> Passed:
    """Runs backward from some tensors, from `gradient` where there is one, and tells what passed.

    Raises RuntimeError as `backward` does: for a tensor with many elements and no gradient, or a graph that was freed.
    """
    passed = Passed()
    nesting.run(Watched(roots_of(roots, None if gradient is None else [gradient] * len(roots)), passed))
    return passed
