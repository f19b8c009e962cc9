"""The tables of functions in which every call ends: what runs now, by name.

    xp       functions of arrays: `xp.exp`, `xp.total`, ...; what `forward` of a declaration is given
    fast     the same, as generated functions call them: of dtypes that NumPy has itself, for which ufuncs have kernels
    forward  the `forward` of each primitive, which is given its language first: `forward.mm(xp, input, mat2)`
    raw      operators on arrays: `raw.silu`, ...; what a derivative is given as `F` where no graph is made
    objects  what makes tensors and nodes, and counts writes: `objects.tensor(None)`, `objects.add_AddBackward0(None)`

An entry begins as the plain function that stands in the source. A kernel takes an entry over, and an observer stands in
front of one, by `dispatch/plan.py` only: nothing else of the package changes after its import. So whoever calls a
function that a kernel may take over calls it through its table. A call of an entry costs as much as one of a global:
Python looks names of modules up by their position.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from rushlight.core.trace_pause import trace_paused

xp = ModuleType("rushlight.core.tables.xp", "Functions of arrays.")
fast = ModuleType("rushlight.core.tables.fast", "Functions of arrays for generated functions.")
forward = ModuleType("rushlight.core.tables.forward", "The forward functions of primitives.")
objects = ModuleType("rushlight.core.tables.objects", "What makes tensors and nodes, and counts writes.")
raw = ModuleType("rushlight.core.tables.raw", "Operators on arrays.")

Entered = Callable[[ModuleType, list[str]], None]
FOLLOWERS: list[Entered] = []  # called with a table and the names that have been entered


def enter(table: ModuleType, functions: dict[str, Any]) -> None:
    """Enters functions under names that a table does not have yet."""
    names = [name for name in functions if type(vars(table).get(name, LATER)) is Later]
    tables = (fast, xp) if table is xp else (table,)
    for each in tables:
        vars(each).update((name, functions[name]) for name in names)
    for each in tables:
        for follow in FOLLOWERS:
            follow(each, names)


def primitive(function: Callable) -> Callable:
    """Enters a function of arrays, which a kernel may take over; callers write `xp.NAME(...)`."""
    enter(xp, {function.__name__: function})
    return function


class Later:
    """The entry of a function whose module is imported when it is first called, or asked for by `entered`.

    A `__getattr__` of the table would do without such entries, but Python 3.11 looks up names by position only in
    modules that have none: every call of an entry would take 0.03 us longer.
    """

    __slots__ = ("__name__", "table")

    def __init__(self, table: ModuleType, name: str):
        self.table, self.__name__ = table, name

    def __call__(self, *arguments, **keywords):
        return entered(self.table, self.__name__)(*arguments, **keywords)


MODULES: dict[tuple[str, str], str] = {}  # the module of each later entry, by the names of its table and its own


def enter_later(table: ModuleType, modules: dict[str, str]) -> None:
    """Enters functions whose modules are imported when one of them is first needed; `modules` are by their names."""
    for each in (fast, xp) if table is xp else (table,):
        for name in modules.keys() - vars(each).keys():
            vars(each)[name] = Later(each, name)
            MODULES[each.__name__, name] = modules[name]


@trace_paused()
def entered(table: ModuleType, name: str) -> Any:
    """Returns what a table has under a name; imports its module first if that is due."""
    if type(function := getattr(table, name)) is not Later:
        return function
    source = MODULES[table.__name__, name]
    module = importlib.import_module(source)
    owner = xp if table is fast else table
    names = [other for (of, other), place in MODULES.items() if of == owner.__name__ and place == source]
    enter(owner, {other: getattr(module, other) for other in names})
    return vars(table)[name]


def names_of(table: ModuleType) -> list[str]:
    """Returns the names of the functions that a table has now, without later ones."""
    return [name for name, function in vars(table).items() if type(function) is not Later]


LATER = Later(xp, "")  # what a table that lacks a name is taken to have
