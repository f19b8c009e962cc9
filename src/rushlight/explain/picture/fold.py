"""What belongs together in a picture: the calls of modules, what repeats, and stretches of what is left.

Every group is a stretch of the order in which steps were run. No line can leave such a stretch and come back to it, so
a group drawn as one box leaves the picture without circles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np

MANY = 16  # from so many members on a group looks for what repeats
TURNS = 3  # a repetition has at least so many turns
WORTH = 12  # and spares at least so many steps
LONGEST_TURN = 600
LINKS = 12  # of a chain, at most
CROWD = 40  # more members than this are divided into stretches
NAMES = 3  # operations that a title mentions


@dataclass(eq=False, slots=True)
class Group:
    """Steps drawn in one frame, or as one box: the call of a module, turns that repeat, one turn, or a stretch."""

    kind: str  # "module", "repeat", "turn", "stretch", "chain"; "all" for the whole picture
    title: str
    members: list[Group | int] = field(default_factory=list)
    turns: int = 1  # of a "repeat"
    label: int = -1  # the same for groups of the same structure
    number: int = 0

    def groups(self) -> list[Group]:
        return [member for member in self.members if isinstance(member, Group)]

    def walk(self) -> Iterator[Group]:
        """This group and all inside it, the outer before the inner."""
        waiting = [self]
        while waiting:
            group = waiting.pop()
            yield group
            waiting += reversed(group.groups())

    def boxes(self) -> list[int]:
        """The numbers of the boxes inside, in their order."""
        result: list[int] = []
        waiting: list[Group | int] = list(reversed(self.members))
        while waiting:
            each = waiting.pop()
            if isinstance(each, Group):
                waiting += reversed(each.members)
            else:
                result.append(each)
        return result


class Order(NamedTuple):
    """The steps of a graph in the order in which they were run, and what folding must know of each.

    `kinds` are equal where steps look alike and are joined in the same way with what came before; `calls` are the
    modules inside whose calls a step was made, outermost first; `after` is the step that alone leads to a step, which
    alone it leads to; `carried` is how many values made before a step are first used by it or later.
    """

    names: Sequence[str]
    kinds: Sequence[int]
    calls: Sequence[tuple]
    after: dict[int, int]
    carried: Sequence[int]


class Folder:
    """Makes the groups of a picture; `titles` says what the call of a module is titled."""

    def __init__(self, order: Order, titles: Callable):
        self.order, self.titles = order, titles
        self.labels: dict[tuple, int] = {}

    def fold(self, steps: Iterable[int]) -> Group:
        """The group of everything, with groups inside it."""
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
        """Folds what repeats, then what is still a crowd, in every group."""
        waiting = [whole]
        while waiting:
            group = waiting.pop()
            if group.kind in ("repeat", "chain"):
                waiting += group.groups()
                continue
            boxes = len(group.boxes())
            of_modules = len(group.groups()) >= TURNS and boxes > MANY
            if len(group.members) > MANY or of_modules or (len(group.members) >= TURNS and boxes > CROWD):
                group.members = self._without_repetition(group.members)
            if len(self.order.names) > MANY:
                group.members = self._in_chains(group.members)
            if len(group.members) > CROWD:
                group.members = self._in_stretches(group.members)
            waiting += group.groups()

    def _without_repetition(self, members: list) -> list:
        """The longest repetition as one group, and the same again for what stands before and after it."""
        done: list = []
        waiting = [members]
        while waiting:
            rest = waiting.pop()
            steps = sum(len(x.boxes()) if isinstance(x, Group) else 1 for x in rest)
            labels = [self._label(x) for x in rest]
            best = repetition(labels, max(1.0, steps / max(1, len(rest))), TURNS - 1 if _has_row(rest) else TURNS)
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
        """The same repetition begun where fewest values are carried from turn to turn, if that costs no turn."""
        labels = [self._label(member) for member in members]
        last = start + 1
        end = start + period * turns  # begun later, the same turns end later by as much
        while end < len(labels) and last < start + period and labels[end] == labels[end - period]:
            last, end = last + 1, end + 1
        best = min(range(start, last), key=lambda at: (self.order.carried[self._first(members[at])], at))
        return best, period, turns

    def _first(self, member: Group | int) -> int:
        return member.boxes()[0] if isinstance(member, Group) else member

    def _in_chains(self, members: list) -> list:
        """Steps that only follow one another as one member each."""
        here = {member for member in members if not isinstance(member, Group)}
        chains: dict[int, list[int]] = {}  # step -> the chain that it is in
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
        """Stretches of about equal length, few enough to be looked at; each may be divided again."""
        length = max(2, -(-len(members) // (CROWD // 2)))
        return [
            self._group("stretch", self._summary(part), part) if len(part) > 1 else part[0]
            for part in (members[at : at + length] for at in range(0, len(members), length))
        ]

    def _summary(self, members: list) -> str:
        """The operations that occur most, in the order in which they first occur."""
        words = [_without_path(member) if isinstance(member, Group) else self.order.names[member] for member in members]
        often = [word for word, _ in Counter(words).most_common(NAMES)]
        chosen = sorted(often, key=words.index)
        return ", ".join(chosen) + (" ..." if len(set(words)) > NAMES else "")


def _has_row(members: list) -> bool:
    """Whether modules of one class follow one another: then the first may differ, whose input may need no gradient."""
    names = [
        _without_path(member) if isinstance(member, Group) and member.kind == "module" else None for member in members
    ]
    rows = zip(names, names[1:], names[2:], strict=False)
    return any(first is not None and first == second == third for first, second, third in rows)


def _without_path(group: Group) -> str:
    """The class of a module without the name of this one: `Block` of `blocks.3: Block`."""
    return group.title.rpartition(": ")[2]


def repetition(labels: list[int], weight: float = 1.0, least: int = TURNS) -> tuple[int, int, int] | None:
    """(start, period, turns) of the repetition that spares most members; None if none is worth it.

    `weight` is how many steps a member stands for, `least` how many turns there must be.
    """
    values = np.asarray(labels)
    best, spared = None, WORTH / weight - 1
    for period in range(1, min(len(labels) // least, LONGEST_TURN) + 1):
        same = np.concatenate(([False], values[:-period] == values[period:], [False]))
        changes = np.flatnonzero(np.diff(same))
        starts, lengths = changes[::2], changes[1::2] - changes[::2]
        if len(lengths) and (turns := int(lengths.max()) // period + 1) >= least and (turns - 1) * period > spared:
            start = int(starts[lengths.argmax()])
            best, spared = (start, period, turns), (turns - 1) * period
    return best
