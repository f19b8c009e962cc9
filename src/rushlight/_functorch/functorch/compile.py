"""`functorch.compile`: what compilers of graphs use to take their arguments as one list, and to leave a graph as it is.

The functions that trace a program into operators of ATen are not there: `torch.compile` and `torch.fx` have graphs of
the functions that the program calls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from rushlight._functorch import config as config

__all__ = ["config", "make_boxed_compiler", "make_boxed_func", "nop"]


def make_boxed_func(f: Callable[..., Any]) -> Callable[[list], Any]:
    """Returns a function of one list of arguments.

    >>> from rushlight._functorch.functorch.compile import make_boxed_func
    >>> make_boxed_func(max)([3, 5])
    5
    """

    @wraps(f)
    def boxed(args: list) -> Any:
        return f(*args)

    vars(boxed)["_boxed_call"] = True
    return boxed


def make_boxed_compiler(compiler: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a compiler whose functions take one list of arguments."""

    @wraps(compiler)
    def boxed(fx_g: Any, inps: Any) -> Any:
        return make_boxed_func(compiler(fx_g, inps))

    return boxed


@make_boxed_compiler
def nop(fx_g: Any, _: Any) -> Any:
    """Returns a graph as a function of one list: a compiler that changes nothing."""
    return fx_g
