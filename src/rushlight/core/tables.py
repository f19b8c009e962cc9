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

xp = ModuleType("rushlight.core.tables.xp", "Functions of arrays.")
fast = ModuleType("rushlight.core.tables.fast", "Functions of arrays for generated functions.")
forward = ModuleType("rushlight.core.tables.forward", "The forward functions of primitives.")
objects = ModuleType("rushlight.core.tables.objects", "What makes tensors and nodes, and counts writes.")
raw = ModuleType("rushlight.core.tables.raw", "Operators on arrays.")

Entered = Callable[[ModuleType, list[str]], None]
FOLLOWERS: list[Entered] = []  # called with a table and the names that have been entered


def enter(table: ModuleType, functions: dict[str, Any]) -> None:
    """Enters functions under names that a table does not have yet."""
    names = [name for name in functions if name not in vars(table)]
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


def enter_later(table: ModuleType, modules: dict[str, str]) -> None:
    """Lets a table import a module when one of its functions is first asked for; the module enters them."""

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {table.__name__!r} has no attribute {name!r}")
        module = importlib.import_module(modules[name])
        enter(table, {each: getattr(module, each) for each, place in modules.items() if place == modules[name]})
        return vars(table)[name]

    vars(table)["__getattr__"] = load
    vars(table)["__dir__"] = lambda: sorted({*vars(table), *modules} - {"__getattr__", "__dir__"})
    if table is xp:
        vars(fast)["__getattr__"] = lambda name: load(name) and vars(fast)[name]
