"""`torch._jit_internal`: marks for TorchScript, which have no effect here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final

from rushlight.jit import _overload as _overload
from rushlight.jit import _overload_method as _overload_method
from rushlight.jit import export, ignore, is_scripting, unused

__all__ = ["Final", "boolean_dispatch", "export", "ignore", "is_scripting", "unused"]


def _copy_to_script_wrapper(fn: Callable) -> Callable:
    """Returns the function unchanged."""
    return fn


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable,
    if_false: Callable,
    module_name: str,
    func_name: str,
) -> Callable:
    """Returns a function that calls one of two, by the value of one bool argument."""

    @wraps(if_true)
    def either(*args, **kwargs):
        choice = args[arg_index] if arg_index < len(args) else kwargs.get(arg_name, default)
        return (if_true if choice else if_false)(*args, **kwargs)

    either.__name__, either.__module__ = func_name or either.__name__, module_name or either.__module__
    return either
