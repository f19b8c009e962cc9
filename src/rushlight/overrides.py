"""`torch.overrides`: functions and classes that intercept calls of operators.

https://docs.pytorch.org/docs/stable/torch.overrides.html
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any

from rushlight import fft, functional, linalg, special
from rushlight._generated import names_of_torch
from rushlight.core.modes import MODE, change
from rushlight.core.tensor import UNWRAPPED, Tensor
from rushlight.dispatch.methods import code_of
from rushlight.dispatch.torch_function import (
    BaseTorchFunctionMode,
    TorchFunctionMode,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
    is_tensor_like,
    mode_stack,
    overloaded_args,
    redispatch_function,
    without_innermost,
    wrap_torch_function,
)  # fmt: skip
from rushlight.nn import functional as nn_functional

__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "enable_reentrant_dispatch", "get_ignored_functions",
    "get_overridable_functions", "get_testing_overrides", "handle_torch_function", "has_torch_function",
    "has_torch_function_unary", "has_torch_function_variadic", "is_tensor_like", "is_tensor_method_or_property",
    "redispatch_function", "resolve_name", "wrap_torch_function",
]  # fmt: skip

_get_overloaded_args, _pop_mode_temporarily = overloaded_args, without_innermost
_get_current_function_mode_stack = mode_stack
ROOT = __name__.partition(".")[0]
GENERATED = os.path.dirname(names_of_torch.__file__)


def _get_current_function_mode() -> Any:
    """Returns the innermost mode; None if there is none."""
    return mode_stack()[-1] if mode_stack() else None


@contextmanager
def _enable_torch_function() -> Iterator[None]:
    """Enables overrides again, inside a block that disabled them."""
    token = change(subclass_disabled=False, modes_disabled=False)
    try:
        yield
    finally:
        MODE.reset(token)


@contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """A block in which operators are dispatched again; here they always are."""
    yield


def get_default_nowrap_functions() -> set[Callable]:
    """Returns the attribute getters whose results keep their class when a subclass wraps results."""
    return set(UNWRAPPED)


@cache
def _functions() -> dict[Any, dict[str, FunctionType]]:
    """Returns the public functions and methods by module or class, each once."""
    modules: dict[Any, set[str]] = {
        sys.modules[ROOT]: {*vars(names_of_torch), *vars(sys.modules[ROOT]), *names_of_torch.LATER}
        - {*functional.__all__},
        functional: {*functional.__all__},
        nn_functional: {*vars(nn_functional)},
        Tensor: {*dir(Tensor)} - {*dir(object)},
        **{module: {*vars(module)} for module in (linalg, fft, special)},
    }
    functions = {}
    for place, names in modules.items():
        public = sorted(name for name in names if not name.startswith("_") or place is Tensor)
        every = {name: getattr(place, name, None) for name in public}
        functions[place] = {name: value for name, value in every.items() if isinstance(value, FunctionType)}
    return functions


def _can_be_overridden(function: FunctionType) -> bool:
    """Whether a function can be overridden: generated ones, and those marked so."""
    return os.path.dirname(code_of(function).co_filename) == GENERATED or hasattr(function, "__wrapped__")


def get_overridable_functions() -> dict[Any, list[Callable]]:
    """Returns the functions that can be overridden, by module or class."""
    return {place: [x for x in named.values() if _can_be_overridden(x)] for place, named in _functions().items()}


def get_ignored_functions() -> set[Callable]:
    """Returns public functions that cannot be overridden: most constructors, queries and switches."""
    return {x for named in _functions().values() for x in named.values() if not _can_be_overridden(x)}


def get_testing_overrides() -> dict[Callable, Callable]:
    """Maps each function that can be overridden to one with the same signature that returns -1."""
    every = [function for functions in get_overridable_functions().values() for function in functions]
    return {function: _dummy(function) for function in every}


def _dummy(function: Callable) -> Callable:
    def dummy(*args, **kwargs):
        signature.bind(*args, **kwargs)
        return -1

    signature = inspect.signature(function)
    dummy.__signature__ = signature  # type: ignore[attr-defined]
    return dummy


@cache
def _names() -> dict[Callable, str]:
    named: dict[Callable, str] = {}
    for place, functions in _functions().items():
        where = "torch.Tensor" if place is Tensor else "torch" + place.__name__.removeprefix(ROOT).removeprefix("torch")
        named |= {function: f"{where}.{name}" for name, function in functions.items()}
    return named


def resolve_name(f: Callable) -> str | None:
    """Returns the name of a function that `__torch_function__` gets; None if it has none.

    >>> import rushlight as torch
    >>> resolve_name(torch.Tensor.add), resolve_name(torch.nn.functional.gelu)
    ('torch.Tensor.add', 'torch.nn.functional.gelu')
    """
    return _names().get(f)


def is_tensor_method_or_property(func: Callable) -> bool:
    """Whether a function is a method of Tensor, or the getter of an attribute.

    >>> import rushlight as torch
    >>> is_tensor_method_or_property(torch.Tensor.add), is_tensor_method_or_property(torch.add)
    (True, False)
    """
    return func in _functions()[Tensor].values() or func.__name__ == "__get__"
