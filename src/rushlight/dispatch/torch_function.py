"""`torch.overrides`: modes, and the functions by which programs make their own functions overridable.

`override.py` does the same for operators.
https://docs.pytorch.org/docs/stable/torch.overrides.html
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from rushlight.core.modes import MODE, Once, change, current
from rushlight.core.tensor import Tensor
from rushlight.dispatch.override import PLAIN_METHOD, class_overrides, insert_before_bases, observe_constructors


class Disabling:
    """Base class of contexts inside which calls are not overridden."""

    def __init__(self):
        self._tokens: list = []

    def __enter__(self) -> None:
        self._tokens.append(change(**self._fields))

    def __exit__(self, *exception) -> None:
        MODE.reset(self._tokens.pop())

    _fields: dict[str, Any] = {}


class DisableTorchFunctionSubclass(Disabling):
    """Inside, subclasses of Tensor do not override calls, and results are plain tensors. Modes stay active."""

    __module__ = "torch._C"
    _fields = {"subclass_disabled": True}


class DisableTorchFunction(Disabling):
    """Inside, neither subclasses of Tensor nor modes override calls."""

    __module__ = "torch._C"
    _fields = {"subclass_disabled": True, "modes_disabled": True}


class TorchFunctionMode:
    """Sees every call of an operator in a `with` block: `__torch_function__(func, types, args, kwargs)`.

    Inside that method the mode is inactive, so it may call `func`; the enclosing modes see that call.

    >>> import rushlight as torch
    >>> class Log(torch.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Log():
    ...     _ = torch.add(torch.ones(2), 1)
    add
    """

    __module__ = "torch.overrides"
    inner: TorchFunctionMode

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def __enter__(self):
        observe_constructors("mode")
        change(function_modes=(*current().function_modes, self))
        return self

    def __exit__(self, *exception) -> None:
        change(function_modes=current().function_modes[:-1])

    @classmethod
    def push(cls, *args, **kwargs):
        """Returns the mode. Deprecated: write `with Mode()`."""
        words = "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`"
        warnings.warn(words, stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that runs every call unchanged."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        return func(*args, **(kwargs or {}))


def mode_stack() -> list:
    """Returns the active modes, outermost first."""
    modes = current()
    return [] if modes.modes_disabled else list(modes.function_modes)


@contextmanager
def without_innermost() -> Iterator[Any]:
    """Deactivates the innermost mode for a block, and yields it."""
    modes = current().function_modes
    token = change(function_modes=modes[:-1])
    try:
        yield modes[-1]
    finally:
        MODE.reset(token)


def overloaded_args(relevant_args, get_type: Callable = type) -> list:
    """Returns the arguments whose types override calls, one of each type, subclasses before their bases."""
    takers: list = []
    if not current().subclass_disabled:
        for value in relevant_args:
            if class_overrides(get_type(value)):
                insert_before_bases(takers, value, get_type)
    return takers


def has_torch_function(relevant_args) -> bool:
    """Returns whether a mode is active or the class of an argument overrides calls; plain tensors do not.

    >>> import rushlight as torch
    >>> torch.overrides.has_torch_function((torch.ones(1),))
    False
    """
    modes = current()
    if modes.once is not None and modes.once.take():
        return False
    if modes.function_modes and not modes.modes_disabled:
        return True
    if modes.subclass_disabled:
        return False
    return any(type(value) is not Tensor and class_overrides(type(value)) for value in relevant_args)


def has_torch_function_unary(argument) -> bool:
    """Returns `has_torch_function` of one argument."""
    return has_torch_function((argument,))


def has_torch_function_variadic(*arguments) -> bool:
    """Returns `has_torch_function` of the arguments of this call."""
    return has_torch_function(arguments)


def handle_torch_function(public_api: Callable, relevant_args, *args, **kwargs) -> Any:
    """Returns what the innermost mode, or else a class of `relevant_args`, returns for `public_api(*args, **kwargs)`.

    Raises TypeError if all return NotImplemented.
    """
    takers = overloaded_args(relevant_args)
    types = tuple(map(type, takers))
    modes = mode_stack()
    if modes:
        with without_innermost() as mode:
            result = mode.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    for taker in takers:
        handler = taker.__torch_function__
        if getattr(handler, "__self__", None) is taker:
            warnings.warn(PLAIN_METHOD.format(""), DeprecationWarning, stacklevel=2)
        result = handler(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    words = f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}"
    raise TypeError(words + (f" nor in mode {modes[-1]}" if modes else ""))


def wrap_torch_function(dispatcher: Callable) -> Callable:
    """Decorates a function so that it can be overridden; `dispatcher` returns the arguments that may override it."""

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def redispatch_function(func: Callable, types: tuple, args: tuple, kwargs: dict | None) -> Any:
    """Calls `func` without overriding this call; calls inside it are overridden again.

    For a `__torch_function__` that wants to see the operators inside a function.
    """
    token = change(once=Once())
    try:
        return func(*args, **(kwargs or {}))
    finally:
        MODE.reset(token)


def is_tensor_like(inp: Any) -> bool:
    """Returns whether an object is a tensor or its class has `__torch_function__`."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")
