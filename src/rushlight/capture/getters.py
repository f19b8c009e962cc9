"""Calls of what the module `operator` makes: `itemgetter`, `attrgetter` and `methodcaller`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

from rushlight.capture import attributes
from rushlight.capture.origins import FRESH, NotClosed
from rushlight.capture.watch import JUDGE, Watched, Watcher

Done = Callable[[Any], None] | None
GETTERS = (operator.attrgetter, operator.itemgetter, operator.methodcaller)


def of_getter(w: Watcher, state: Watched, getter: Any, value: Any) -> Done:
    """Judges the call of what the module `operator` makes: an attribute, an item or a method by its name."""
    if w.origins.get(id(getter)) is not FRESH:
        w.guard_object(getter)
    _, wanted = getter.__reduce__()
    if isinstance(getter, operator.methodcaller):
        return of_method_named(w, state, getter, value)
    if isinstance(getter, operator.itemgetter):
        done = [JUDGE[0](w, state, operator.getitem, [value, key], {}) for key in wanted]
    else:
        done = [of_attribute_at(w, state, value, name) for name in wanted]
    return done[0] if len(done) == 1 else lambda values: all_done(w, done, values)


def all_done(w: Watcher, done: list[Done], values: tuple) -> None:
    """Notes each of the values that a getter gives."""
    for each, value in zip(done, values, strict=True):
        if each is not None:
            each(value)
    w.fresh(values)


def of_attribute_at(w: Watcher, state: Watched, value: Any, names: str) -> Done:
    """Judges what `operator.attrgetter("a.b")` reads."""
    *before, name = names.split(".")
    for each in before:
        if each not in getattr(value, "__dict__", {}):
            raise NotClosed(f"attrgetter reads {names}, and {each} is computed", "Write the attributes.")
        done = JUDGE[0](w, state, getattr, [value, each], {})
        value = getattr(value, each)
        if done is not None:
            done(value)
    return JUDGE[0](w, state, getattr, [value, name], {})


def of_method_named(w: Watcher, state: Watched, getter: operator.methodcaller, value: Any) -> Done:
    """Judges the call of a method by its name."""
    made: Any = getter.__reduce__()
    with_keywords = isinstance(made[0], functools.partial)
    name, *args = [*made[0].args, *made[1]] if with_keywords else made[1]
    kwargs = made[0].keywords if with_keywords else {}
    attributes.read(w, state, value, name)
    method = attributes.class_attribute(type(value), name)
    if type(method) is FunctionType:
        return JUDGE[0](w, state, method, [value, *args], kwargs)
    return JUDGE[0](w, state, getattr(value, name), args, kwargs)
