"""`__torch_function__`: subclasses and modes that want to see a call before it runs.

https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-python-api
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import takewhile
from types import SimpleNamespace
from typing import Any, TypeVar

from rushlight.core.modes import MODE, NEVER, Modes, change, current
from rushlight.core.tensor import PLAIN_TYPES
from rushlight.declarations.declare import VARIADIC

F = TypeVar("F", bound=Callable[..., Any])

ABSENT = object()
# "mode" once a TorchFunctionMode was entered, "proxy" once a proxy was made: then constructors offer their calls.
OBSERVERS: list[str] = []
get_mode = MODE.get


def observe_constructors(reason: str) -> None:
    """Makes constructors offer their calls from now on."""
    if reason not in OBSERVERS:
        OBSERVERS.append(reason)


def overridden(op, arguments, modes, keywords=None, relevant=None):
    """The result of whoever takes the call, or ABSENT. `relevant` are the arguments whose classes are asked."""
    if modes.once is not None and modes.once.take():
        return ABSENT
    seeing = modes.function_modes and not modes.modes_disabled
    takers = [] if modes.subclass_disabled else _takers(arguments if relevant is None else relevant)
    if not seeing and not takers:
        return ABSENT
    arguments, keywords = written(op, arguments, keywords)
    if seeing:
        result = _by_mode(op, takers, arguments, keywords, modes)
        if result is not NotImplemented:
            return result
    return _by_subclass(op.function, takers, arguments, keywords, modes.function_modes[-1:] if seeing else ())


def taken_over(op, arguments: tuple, keywords: dict, out=None):
    """What somebody else makes of a call of a composite, or ABSENT: who looks inside is told of what it is made of."""
    modes = current()
    seeing = modes.function_modes[-1:] or [type(each) for each in _takers(arguments)]
    if any([hasattr(each, "_looks_inside") and each._looks_inside(op) for each in seeing]):
        return ABSENT
    return overridden(op, arguments, modes, keywords if out is None else {**keywords, "out": out})


def offered(function, *arguments, **keywords):
    """What a subclass makes of a call of a function that was written by hand, or ABSENT."""
    return overridden(SimpleNamespace(function=function), arguments, current(), keywords)


def overridable(function: F) -> F:
    """Offers the calls of a function that was written by hand to modes, and to the class of its first argument."""

    @wraps(function)
    def offering(*arguments, **keywords):
        if type(get_mode()) is Modes or (arguments and type(arguments[0]) not in PLAIN_TYPES):
            taken = offered(offering, *arguments, **keywords)
            if taken is not ABSENT:
                return taken
        return function(*arguments, **keywords)

    return offering  # type: ignore[return-value]


def written(op, arguments, keywords) -> tuple[tuple, dict]:
    """The call as a program would write it: an override need not know of arguments that were left at their defaults."""
    declared, named = getattr(op, "arguments", ()), dict(keywords or {})
    if declared and not any(each.role == VARIADIC for each in declared):
        given = [(each, value) for each, value in zip(declared, arguments, strict=False) if value is not each.default]
        pairs = zip(declared, given, strict=False)
        count = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1][0] and not pair[0].keyword_only, pairs))
        arguments = tuple(value for _, value in given[:count])
        named |= {each.name: value for each, value in given[count:]}
    defaults = {each.name: each.default for each in declared}
    return arguments, {name: value for name, value in named.items() if value is not defaults.get(name, ABSENT)}


def class_overrides(kind: type) -> bool:
    """Whether a class overrides calls: Tensor says that it does, Parameter that it does not."""
    method = getattr(kind, "__torch_function__", None)
    return method is not None and method is not NEVER


def insert_before_bases(found: list, value, get_type=type) -> None:
    """Adds a value whose type is not among those found, before the first one whose class is a base of its own."""
    kind = get_type(value)
    if not any(get_type(other) is kind for other in found):
        position = next((i for i, other in enumerate(found) if issubclass(kind, get_type(other))), len(found))
        found.insert(position, value)


def _takers(arguments) -> list:
    """The arguments whose type overrides, subclasses before their bases, else in order."""
    found: list = []
    for each in _flat(arguments):
        kind = type(each)
        if kind not in PLAIN_TYPES and class_overrides(kind) and not isinstance(each, type):
            insert_before_bases(found, each)
    return found


def _flat(arguments):
    for each in arguments:
        if type(each) in (list, tuple):
            yield from each
        else:
            yield each


def _by_subclass(function, takers, arguments, keywords, asked=()):
    types = tuple(type(each) for each in takers)
    for each in takers:
        result = type(each).__torch_function__(function, types, arguments, keywords)
        if result is not NotImplemented:
            return result
    listed = [f"  - mode object {each}\n" for each in asked] + [f"  - tensor subclass {each}\n" for each in types]
    raise TypeError(
        f"Multiple dispatch failed for 'torch.{function.__name__}'; all __torch_function__ handlers "
        f"returned NotImplemented:\n\n{''.join(listed)}"
    )


def _by_mode(op, takers, arguments, keywords, modes):
    innermost = modes.function_modes[-1]
    token = change(function_modes=modes.function_modes[:-1])
    try:
        types = tuple(type(each) for each in takers)
        return innermost.__torch_function__(op.function, types, arguments, keywords)
    finally:
        MODE.reset(token)
