"""Writes a plan as a table of the guard machine.

Places are read level by level, from the arguments on: what is near fails first. The reads of one dictionary stand
together, with the checks that only its entries decide; where dictionaries have versions, all of them are skipped if the
dictionary is in the state in which they held last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rushlight.capture.guard_plan import Place, Plan
from rushlight.capture.paths import Guard, Path
from rushlight.lower import guard_machine as machine
from rushlight.lower.guard_machine import FAILS, UNSURE, word_of
from rushlight.lower.python_layout import has_dict_versions

OF_ENTRIES = (machine.LACKS, machine.HAS_KEYS)  # checks that need the dictionary to be open
OF_OBJECT = (machine.IS, machine.EQUALS)  # checks of what does not change as long as it is the same object


class Table(NamedTuple):
    """A block for the machine, and the objects to which it has addresses."""

    block: np.ndarray
    kept: list


class Rest:
    """What is left to Python: called with the values that the machine read."""

    __slots__ = ("guards", "wanted")

    def __init__(self, guards: list[Guard], wanted: list[tuple[int, Path]]):
        self.guards, self.wanted = guards, wanted

    def __call__(self, args: tuple, kwargs: dict, values: list) -> list | None:
        if not all([guard.holds(args, kwargs) for guard in self.guards]):
            return None
        for at, path in self.wanted:
            values[at] = path.read(args, kwargs)
        return values


def tabled(guards: list[Guard], wanted: list[Path], args: tuple, kwargs: dict) -> Table:
    """Returns the table for guards that held for a call."""
    plan = Plan(guards, wanted, args, kwargs)
    left = [(at, path) for at, path in enumerate(wanted) if plan.wanted[at] is None]
    rest = Rest(plan.rest, left) if plan.rest or left else None
    code = Writer(plan).code
    registers = [id(place.value) if place.constant else 0 for place in plan.registers]
    head = [id(rest) if rest else 0, machine.REGISTERS + len(registers)]
    kept = [*plan.kept, *plan.keys.values(), rest]
    plan.forget()
    return Table(np.array([*head, *registers, *code], np.int64), kept)


class Writer:
    """The code of a plan."""

    def __init__(self, plan: Plan):
        self.plan, self.code = plan, list[int]()
        self.written: set[tuple] = set()  # (place, check) that were written with the dictionary
        level = [plan.args, plan.kwargs, *plan.constants.values()]
        while level:
            level = [child for place in level for child in self.place(place)]
        for cls, version in plan.unchanged.items():
            self.add(machine.UNCHANGED, UNSURE, 0, 0, id(cls), version)
        for code, one, other in plan.pairs:
            self.add(code, FAILS, one.number, other.number)
        results = [-1 if each is None else each.number for each in plan.wanted]
        self.add(machine.END, FAILS, 0, 0, len(results), *results)

    def add(self, code: int, otherwise: int, source: int, to: int, *operands: int) -> None:
        self.code += (word_of(code, otherwise, source, to), *operands)

    def check(self, place: Place, check: tuple) -> None:
        code, *operands = check
        self.add(code, place.checks[check], place.number, 0, *operands)

    def place(self, place: Place) -> list[Place]:
        """Writes the checks of a place and reads what is in it; returns the places that were read."""
        children = [child for child in place.children if child.used]
        entries = [child for child in children if child.read[0] == machine.GET]
        checks = {check: place.checks[check] for check in place.checks if (place, check) not in self.written}
        inside = [check for check in checks if check[0] in OF_ENTRIES]
        cls = (machine.CLASS_IS, id(type(place.value)))
        otherwise = checks.get(cls, UNSURE)
        # The class comes first: it says how the object is read. Some instructions look at it themselves.
        if cls in checks and not (entries or inside or any([check[0] == machine.LONG for check in checks])):
            self.check(place, cls)
        if entries or inside:
            self.opened(place, otherwise, entries, inside)
        for check in checks:
            if check[0] == machine.LONG:
                self.add(machine.LONG, otherwise, place.number, 0, *check[1:])
            elif check not in inside and check != cls:
                self.check(place, check)
        for child in children:
            if child not in entries:
                self.read(child)
        return children

    def read(self, child: Place) -> None:
        parent: Any = child.source
        code, operand = child.read
        # A subclass of dict may have a `__missing__`; there may be no memory for a dictionary.
        decides = code != machine.OWN and (code != machine.GET or type(parent.value) is dict)
        decides = decides and child.guarded and not child.made_when_read
        self.add(code, FAILS if decides else UNSURE, parent.number, child.number, operand)

    def opened(self, place: Place, otherwise: int, entries: list[Place], inside: list[tuple]) -> None:
        """Writes the reads of a dictionary, and the checks that its entries decide."""
        cls = id(type(place.value))
        start = len(self.code)
        skips = has_dict_versions() and place is not self.plan.kwargs
        if skips:
            self.add(machine.OPEN_IF_CHANGED, otherwise, place.number, 0, cls, 0, 0, 0)
        else:
            self.add(machine.OPEN, otherwise, place.number, 0, cls)
        for check in inside:
            self.check(place, check)
        for child in entries:
            self.read(child)
            for check in child.checks:
                if check[0] in OF_OBJECT:
                    self.check(child, check)
                    self.written.add((child, check))
        if skips:
            self.add(machine.CLOSE, UNSURE, place.number, 0, len(self.code) - start)
            self.code[start + 4] = len(self.code) - start
