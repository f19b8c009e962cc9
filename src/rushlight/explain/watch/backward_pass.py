"""A backward pass as traps see it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from rushlight.autograd.reach import newest_first
from rushlight.core.graph import Leaf, Node
from rushlight.core.origin import Place
from rushlight.core.tensor import Tensor

# Passes of a line whose graphs are read: the first ones, since a mistake is there from the beginning, and a few later
# ones. Reading a graph takes about as long as walking it.
READ = frozenset((1, 2, 3, 4, 10, 100, 1000, 10_000))


class Start:
    """A line that starts backward passes."""

    def __init__(self, place: Place):
        self.place = place
        self.passes = 0  # so far


class Pass:
    """A backward pass: its roots, its line, and the graph that it will walk."""

    def __init__(
        self,
        roots: tuple[Node, ...],
        outputs: tuple[Tensor, ...],
        start: Start,
        *,
        keep: bool,
        create: bool,
        accumulates: bool = True,
        gradient: Tensor | None = None,
    ):
        start.passes += 1
        self.roots, self.outputs, self.start = roots, outputs, start
        self.number = start.passes  # passes of this line, including this one
        self.keep, self.create, self.accumulates = keep, create, accumulates
        self.gradient = gradient  # argument of backward()

    @property
    def place(self) -> Place:
        return self.start.place

    @property
    def is_read(self) -> bool:
        """Whether traps that read the whole graph should read this one."""
        return self.number in READ

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes of the graph, newest first."""
        return newest_first(self.roots)

    @property
    def leaves(self) -> Iterator[Leaf]:
        return (node for node in self.nodes if isinstance(node, Leaf))
