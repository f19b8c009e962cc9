"""The guards of a replay in machine code: `checker(guards, wanted)` does what `paths.Checker` does, in nanoseconds.

The first call for which all guards hold is *linked*: its values show what the classes of objects are, and so which
instructions read them. All that is assumed then is checked again at each call, and a call for which it is not so is
decided by `paths.Checker`, and linked anew. What the machine cannot read at all is left to `paths` at each call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from rushlight.capture.guard_table import Table, tabled
from rushlight.capture.paths import Checker, Guard, Path
from rushlight.lower import guard_machine as machine
from rushlight.lower import llvm
from rushlight.lower.builtin_calls import function
from rushlight.lower.guard_machine import UNSURE, word_of
from rushlight.lower.python_layout import readable
from rushlight.lower.replay_machine import addresses

LINKS = 16  # times that one checker is linked; a program that changes more often is decided by `paths`


class FastChecker(Checker):
    """A checker. `check(args, kwargs)` is the same as calling it, without the call of a method."""

    def __init__(self, guards: list[Guard], wanted: list[Path]):
        super().__init__(guards, wanted)
        self.check: Callable[[tuple, dict], list | None] = super().__call__
        if is_available():
            self.check = Linked(guards, wanted).bound()

    def __call__(self, args: tuple, kwargs: dict) -> list | None:
        return self.check(args, kwargs)


def checker(guards: list[Guard], wanted: list[Path]) -> FastChecker:
    """Returns the checker of these guards, which returns the values at `wanted`."""
    return FastChecker(guards, wanted)


@functools.cache
def is_available() -> bool:
    """Whether there is machine code, and Python keeps objects as it is written for."""
    return readable() and llvm.is_available()


class Linked:
    """The table of a checker. `reference` decides a call that the table does not, and links the table anew."""

    __slots__ = ("handle", "links", "plain", "table")

    def __init__(self, guards: list[Guard], wanted: list[Path]):
        self.plain, self.links = Checker(guards, wanted), 0
        # Before the first call: `args` is not at address 0, so all is unsure.
        start = machine.REGISTERS + 2
        self.table = Table(np.array([0, start, 0, 0, word_of(machine.IS, UNSURE, machine.ARGS), 0], np.int64), [])
        self.handle = np.array([self.table.block.ctypes.data, 0, len(wanted)], np.int64)

    def bound(self) -> Callable[[tuple, dict], list | None]:
        """Returns the builtin function that checks."""
        reference = self.reference
        self.handle[machine.REFERENCE] = id(reference)
        return function("check", addresses()[0], (self.handle, reference))

    def reference(self, args: tuple, kwargs: dict) -> list | None:
        """Returns what `paths` says."""
        values = self.plain(args, kwargs)
        if values is not None and self.links < LINKS:
            self.links += 1
            table = tabled(self.plain.guards, self.plain.wanted, args, kwargs)
            self.handle[machine.BLOCK] = table.block.ctypes.data
            self.table = table  # only now does nothing point to the old one
        return values
