"""`__torch_function__`: offers calls to modes and subclasses before they run.

https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-python-api
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import takewhile
from types import SimpleNamespace
from typing import Any, TypeVar

from rushlight.core.modes import MODE, NEVER, Modes, change, current
from rushlight.core.tensor import PLAIN_TYPES
from rushlight.core.traced import CLASSES, ENTERED
from rushlight.core.warn_once import warn_once
from rushlight.declarations.declare import VARIADIC

F = TypeVar("F", bound=Callable[..., Any])

ABSENT = object()
SPACES = frozenset(("torch", "linalg", "special", "fft"))  # elsewhere PyTorch's functions are written in Python
PLAIN_METHOD = (
    "Defining your `__torch_function__{} as a plain method is deprecated and will be an error in future, please define "
    "it as a classmethod."
)
PLAIN_ARGUMENTS = PLAIN_TYPES | {int, float, bool, complex, str, type(None)}
# "mode" once a TorchFunctionMode was entered, "proxy" once a proxy was made: then constructors offer their calls.
OBSERVERS: list[str] = []
get_mode = MODE.get


def observe_constructors(reason: str) -> None:
    """Makes constructors offer their calls from now on."""
    if reason not in OBSERVERS:
        OBSERVERS.append(reason)


@contextmanager
def constructors_observed(reason: str) -> Iterator[None]:
    """Makes constructors offer their calls inside."""
    observed = reason not in OBSERVERS
    observe_constructors(reason)
    try:
        yield
    finally:
        if observed:
            OBSERVERS.remove(reason)


def overridden(op, arguments, modes, keywords=None, relevant=None):
    """Returns the result of the mode or subclass that overrides a call, or ABSENT.

    `relevant` are the arguments whose classes may override it, by default all.
    """
    if modes.once is not None and modes.once.take():
        return ABSENT
    has_mode = modes.function_modes and not modes.modes_disabled
    takers = [] if modes.subclass_disabled else _takers(arguments if relevant is None else relevant)
    if not has_mode and not takers:
        return ABSENT
    arguments, keywords = written(op, arguments, keywords)
    if has_mode:
        result = _by_mode(op, takers, arguments, keywords, modes)
        if result is not NotImplemented:
            return result
    return _by_subclass(op, takers, arguments, keywords, modes.function_modes[-1:] if has_mode else ())


def taken_over(op, arguments: tuple, keywords: dict, out=None):
    """Returns the result of an override of a composite, or ABSENT if none or if it wants the calls inside."""
    modes = current()
    overrides = modes.function_modes[-1:] or [type(x) for x in _takers(arguments)]
    if any([hasattr(x, "_looks_inside") and x._looks_inside(op) for x in overrides]):
        return ABSENT
    return overridden(op, arguments, modes, keywords if out is None else {**keywords, "out": out})


def may_be_taken(arguments: tuple, mode) -> bool:
    """Whether a mode or the class of an argument may override a call; False for numbers and plain tensors."""
    return not PLAIN_ARGUMENTS.issuperset(map(type, arguments)) or (type(mode) is Modes and mode.observed)


def offered(function, *arguments, **keywords):
    """Returns the result of an override of a function written by hand, or ABSENT."""
    taken = overridden(SimpleNamespace(function=function), arguments, current(), keywords)
    return CLASSES.offer(function, arguments, keywords) if taken is ABSENT and ENTERED else taken


def overridable(function: F) -> F:
    """Decorates a function written by hand: offers its calls to modes and to the class of its first argument."""

    @wraps(function)
    def offering(*arguments, **keywords):
        if type(get_mode()) is Modes or (arguments and type(arguments[0]) not in PLAIN_TYPES):
            result = offered(offering, *arguments, **keywords)
            if result is not ABSENT:
                return result
        return function(*arguments, **keywords)

    return offering  # type: ignore[return-value]


def written(op, arguments, keywords) -> tuple[tuple, dict]:
    """Returns the arguments as a program would write them: without those left at their defaults."""
    declared, named = getattr(op, "arguments", ()), dict(keywords or {})
    if declared and not any(argument.role == VARIADIC for argument in declared):
        changed = [(x, value) for x, value in zip(declared, arguments, strict=False) if not same(value, x.default)]
        pairs = zip(declared, changed, strict=False)
        count = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1][0] and not pair[0].keyword_only, pairs))
        arguments = tuple(value for _, value in changed[:count])
        named |= {argument.name: value for argument, value in changed[count:]}
    defaults = {argument.name: argument.default for argument in declared}
    return arguments, {name: value for name, value in named.items() if not same(value, defaults.get(name, ABSENT))}


def same(value, default) -> bool:
    """Whether an argument is the default, or a number or text equal to it."""
    if value is default:
        return True
    return type(value) is type(default) and type(value) in (float, str, tuple) and value == default


def class_overrides(kind: type) -> bool:
    """Returns whether a class overrides calls: Tensor does, Parameter does not."""
    method = getattr(kind, "__torch_function__", None)
    return method is not None and method is not NEVER


def insert_before_bases(values: list, value, get_type=type) -> None:
    """Inserts a value of a new type before the first value whose class is a base of its class."""
    kind = get_type(value)
    if not any(get_type(other) is kind for other in values):
        position = next((i for i, other in enumerate(values) if issubclass(kind, get_type(other))), len(values))
        values.insert(position, value)


def _takers(arguments) -> list:
    """Returns the arguments whose class overrides calls, subclasses before their bases."""
    takers: list = []
    for value in _flat(arguments):
        cls = type(value)
        if cls not in PLAIN_TYPES and class_overrides(cls) and not isinstance(value, type):
            insert_before_bases(takers, value)
    return takers


def _flat(arguments):
    for value in arguments:
        if type(value) in (list, tuple):
            yield from value
        else:
            yield value


def _by_subclass(op, takers, arguments, keywords, modes=()):
    function, types = op.function, tuple(type(value) for value in takers)
    for value in takers:
        handler = value.__torch_function__
        if getattr(handler, "__self__", None) is value:
            warn_of_plain_method(op)
        result = handler(function, types, arguments, keywords)
        if result is not NotImplemented:
            return result
    listed = [f"  - mode object {mode}\n" for mode in modes] + [f"  - tensor subclass {cls}\n" for cls in types]
    raise TypeError(
        f"Multiple dispatch failed for 'torch.{function.__name__}'; all __torch_function__ handlers "
        f"returned NotImplemented:\n\n{''.join(listed)}"
    )


def warn_of_plain_method(op) -> None:
    """Warns that an override is no classmethod: once for functions that PyTorch writes in C++, always for others."""
    spaces = getattr(op, "spaces", SPACES)
    if SPACES.isdisjoint(spaces):
        warnings.warn(PLAIN_METHOD.format(""), DeprecationWarning, stacklevel=5)
    else:
        warn_once(PLAIN_METHOD.format("`"))


def _by_mode(op, takers, arguments, keywords, modes):
    innermost = modes.function_modes[-1]
    token = change(function_modes=modes.function_modes[:-1])
    try:
        types = tuple(type(value) for value in takers)
        return innermost.__torch_function__(op.function, types, arguments, keywords)
    finally:
        MODE.reset(token)
