"""The protocol `__torch_function__` as programs use it: modes, the question whether a call is overridden, and the call.

`override.py` asks on behalf of the operators; functions that a program writes itself ask here.
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
from rushlight.dispatch.override import class_overrides, insert_before_bases, observe_constructors


class Disabling:
    """A context inside which calls are not overridden."""

    def __init__(self):
        self._tokens: list = []

    def __enter__(self) -> None:
        self._tokens.append(change(**self._fields))

    def __exit__(self, *exception) -> None:
        MODE.reset(self._tokens.pop())

    _fields: dict[str, Any] = {}


class DisableTorchFunctionSubclass(Disabling):
    """Inside, subclasses of Tensor do not override calls, and results are plain tensors. Modes go on."""

    __module__ = "torch._C"
    _fields = {"subclass_disabled": True}


class DisableTorchFunction(Disabling):
    """Inside, neither subclasses of Tensor nor modes override calls."""

    __module__ = "torch._C"
    _fields = {"subclass_disabled": True, "modes_disabled": True}


class TorchFunctionMode:
    """Sees every call of an operator in a `with` block: `__torch_function__(func, types, args, kwargs)`.

    Inside that method the mode is off, so that it may call `func`; the modes around it see that call.

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
        """The mode itself. Deprecated: `with Mode()` is enough."""
        words = "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`"
        warnings.warn(words, stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that lets every call pass."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        return func(*args, **(kwargs or {}))


def mode_stack() -> list:
    """The modes that see calls, outermost first."""
    modes = current()
    return [] if modes.modes_disabled else list(modes.function_modes)


@contextmanager
def without_innermost() -> Iterator[Any]:
    """Switches the innermost mode off for a block, and gives it."""
    modes = current().function_modes
    token = change(function_modes=modes[:-1])
    try:
        yield modes[-1]
    finally:
        MODE.reset(token)


def overloaded_args(relevant_args, get_type: Callable = type) -> list:
    """The arguments whose types override calls, one of each type, subclasses before their bases."""
    found: list = []
    if not current().subclass_disabled:
        for each in relevant_args:
            if class_overrides(get_type(each)):
                insert_before_bases(found, each, get_type)
    return found


def has_torch_function(relevant_args) -> bool:
    """Whether a mode is active, or one of the arguments is of a class that overrides calls; a plain tensor is not.

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
    return any(type(each) is not Tensor and class_overrides(type(each)) for each in relevant_args)


def has_torch_function_unary(argument) -> bool:
    """`has_torch_function` of one argument."""
    return has_torch_function((argument,))


def has_torch_function_variadic(*arguments) -> bool:
    """`has_torch_function` of the arguments of this call."""
    return has_torch_function(arguments)


def handle_torch_function(public_api: Callable, relevant_args, *args, **kwargs) -> Any:
    """What the innermost mode, or else the classes of `relevant_args`, make of the call `public_api(*args, **kwargs)`.

    Raises TypeError if none of them takes it.
    """
    takers = overloaded_args(relevant_args)
    types = tuple(map(type, takers))
    modes = mode_stack()
    if modes:
        with without_innermost() as mode:
            result = mode.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    for each in takers:
        result = each.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    words = f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}"
    raise TypeError(words + (f" nor in mode {modes[-1]}" if modes else ""))


def wrap_torch_function(dispatcher: Callable) -> Callable:
    """Lets a function be overridden; `dispatcher` is called as it is and returns the arguments that may do so."""

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
    """Calls `func` without overriding this one call; what happens inside it is overridden again.

    For a `__torch_function__` that wants to see the operators of which a function is made.
    """
    token = change(once=Once())
    try:
        return func(*args, **(kwargs or {}))
    finally:
        MODE.reset(token)


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a tensor, or its class has `__torch_function__`."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")
