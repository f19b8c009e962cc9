"""Context variables and states of the library in a watched run: what they have is guarded.

A variable that is set has to be reset in the run. A replay does neither: code that could read the variable is watched.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from rushlight.capture.calls import Value
from rushlight.capture.origins import NotClosed
from rushlight.capture.paths import EQUAL, GETTER, OBJECT
from rushlight.capture.watch import Watcher


def value_of(variable: ContextVar) -> Any:
    """Returns the value of a context variable. Raises LookupError if it has none."""
    return variable.get()


def of_variable(w: Watcher, name: str, variable: ContextVar, args: list, origin: Value) -> Callable[[Any], None]:
    """Judges a method of a context variable. Raises NotClosed for what no replay can leave out."""
    path = w.paths.path(origin.path, GETTER, value_of)
    is_set = (id(variable), None) in w.written
    if name == "get" and not args:
        return w.fresh if is_set else lambda value: w.arrived(path, value)
    if name == "set":
        try:
            before = variable.get()
        except LookupError:
            raise NotClosed("a context variable without a value is set") from None
        if not is_set:
            w.arrived(path, before)
            w.written.add((id(variable), None))
        return lambda token: enter(w, token)
    if name == "reset" and w.tokens.pop(id(args[0]), None) is not None:
        return w.fresh
    raise NotClosed(f"ContextVar.{name} is called")


def enter(w: Watcher, token: Any) -> None:
    """Notes that a variable is set until its token is used."""
    w.fresh(token)
    w.kept.append(token)
    w.tokens[id(token)] = token


STATES = ("is_tracing", "is_scripting")  # functions of ours that a guard calls again


def of_state(w: Watcher, function: Callable[[], Any]) -> Callable[[Any], None]:
    """Judges a function without arguments that says in which state the library is."""
    w.guard(w.paths.path(w.paths.path(None, OBJECT, function), GETTER, result_of), EQUAL, function())
    return w.fresh


def result_of(function: Callable[[], Any]) -> Any:
    """Returns the result of a function without arguments."""
    return function()
