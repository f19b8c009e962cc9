"""Offers calls of constructors to modes, and to arguments whose class overrides calls.

Operators offer every call. Constructors have no time for that: their first line tests `OBSERVERS`, which is empty until
a program enters its first mode or makes its first proxy.

    if OBSERVERS and (result := offer(zeros, locals())) is not ABSENT:
        return result
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from rushlight.core.modes import current
from rushlight.core.shape_queries import STRIDED
from rushlight.core.tensor import Tensor
from rushlight.core.traced import CLASSES, ENTERED, STACK, below
from rushlight.create.randomness import drawn
from rushlight.dispatch.override import ABSENT, overridden

DATA = frozenset({"data", "obj"})  # parameters that may be long lists, in which no overriding object is searched


def offer(function: Callable, values: Mapping[str, Any]) -> Any:
    """Returns the result of the mode or argument that overrides this call, or ABSENT if none does.

    `values` has the arguments by name: `locals()` on the first line of the function. They have a `self` if the function
    runs as the method that `as_method` made of it.
    """
    if "self" in values:
        function = getattr(Tensor, function.__name__)
    if values.get("pin_memory"):
        return made_pinned(function, values)
    args, kwargs = call_of(function, values)
    left_out = [value for name, value in values.items() if name in DATA and type(value) in (list, tuple)]
    out = values.get("out")
    if isinstance(out, Tensor) and out.layout is not STRIDED:
        left_out.append(out)  # a constructor writes to a sparse tensor, or refuses it
    relevant = [value for value in (*args, *kwargs.values()) if not any(value is each for each in left_out)]
    result = overridden(SimpleNamespace(function=function), args, current(), kwargs, relevant)
    if result is ABSENT and ENTERED:
        result = CLASSES.offer(function, args, kwargs)
    if result is not ABSENT or not ENTERED or (result := drawn(function, args, kwargs)) is not ABSENT:
        return result
    level = next(reversed(STACK.get()), None)
    if level is None or not level.records:
        return ABSENT
    with below(level):
        made = function(*args, **kwargs)
    return level.constant(made)


def made_pinned(function: Callable, values: Mapping[str, Any]) -> Any:
    """Runs a function with its arguments by name, of which `pin_memory` is true."""
    args, kwargs = call_of(function, {**values, "pin_memory": False})
    return import_module("rushlight.cuda._pinned").created(function, args, kwargs)


def call_of(function: Callable, values: Mapping[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """Returns the arguments as a program would write them: positional ones first, without those left at their defaults.

    >>> call_of(lambda start=0, end=None, step=1, *, dtype=None: ..., {"start": 0, "end": 5, "step": 1, "dtype": None})
    ((0, 5), {})
    """
    args: list[Any] = []
    kwargs = {}
    count = 0  # of positional arguments, without trailing defaults
    positional = True
    for name, kind, default in parameters(function):
        value = values[name]
        if kind is inspect.Parameter.VAR_POSITIONAL:
            args += value
            count, positional = len(args), False
            continue
        positional = positional and kind is not inspect.Parameter.KEYWORD_ONLY and not (value is default is None)
        if positional:
            args.append(value)
            count = len(args) if value is not default else max(count, 1)
        elif value is not default:
            kwargs[name] = value
    return tuple(args[:count]), kwargs


@cache
def parameters(function: Callable) -> list[tuple[str, Any, Any]]:
    """Returns name, kind and default of each parameter."""
    return [
        (name, parameter.kind, parameter.default) for name, parameter in inspect.signature(function).parameters.items()
    ]
