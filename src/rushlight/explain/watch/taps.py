"""What stands in the place of functions and attributes of the library while a watch is on.

When no watch is on, nothing of it is there: this is why it costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

from rushlight.core.tensor import Tensor

OURS = __name__.partition(".")[0]
ROOT = sys.modules[OURS]


class Taps:
    """Puts things in the place of others, and takes them out again in the opposite order."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def attribute(self, owner, name: str, make: Callable) -> None:
        """Puts `make(original)` in the place of an attribute that a module or a class has, itself or by inheritance.

        What somebody else has put there meanwhile stays.
        """
        owner = next((each for each in getattr(owner, "__mro__", ()) if name in vars(each)), owner)
        original, made = vars(owner)[name], make(vars(owner)[name])
        setattr(owner, name, made)
        self._undo.append(lambda: setattr(owner, name, original) if vars(owner)[name] is made else None)

    def operator(self, name: str, make: Callable) -> None:
        """Puts `make(original)` in the place of an operator as programs call it: in the root, and as a method."""
        if not name.startswith("__") and hasattr(ROOT, name):
            self.attribute(ROOT, name, make)
        if any(name in vars(each) for each in Tensor.__mro__):  # asking for a method would make it
            self.method(name, make)

    def method(self, name: str, make: Callable) -> None:
        """Puts `make(original)` in the place of a method of tensors."""
        self.attribute(Tensor, name, lambda original: make(callable_of(original)))

    def everywhere(self, original, replacement) -> None:
        """Puts one object in the place of another under every name that a module of the library has for it.

        Modules that are imported later get the replacement from those that are there.
        """
        exchange(original, replacement)
        self._undo.append(lambda: exchange(replacement, original))

    def undo(self, step: Callable[[], None]) -> None:
        """Something else to be done on removing."""
        self._undo.append(step)

    def remove(self) -> None:
        """Leaves everything as it was found."""
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
        if isinstance(found := getattr(original, name, None), str):
            setattr(function, name, found)
    return function


def exchange(old, new) -> None:
    for module in library_modules():
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)


def library_modules() -> list[ModuleType]:
    """The modules of the library that are loaded, without those of the watch itself."""
    watch = __name__.rpartition(".")[0]
    loaded = [(name, module) for name, module in sys.modules.copy().items() if isinstance(module, ModuleType)]
    return [
        module
        for name, module in loaded
        if name.partition(".")[0] == OURS and name != watch and not name.startswith(f"{watch}.")
    ]
