"""Groups of nests: pointwise nests over one space share a loop, in which values stay in registers.

A nest joins the first group of its space that comes after all that it depends on. Within a group, a nest that reads
what another has written reads the same element; so each element's steps can run in order, one element (or vector) after
the other. Nests of other kinds are groups of their own. Groups run in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rushlight.graph.small_memory import LOCAL, SIZES, Buffer, View
from rushlight.graph.small_nests import Nest, Pointwise

LINE = 64  # bytes to which buffers in the arena are aligned, and that are left free after each
LARGEST = 4096  # nests of a group


class Access(NamedTuple):
    """Where a group reads or writes a buffer: the space and strides of a pointwise nest, or None."""

    group: int
    place: tuple | None
    writes: bool


class Group:
    """Nests that run together: pointwise ones of one space, or a single one of another kind."""

    __slots__ = ("nests", "space")

    def __init__(self, space: tuple[int, ...] | None):
        self.space = space
        self.nests: list[Nest] = []


class Groups:
    """The groups of a program; `stored` tells which writes of pointwise nests another group needs."""

    def __init__(self, nests: Sequence[Nest]):
        self.groups: list[Group] = []
        self.by_space: dict[tuple[int, ...], list[int]] = {}
        self.accesses: dict[Buffer, set[Access]] = {}
        for nest in nests:
            self.place(nest)

    def place(self, nest: Nest) -> None:
        """Adds a nest to a group."""
        pointwise = isinstance(nest, Pointwise)
        reads = [(view, key_of(view) if pointwise else None) for view in nest.reads()]
        target = nest.target, key_of(nest.target) if pointwise else None
        least = max([0, *[self.after(view, key, False) for view, key in reads], self.after(*target, True)])
        at = self.group_for(key_of(nest.target)[0] if pointwise else None, least)
        self.groups[at].nests.append(nest)
        for view, key in reads:
            self.accesses.setdefault(view.buffer, set()).add(Access(at, key, False))
        self.accesses.setdefault(nest.target.buffer, set()).add(Access(at, target[1], True))

    def after(self, view: View, key: tuple | None, writes: bool) -> int:
        """Returns the first group that may read, or write, a view after all that was done to its buffer before."""
        least = 0
        for access in self.accesses.get(view.buffer, ()):
            if writes or access.writes:
                same = key is not None and access.place == key
                least = max(least, access.group if same else access.group + 1)
        return least

    def group_for(self, space: tuple[int, ...] | None, least: int) -> int:
        """Returns the first group of a space from `least` on, or a new one."""
        if space is not None:
            for at in self.by_space.get(space, ()):
                if at >= least and len(self.groups[at].nests) < LARGEST:
                    return at
            self.by_space.setdefault(space, []).append(len(self.groups))
        self.groups.append(Group(space))
        return len(self.groups) - 1

    def is_needed(self, buffer: Buffer, at: int) -> bool:
        """Returns whether a buffer that group `at` writes is seen outside of it."""
        return buffer.home != LOCAL or any([access.group != at for access in self.accesses[buffer]])


def key_of(view: View) -> tuple:
    """Returns the space of a view, its place and strides, without dimensions of size 1."""
    kept = [(size, stride) for size, stride in zip(view.shape, view.strides, strict=True) if size != 1]
    return tuple([size for size, _ in kept]), view.offset, tuple([stride for _, stride in kept])


def arena(groups: Groups) -> tuple[dict[Buffer, int], int]:
    """Returns the offsets of local buffers in the arena, in bytes, and its size: memory is reused when it is free."""
    lives: dict[Buffer, tuple[int, int]] = {}
    for buffer, accesses in groups.accesses.items():
        if buffer.home == LOCAL:
            at = [access.group for access in accesses]
            lives[buffer] = min(at), max(at)
    offsets: dict[Buffer, int] = {}
    taken: list[tuple[int, int, int]] = []  # begin, end, last group
    size = 0
    for buffer, (first, last) in sorted(lives.items(), key=lambda item: item[1][0]):
        if first == last and not groups.is_needed(buffer, first) and groups.groups[first].space is not None:
            continue  # stays in registers
        taken = sorted([each for each in taken if each[2] >= first])
        need = -(-buffer.size * SIZES[buffer.type] // LINE) * LINE + LINE
        begin = 0
        for low, high, _ in taken:
            if low - begin >= need:
                break
            begin = max(begin, high)
        offsets[buffer] = begin
        taken.append((begin, begin + need, last))
        size = max(size, begin + need)
    return offsets, size
