"""Folds the steps of a picture into groups: module calls, repetitions, and contiguous ranges of the rest.

Every group is a contiguous range in the order of execution. No line can leave such a range and return, so drawing it as
one box creates no cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np

MIN_MEMBERS = 16  # minimum number of members for finding repetitions
MIN_TURNS = 3  # minimum number of turns of a repetition
MIN_SAVED = 12  # minimum number of steps that a repetition saves
LONGEST_TURN = 600
LINKS = 12  # maximum length of a chain
MAX_MEMBERS = 40  # maximum number of members before a group is divided
NAMES = 3  # operations in a title


@dataclass(eq=False, slots=True)
class Group:
    """Steps drawn in one frame, or as one box: a module call, a repetition, one turn of it, or a range."""

    kind: str  # "module", "repeat", "turn", "stretch", "chain"; "all" for the whole picture
    title: str
    members: list[Group | int] = field(default_factory=list)
    turns: int = 1  # of a "repeat"
    label: int = -1  # equal for groups of the same structure
    number: int = 0

    def groups(self) -> list[Group]:
        return [member for member in self.members if isinstance(member, Group)]

    def walk(self) -> Iterator[Group]:
        """Yields this group and all groups inside, outer ones first."""
        waiting = [self]
        while waiting:
            group = waiting.pop()
            yield group
            waiting += reversed(group.groups())

    def boxes(self) -> list[int]:
        """The numbers of the boxes inside, in order."""
        result: list[int] = []
        waiting: list[Group | int] = list(reversed(self.members))
        while waiting:
            member_ = waiting.pop()
            if isinstance(member_, Group):
                waiting += reversed(member_.members)
            else:
                result.append(member_)
        return result


class Order(NamedTuple):
    """The steps of a graph in execution order, with what folding needs.

    `kinds` are equal where steps look alike and have inputs from the same distances; `calls` are the module calls
    around a step, outermost first; `after` is the only predecessor of a step if it has no other successor; `carried` is
    the number of values made before a step whose first use is at it or later.
    """

    names: Sequence[str]
    kinds: Sequence[int]
    calls: Sequence[tuple]
    after: dict[int, int]
    carried: Sequence[int]


class Folder:
    """Makes the groups of a picture; `titles` returns the title of a module call."""

    def __init__(self, order: Order, titles: Callable):
        self.order, self.titles = order, titles
        self.labels: dict[tuple, int] = {}

    def fold(self, steps: Iterable[int]) -> Group:
        """Returns the group of all steps, with groups inside it."""
        whole = self._group("all", "", self._by_module(list(steps), 0))
        self._shorten(whole)
        for number, group in enumerate(whole.walk()):
            group.number = number
        return whole

    def _group(self, kind: str, title: str, members: list, turns: int = 1) -> Group:
        group = Group(kind, title, members, turns)
        shape = (kind, turns, *(self._label(member) for member in members))
        group.label = self.labels.setdefault(shape, len(self.labels))
        return group

    def _label(self, member: Group | int) -> int:
        return -1 - member.label if isinstance(member, Group) else self.order.kinds[member]

    # ---- modules

    def _by_module(self, steps: list[int], depth: int) -> list[Group | int]:
        members: list[Group | int] = []
        for call, run in groupby(steps, key=lambda step: self.order.calls[step][depth : depth + 1]):
            inside = list(run)
            if call:
                members.append(self._group("module", self.titles(call[0]), self._by_module(inside, depth + 1)))
            else:
                members += inside
        return members

    # ---- repetitions and stretches

    def _shorten(self, whole: Group) -> None:
        """Folds repetitions, then still crowded groups, everywhere."""
        waiting = [whole]
        while waiting:
            group = waiting.pop()
            if group.kind in ("repeat", "chain"):
                waiting += group.groups()
                continue
            boxes = len(group.boxes())
            of_modules = len(group.groups()) >= MIN_TURNS and boxes > MIN_MEMBERS
            if (
                len(group.members) > MIN_MEMBERS
                or of_modules
                or (len(group.members) >= MIN_TURNS and boxes > MAX_MEMBERS)
            ):
                group.members = self._without_repetition(group.members)
            if len(self.order.names) > MIN_MEMBERS:
                group.members = self._in_chains(group.members)
            if len(group.members) > MAX_MEMBERS:
                group.members = self._in_stretches(group.members)
            waiting += group.groups()

    def _without_repetition(self, members: list) -> list:
        """Folds the longest repetition into one group, and does the same before and after it."""
        done: list = []
        waiting = [members]
        while waiting:
            rest = waiting.pop()
            steps = sum(len(x.boxes()) if isinstance(x, Group) else 1 for x in rest)
            labels = [self._label(x) for x in rest]
            best = repetition(
                labels, max(1.0, steps / max(1, len(rest))), MIN_TURNS - 1 if _has_row(rest) else MIN_TURNS
            )
            if best is None:
                done = rest + done
                continue
            start, period, turns = self._well_cut(rest, *best)
            end = start + period * turns
            repeated = [self._turn(rest[at : at + period]) for at in range(start, end, period)]
            title = repeated[0].title if period > 1 else _without_path(repeated[0])
            waiting += [rest[:start], [self._group("repeat", title, repeated, turns)], rest[end:]]
        return done

    def _well_cut(self, members: list, start: int, period: int, turns: int) -> tuple[int, int, int]:
        """Shifts a repetition to start where the fewest values are carried between turns, if that loses no turn."""
        labels = [self._label(member) for member in members]
        last = start + 1
        end = start + period * turns  # a shifted start shifts the end equally
        while end < len(labels) and last < start + period and labels[end] == labels[end - period]:
            last, end = last + 1, end + 1
        best = min(range(start, last), key=lambda at: (self.order.carried[self._first(members[at])], at))
        return best, period, turns

    def _first(self, member: Group | int) -> int:
        return member.boxes()[0] if isinstance(member, Group) else member

    def _in_chains(self, members: list) -> list:
        """Folds steps that only follow one another into one member each."""
        here = {member for member in members if not isinstance(member, Group)}
        chains: dict[int, list[int]] = {}  # step -> its chain
        for member in members:
            before = None if isinstance(member, Group) else self.order.after.get(member)
            if before is None or before not in here:
                continue
            chain = chains.setdefault(before, [before])
            if len(chain) < LINKS:
                chain.append(member)
                chains[member] = chain
        return [
            self._chain(member, chains) for member in members if member not in chains or chains[member][0] == member
        ]

    def _chain(self, member: Group | int, chains: dict) -> Group | int:
        chain = chains.get(member, ())
        return self._group("chain", self._summary(chain), chain) if len(chain) > 1 else member

    def _turn(self, members: list) -> Group:
        if len(members) == 1 and isinstance(members[0], Group):
            return members[0]
        return self._group("turn", self._summary(members), members)

    def _in_stretches(self, members: list) -> list:
        """Folds into ranges of about equal length, few enough to view; each may be divided again."""
        length = max(2, -(-len(members) // (MAX_MEMBERS // 2)))
        return [
            self._group("stretch", self._summary(part), part) if len(part) > 1 else part[0]
            for part in (members[at : at + length] for at in range(0, len(members), length))
        ]

    def _summary(self, members: list) -> str:
        """Names the most frequent operations in the order of their first occurrence."""
        words = [_without_path(member) if isinstance(member, Group) else self.order.names[member] for member in members]
        often = [word for word, _ in Counter(words).most_common(NAMES)]
        chosen = sorted(often, key=words.index)
        return ", ".join(chosen) + (" ..." if len(set(words)) > NAMES else "")


def _has_row(members: list) -> bool:
    """Whether modules of one class follow one another: the first may then differ, as its input may need no gradient."""
    names = [
        _without_path(member) if isinstance(member, Group) and member.kind == "module" else None for member in members
    ]
    rows = zip(names, names[1:], names[2:], strict=False)
    return any(first is not None and first == second == third for first, second, third in rows)


def _without_path(group: Group) -> str:
    """Removes the module's own name from a title: `Block` of `blocks.3: Block`."""
    return group.title.rpartition(": ")[2]


def repetition(labels: list[int], weight: float = 1.0, least: int = MIN_TURNS) -> tuple[int, int, int] | None:
    """Returns (start, period, turns) of the repetition that saves most members; None if none pays off.

    `weight` is the number of steps per member, `least` the minimum number of turns.
    """
    values = np.asarray(labels)
    best, spared = None, MIN_SAVED / weight - 1
    for period in range(1, min(len(labels) // least, LONGEST_TURN) + 1):
        same = np.concatenate(([False], values[:-period] == values[period:], [False]))
        changes = np.flatnonzero(np.diff(same))
        starts, lengths = changes[::2], changes[1::2] - changes[::2]
        if len(lengths) and (turns := int(lengths.max()) // period + 1) >= least and (turns - 1) * period > spared:
            start = int(starts[lengths.argmax()])
            best, spared = (start, period, turns), (turns - 1) * period
    return best
