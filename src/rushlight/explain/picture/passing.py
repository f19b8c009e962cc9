"""The chain rule at work: one backward pass over a graph that is kept, to see what comes to each step and goes on.

Nothing is left behind: no `.grad` changes, hooks of the program are not called, and the graph can be used again.
"""

from __future__ import annotations

from typing import NamedTuple

from rushlight.autograd import nesting
from rushlight.autograd.backward import Task
from rushlight.autograd.gradients import roots_of
from rushlight.core.graph import Node
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
        self.ordinary = False  # every node is visited in the way that can be watched

    def _settle(self, following=None, g=None) -> None:
        if following is not None:
            self._send(following, g)

    def _visit(self, node, g) -> None:
        if node.off_cpu and not self.tensors:
            g = self._change_to_tensors(g)
        if g is not None:
            self._note(node, g)
        for position, (edge, result) in enumerate(zip(node.edges, self._step(node, g, node.edges), strict=True)):
            if edge is not None:
                if result is not None:
                    self.passed.sent[node, position] = in_words(result)
                self._send(edge, result)

    def _note(self, node, g) -> None:
        came = [each for each in (g if type(g) is list else [g]) if each is not None]
        if came:
            self.passed.came[node] = in_words(came[0])

    def _step(self, node, g, edges) -> tuple:
        if g is None and not node.takes_tensors:
            return (None,) * len(edges)
        return self._call(node, [None] * node.outputs if g is None else g, edges)

    def _arrive(self) -> None:
        for leaf, g in self.leaves.items():
            if g is not None:
                self._note(leaf, g)


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
