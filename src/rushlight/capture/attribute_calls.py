"""Calls of `getattr`, `hasattr` and `vars`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.capture import attributes
from rushlight.capture.origins import NotClosed
from rushlight.capture.watch import Watched, Watcher
from rushlight.core.tensor import Tensor

Done = Callable[[Any], None] | None


def of_getattr(w: Watcher, state: Watched, function: Any, args: list) -> Done:
    """Judges `getattr` and `hasattr`, and `vars` of an object."""
    owner, name = args[:2] if function is not vars else (args[0], "__dict__")
    if isinstance(owner, Tensor):
        if (function is hasattr or len(args) == 3) and attributes.is_lacking(w, owner, name):
            return w.fresh
        state.boundary = True
        after = attributes.noted_read(w, state, owner, name)
        return lambda value: after(state)
    may_lack = len(args) == 3 or function is hasattr
    there = attributes.is_there(w, owner, name)
    if there is None and may_lack:
        w.may_lack += 1
        attributes.read(w, state, owner, name)
        return w.found_or_not
    if there is False:
        w.runs_library = True
        return w.library_ran if may_lack else refuse_absent(owner, name)
    return of_value_read(w, attributes.read(w, state, owner, name), function)


def of_value_read(w: Watcher, after: Any, function: Any = getattr) -> Done:
    """Returns what to do with the value of an attribute that a call reads."""
    if function is hasattr or after is None:
        return None
    return lambda value: w.fresh(value) if not isinstance(value, Tensor) else None


def refuse_absent(owner: Any, name: str) -> Done:
    raise NotClosed(f"a {type(owner).__name__} has no attribute {name}")
