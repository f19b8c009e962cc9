"""Whether a program that makes no arrays, and only computes with those that it has, computes with large ones.

What stands before a function is paid by every call of few numbers. So a function is on trial for its first calls only:
where these give few numbers it is let alone for good, and where they give many, these are counted until somebody whom
`core/large.py` calls puts machine code in its place.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np

from rushlight.core.large import MEDIUM, notice
from rushlight.dispatch import lazy_modules

FUNCTIONS = "rushlight._generated.functions"
COMPUTING = ("xp_", "kernel_", "forward_")  # what the names of functions begin with that give results
CALLS = 32  # with few numbers, after which a function is let alone

ON_TRIAL: list[Trial] = []


class Trial:
    """Stands in a module for a function that computes, and counts the numbers that it gives."""

    __slots__ = ("left", "name", "names", "original")

    def __init__(self, module: ModuleType, name: str, original: Callable):
        self.names, self.name, self.original, self.left = vars(module), name, original, CALLS
        self.names[name] = self

    def __call__(self, *arguments, **named):
        found = self.original(*arguments, **named)
        first = found[0] if type(found) is tuple and found else found
        if type(first) is np.ndarray and first.size >= MEDIUM and is_new(first, arguments):
            notice(first.size)
        else:
            self.left -= 1
            if self.left <= 0:
                self.end()
        return found

    def end(self) -> None:
        """Lets the function alone; if somebody else stands before us, as soon as he is gone."""
        if self.names[self.name] is self:
            self.names[self.name] = self.original


def is_new(found: np.ndarray, arguments: tuple) -> bool:
    """Whether its numbers were computed: it may be another shape of a result, but shows nobody else's memory."""
    owner = found.base
    return owner is None or not any([owner is each or owner is getattr(each, "base", None) for each in arguments])


def begin() -> None:
    """Puts on trial what there is, and what comes with books that are opened."""
    for path in [each for each in sys.modules if each.startswith(FUNCTIONS)]:
        try_all(sys.modules[path])
    lazy_modules.LISTENERS.append(follow)


def follow(book: str) -> None:
    module = sys.modules.get(f"{FUNCTIONS}_of_{book}")
    if module is not None:
        try_all(module)


def try_all(module: ModuleType) -> None:
    ON_TRIAL.extend([Trial(module, name, original) for name, original in computing(module) if gains(original)])


def computing(module: ModuleType) -> Iterator[tuple[str, Callable]]:
    """The functions of a module that give results, by name, without those on trial: a book may be announced twice.

    A watch that looks at results stands before what is on trial already, and has to find that again when it ends.
    """
    for name, value in list(vars(module).items()):
        if name.startswith(COMPUTING) and callable(value) and type(value) is not Trial and not hasattr(value, "looks"):
            yield name, value


def gains(function: Callable) -> bool:
    """Whether machine code is quicker: not where NumPy computes with whole numbers as well, in vectors of its own."""
    return not (isinstance(function, np.ufunc) and any([each.startswith("l") for each in function.types]))


def end() -> None:
    """Everything is as it was before."""
    if ON_TRIAL:
        lazy_modules.LISTENERS.remove(follow)
    while ON_TRIAL:
        ON_TRIAL.pop().end()
