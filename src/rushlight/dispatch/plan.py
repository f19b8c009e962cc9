"""The plan: which function runs. The only module that assigns entries of the tables in `core/tables.py` after import.

An entry is an attribute of an owner: of a table (`xp.exp`, `forward.mm`, `raw.silu`), of a node class (`backward`), of
a class or module that a watch may observe, or the `__code__` of a function that other modules know by its name. It
holds one base function, plain or a kernel's, and the observers in front of it, in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any

from rushlight.core.tables import entered

Observer = Callable[[Any], Any]  # given what is behind it, returns what stands in front

ENTRIES: dict[tuple[int, str], Entry] = {}
OBSERVING: list[Observer] = []  # all observers that are in front of an entry
ASSIGNED: list[Callable[[Any, str], None]] = []  # called after an assignment, for observers of what kernels compute


class Entry:
    """What an attribute of an owner holds: `base` with its observers in front."""

    __slots__ = ("base", "observers", "owner", "plain", "shown")

    def __init__(self, owner, name: str):
        self.owner = owner  # kept alive, for its id is the key
        self.plain = self.base = self.shown = held(owner, name)
        self.observers: list[Observer] = []


def held(owner, name: str) -> Any:
    """What an owner, or a class that it inherits from, has under a name; a table may import it now."""
    if isinstance(owner, ModuleType):
        return entered(owner, name)
    if isinstance(owner, FunctionType):
        return getattr(owner, name)
    return next(vars(cls)[name] for cls in owner.__mro__ if name in vars(cls))


def entry_of(owner, name: str) -> Entry:
    key = id(owner), name
    if key not in ENTRIES:
        ENTRIES[key] = Entry(owner, name)
    return ENTRIES[key]


def entry(owner, name: str) -> Any:
    """The function that an entry holds, without observers."""
    found = ENTRIES.get((id(owner), name))
    return held(owner, name) if found is None else found.base


def plain(owner, name: str) -> Any:
    """The function that an entry held at first, as it stands in the source."""
    found = ENTRIES.get((id(owner), name))
    return held(owner, name) if found is None else found.plain


def unobserved(function: Callable) -> Callable:
    """Returns a function with its own code, for readers of its arguments: itself unless it is observed."""
    if not isinstance(function, FunctionType) or (id(function), "__code__") not in ENTRIES:
        return function
    own = copied(function, entry(function, "__code__"))
    own.__annotations__ = function.__annotations__
    return own


def copied(function: FunctionType, code: CodeType) -> FunctionType:
    """Returns a function that does what another does, with code of its own."""
    copy = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__ = function.__qualname__  # which errors of arguments name
    return copy


def assign(owner, name: str, function: Any) -> None:
    """Puts a function into an entry, behind its observers."""
    found = entry_of(owner, name)
    found.base = function
    show(found, name)
    for follow in ASSIGNED:
        follow(owner, name)


def observe(owner, name: str, observer: Observer) -> None:
    """Puts an observer in front of an entry."""
    found = entry_of(owner, name)
    found.observers.append(observer)
    OBSERVING.append(observer)
    show(found, name)


def unobserve(owner, name: str, observer: Observer) -> None:
    """Takes an observer away. What a program has assigned to the attribute meanwhile stays."""
    found = entry_of(owner, name)
    found.observers.remove(observer)
    OBSERVING.remove(observer)
    shown = getattr(owner, name) if isinstance(owner, FunctionType) else vars(owner).get(name)
    if shown is found.shown:
        show(found, name)
    if not found.observers and found.base is found.plain:
        del ENTRIES[id(owner), name]  # which keeps the owner alive, and that may be a program's function


def show(found: Entry, name: str) -> None:
    """Gives the owner what an entry holds now."""
    function = found.base
    for observer in found.observers:
        function = observer(function)
    found.shown = function
    setattr(found.owner, name, function)


# The plan table (`plan_table.py`): the signature of a call -> its plan; None is the general path.
PLANS: dict[tuple, Any] = {}

# Kernels of whole operators, by name; `lower/install.py` enters them.
CONVERTING: dict[str, Callable] = {}  # (values by name, dtype to compute in, dtype of the result) -> result or None
WRITING: dict[str, Callable] = {}  # (tensor, arguments, keywords) -> whether the result was written over the tensor
SCALING: dict[str, Callable] = {}  # (array, other array, factor) -> whether the scaled sum was written over the array


def add_converting(name: str, kernel: Callable) -> None:
    """Enters a kernel that casts what it loads; plans that were made without it are forgotten."""
    CONVERTING[name] = kernel
    PLANS.clear()
