"""Wires cut at the frames that they cross: the parts inside each group, between members or to the frame."""

from __future__ import annotations

from typing import NamedTuple

from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.sheet import Sheet


class Joint(NamedTuple):
    """The part of a wire inside one group, between two members; None is the frame."""

    start: int | Group | None
    end: int | Group | None
    value: int


class Joints:
    """The parts of all wires, by group."""

    def __init__(self, sheet: Sheet):
        self.sheet = sheet
        self.parents = {inner: group for group in sheet.whole.walk() for inner in group.groups()}
        self.of_group: dict[Group, dict[Joint, list[int]]] = {group: {} for group in sheet.whole.walk()}
        self.twins = self._twins()
        for number, wire in enumerate(sheet.wires):
            if wire.source in sheet.homes:
                self._divide(number, wire.source, wire.target)

    def _twins(self) -> dict[int, list[tuple[Group, int]]]:
        """Maps each step of a turn after the first to its repetition and the same step of the first turn."""
        result: dict[int, list[tuple[Group, int]]] = {}
        for group in self.sheet.whole.walk():
            if group.kind != "repeat":
                continue
            steps = [[box for box in turn.boxes() if self._is_step(box)] for turn in group.groups()]
            for turn in steps[1:]:
                for step, first in zip(turn, steps[0], strict=True):
                    result.setdefault(step, []).append((group, first))
        return result

    def _is_step(self, number: int) -> bool:
        return self.sheet.boxes[number].kind in ("step", "result")

    def ancestors(self, group: Group) -> list[Group]:
        """Returns a group and the groups around it, innermost first."""
        result = [group]
        while result[-1] in self.parents:
            result.append(self.parents[result[-1]])
        return result

    def _around(self, number: int) -> list[Group]:
        return self.ancestors(self.sheet.homes[number])

    def _divide(self, wire: int, source: int, target: int) -> None:
        above, below = self._around(source), self._around(target)
        common = next(group for group in above if group in below)
        start = self._leave(source, source, above[: above.index(common)], wire)
        end: int | Group = target
        for group in below[: below.index(common)]:
            self._add(group, Joint(None, end, source), wire)
            end = group
        self._add(common, Joint(start, end, source), wire)
        self._leave_as_twin(source, common, wire)

    def _leave(self, value: int, start: int | Group, groups: list[Group], wire: int) -> int | Group:
        for group in groups:
            self._add(group, Joint(start, None, value), wire)
            start = group
        return start

    def _leave_as_twin(self, value: int, common: Group, wire: int) -> None:
        """Adds the exit of a later turn's value to the shown turn."""
        waiting = [value]
        while waiting:
            for repeat, first in self.twins.get(waiting.pop(), ()):
                if repeat is not common and common in self.ancestors(repeat):
                    around = self._around(first)
                    self._leave(first, first, around[: around.index(repeat)], wire)
                    waiting.append(first)

    def _add(self, group: Group, joint: Joint, wire: int) -> None:
        self.of_group[group].setdefault(joint, []).append(wire)

    def rolled(self, repeat: Group) -> dict[Joint, list[int]]:
        """Returns the joints of a repetition that shows one turn: its inputs, and its final outputs."""
        first = repeat.groups()[0]
        result: dict[Joint, list[int]] = {}
        for joint, wires in self.of_group[repeat].items():
            if joint.start is None and joint.end is first:
                result.setdefault(joint, []).extend(wires)
            elif joint.end is None:
                result.setdefault(joint._replace(start=first), []).extend(wires)
        return result
