"""`torch.jit`: the marks of its compiler in programs. Functions and modules run as the Python that they are.

https://docs.pytorch.org/docs/stable/jit.html
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final

__all__ = [
    "Final", "annotate", "export", "ignore", "is_scripting", "is_tracing", "script", "script_if_tracing", "unused",
]  # fmt: skip

DEPRECATED = "`torch.jit.script` is deprecated. Please switch to `torch.compile` or `torch.export`."


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """The function, class or module itself. PyTorch advises `torch.compile`, and warns."""
    warnings.warn(DEPRECATED, DeprecationWarning, stacklevel=1)
    return obj


def script_if_tracing(fn: Callable) -> Callable:
    """The function itself."""
    return fn


def export(fn: Callable) -> Callable:
    """The function itself."""
    return fn


def unused(fn: Any) -> Any:
    """The function itself."""
    return fn


def ignore(drop: bool | Callable = False, **kwargs: Any) -> Callable:
    """The function itself; without one, a decorator that returns it."""
    if callable(drop):
        return drop
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return unused


def is_scripting() -> bool:
    """Whether the compiler of `torch.jit` reads this function: never."""
    return False


def is_tracing() -> bool:
    """Whether a trace is recorded: never."""
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value itself."""
    return the_value
