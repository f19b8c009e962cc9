"""Probes: they find out whether a program computes large results although it makes no large arrays.

A function in front of another costs every small call. So a probe is in an entry of a table for its first calls only:
when these return small arrays, the plain function is put back; large ones are counted (`core/policy.py`) until the
compiler is loaded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType

import numpy as np

from rushlight.core.origin import PACKAGE
from rushlight.core.policy import MEDIUM, PROBED_CALLS, notice
from rushlight.core.tables import FOLLOWERS, fast, forward, names_of
from rushlight.dispatch.plan import assign, entry

GENERATED = os.path.join(PACKAGE, "_generated", "functions")
PROBES: list[Probe] = []


class Probe:
    """Calls the function of an entry and counts the elements that it returns."""

    __slots__ = ("left", "name", "plain", "table")

    def __init__(self, table: ModuleType, name: str):
        self.table, self.name, self.left = table, name, PROBED_CALLS
        self.plain = entry(table, name)
        assign(table, name, self)

    def __call__(self, *arguments, **named):
        result = self.plain(*arguments, **named)
        first = result[0] if type(result) is tuple and result else result
        if type(first) is np.ndarray and first.size >= MEDIUM and is_new(first, arguments):
            # What other functions of the package compute on the way to a result is not counted again
            if sys._getframe(1).f_code.co_filename.startswith(GENERATED):
                notice(first.size)
        else:
            self.left -= 1
            if self.left <= 0:
                self.end()
        return result

    def end(self) -> None:
        """Puts the plain function back, if the entry is still ours."""
        if entry(self.table, self.name) is self:
            assign(self.table, self.name, self.plain)


def is_new(result: np.ndarray, arguments: tuple) -> bool:
    """Whether a result was computed, and is no view of an argument's memory."""
    owner = result.base
    return owner is None or not any([owner is x or owner is getattr(x, "base", None) for x in arguments])


def begin() -> None:
    """Probes the functions that are there, and those that are entered later."""
    for table in (fast, forward):
        follow(table, names_of(table))
    FOLLOWERS.append(follow)


def follow(table: ModuleType, names: list[str]) -> None:
    """Probes functions that have been entered in a table."""
    if table is fast or table is forward:
        PROBES.extend([Probe(table, name) for name in names if gains(name, entry(table, name))])


def gains(name: str, function: Callable) -> bool:
    """Whether a kernel is faster: not where NumPy computes integers too, with vector loops of its own."""
    if name.startswith("_") or not callable(function) or type(function) in (type, Probe):
        return False
    return not (isinstance(function, np.ufunc) and any([types.startswith("l") for types in function.types]))


def end() -> None:
    """Puts all plain functions back."""
    if follow in FOLLOWERS:
        FOLLOWERS.remove(follow)
    while PROBES:
        PROBES.pop().end()
