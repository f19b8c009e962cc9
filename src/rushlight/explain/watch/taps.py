"""Observers in front of functions and attributes of the library, while a watch is on (`dispatch/plan.py`).

When no watch is on there are none: this is why it costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from rushlight.core.tensor import Tensor
from rushlight.dispatch.plan import observe, unobserve

OURS = __name__.partition(".")[0]
ROOT = sys.modules[OURS]


class Taps:
    """Puts observers in front of attributes, and takes them away in the opposite order."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def attribute(self, owner, name: str, make: Callable) -> None:
        """Puts `make(original)` in front of an attribute of a module or a class, its own or an inherited one.

        What a program assigns to it meanwhile stays.
        """
        owner = next((cls for cls in getattr(owner, "__mro__", ()) if name in vars(cls)), owner)
        observe(owner, name, make)
        self._undo.append(lambda: unobserve(owner, name, make))

    def operator(self, name: str, make: Callable) -> None:
        """Observes an operator as programs call it: in the root, and as a method."""
        if not name.startswith("__") and hasattr(ROOT, name):
            self.attribute(ROOT, name, make)
        if any(name in vars(cls) for cls in Tensor.__mro__):  # asking for a method would make it
            self.method(name, make)

    def method(self, name: str, make: Callable) -> None:
        """Observes a method of tensors."""
        self.attribute(Tensor, name, lambda original: make(callable_of(original)))

    def undo(self, step: Callable[[], None]) -> None:
        """Something else to be done on removing."""
        self._undo.append(step)

    def remove(self) -> None:
        """Takes all observers away."""
        while self._undo:
            self._undo.pop()()


def callable_of(original) -> Callable:
    """A function that does what an attribute of Tensor does: a method may be made when it is first looked up."""
    if callable(original):
        return original
    return lambda tensor, *arguments, **keywords: original.__get__(tensor)(*arguments, **keywords)


def dressed(function: Callable, original: Callable) -> Callable:
    """A function with the name and the text of another."""
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        if isinstance(result := getattr(original, name, None), str):
            setattr(function, name, result)
    return function
