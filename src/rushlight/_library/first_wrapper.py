"""`Tensor._make_wrapper_subclass` and `Tensor.__torch_dispatch__`: what is there before a program makes a wrapper.

`wrappers.py` and `wrapper_calls.py`, which do the work, are imported then.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.core.traced import CLASSES
from rushlight.dispatch.override import ABSENT


def disabled(func: Callable[..., Any], types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    """Calls an operator as for plain tensors: the `__torch_dispatch__` of Tensor."""
    return func(*args, **(kwargs or {}))


def make_wrapper_subclass(cls: type, *arguments: Any, **keywords: Any) -> Tensor:
    """Returns a tensor without elements of a class that computes what is called on it; see `wrappers.py`."""
    return import_module("rushlight._library.wrappers").make_wrapper_subclass(cls, *arguments, **keywords)


def none_yet(function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """Offers a call to no class, while there are no wrappers."""
    return ABSENT


def attach() -> None:
    """Gives Tensor both; called once by the package root."""
    CLASSES.offer = none_yet
    for name, function in (("_make_wrapper_subclass", make_wrapper_subclass), ("__torch_dispatch__", disabled)):
        setattr(Tensor, name, staticmethod(function))
