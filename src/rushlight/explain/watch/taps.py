"""Puts observers in front of functions and attributes of the library while a watch is on (`dispatch/plan.py`).

While no watch is on there are no observers, so it costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch.plan import observe, unobserve

OURS = __name__.partition(".")[0]
ROOT = sys.modules[OURS]


class Taps:
    """Puts observers in front of attributes, and removes them in reverse order."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def attribute(self, owner, name: str, make: Callable) -> None:
        """Puts `make(original)` in front of an attribute of a module or a class, its own or an inherited one.

        What a program assigns to the attribute while it is observed stays.
        """
        owner = next((cls for cls in getattr(owner, "__mro__", ()) if name in vars(cls)), owner)
        observe(owner, name, make)
        self._undo.append(lambda: unobserve(owner, name, make))

    def operator(self, name: str, make: Callable) -> None:
        """Observes an operator as programs call it: in the root, and as a method."""
        if not name.startswith("__") and hasattr(ROOT, name):
            self.attribute(ROOT, name, make)
        if any(name in vars(cls) for cls in Tensor.__mro__):  # `hasattr` would make the method
            self.method(name, make)

    def method(self, name: str, make: Callable) -> None:
        """Observes a method of tensors."""
        self.attribute(Tensor, name, lambda original: make(callable_of(original)))

    def undo(self, step: Callable[[], None]) -> None:
        """Adds another step to be done by `remove`."""
        self._undo.append(step)

    def remove(self) -> None:
        """Removes all observers."""
        while self._undo:
            self._undo.pop()()


def callable_of(original) -> Callable:
    """Returns an attribute of Tensor as a function; the attribute may make its method on first access."""
    if callable(original):
        return original

    def method(tensor, *arguments, **keywords):
        return original.__get__(tensor)(*arguments, **keywords)

    if (op := OPS.get(getattr(original, "function", None))) is not None:
        method.declaration = op  # type: ignore[attr-defined]
    method.__name__ = getattr(original, "names", ("method",))[0]
    return method


def dressed(function: Callable, original: Callable) -> Callable:
    """Gives a function the name, docstring and declaration of another, and returns it."""
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        if isinstance(text := getattr(original, name, None), str):
            setattr(function, name, text)
    if (op := getattr(original, "declaration", None)) is not None:  # of a method: operators look it up
        function.declaration = op  # type: ignore[attr-defined]
    return function
