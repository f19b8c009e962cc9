"""Families of operators that are loaded when one of their names is first asked for.

`import rushlight` is to take no longer than that of NumPy does again, and most programs need no Bessel functions. The
names of all families are known beforehand, from `_generated/later.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from rushlight._generated.later import BOOK_OF

# Whoever wants to know that a book has been opened, and which.
FOLLOWERS: list[Callable[[str], None]] = []


def later(language: ModuleType, name: str):
    """The `__getattr__` of the language of Tensors, `_generated/functions.py`: imports the module of a name."""
    book = BOOK_OF.get(name)
    if book is None:
        raise AttributeError(f"module {language.__name__!r} has no attribute {name!r}")
    chapter = import_module(f"rushlight._generated.functions_of_{book}")
    for follow in FOLLOWERS:
        follow(book)
    names = [each for each, place in BOOK_OF.items() if place == book]
    vars(language).update((each, getattr(chapter, each)) for each in names if hasattr(chapter, each))
    return getattr(chapter, name)


def open_all() -> None:
    """Opens every book, for whoever looks through the operators rather than at one of them."""
    for book in sorted(set(BOOK_OF.values())):
        import_module(f"rushlight._generated.functions_of_{book}")
