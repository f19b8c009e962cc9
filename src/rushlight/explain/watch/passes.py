"""One backward pass as the traps see it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from rushlight.autograd.reach import newest_first
from rushlight.core.graph import Leaf, Node
from rushlight.core.origin import Place
from rushlight.core.tensor import Tensor

# The passes from one line whose graphs are read: the first ones, for a trap is there from the beginning, and a few
# later ones. Reading a graph takes about as long as walking it.
READ = frozenset((1, 2, 3, 4, 10, 100, 1000, 10_000))


class Start:
    """A line of the program that starts backward passes."""

    def __init__(self, place: Place):
        self.place = place
        self.passes = 0  # until now


class Pass:
    """A backward pass: what it starts from, where in the program, and the graph that it will walk."""

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
        self.number = start.passes  # how many there were from this line, this one included
        self.keep, self.create, self.accumulates = keep, create, accumulates
        self.gradient = gradient  # that the program gave to backward()

    @property
    def place(self) -> Place:
        return self.start.place

    @property
    def is_read(self) -> bool:
        """Whether traps that look at the whole graph should look at this one."""
        return self.number in READ

    @cached_property
    def nodes(self) -> list[Node]:
        """Every node of the graph, newest first."""
        return newest_first(self.roots)

    @property
    def leaves(self) -> Iterator[Leaf]:
        return (node for node in self.nodes if isinstance(node, Leaf))
