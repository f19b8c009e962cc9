"""`torch.SymInt` and functions of symbolic numbers. Without a tracing compiler, numbers are always Python numbers.

The classes exist for `isinstance(size, torch.SymInt)`; they have no instances.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

from rushlight.core.errors import noted


class Symbolic:
    """Base class of symbolic numbers. It has no instances."""

    __module__ = "torch"

    def __init__(self, node: Any) -> NoReturn:
        raise noted(
            NotImplementedError(f"rushlight has no symbolic numbers: torch.{type(self).__name__} cannot be made."),
            "Sizes and numbers of tensors are Python's: write the number itself.",
        )


class SymInt(Symbolic):
    """A symbolic integer. The class has no instances."""

    __module__ = "torch"


class SymFloat(Symbolic):
    """A symbolic float. The class has no instances."""

    __module__ = "torch"


class SymBool(Symbolic):
    """A symbolic bool. The class has no instances."""

    __module__ = "torch"


def sym_int(a):
    """Returns the number truncated to an int.

    >>> sym_int(-1.5), sym_int(True)
    (-1, 1)
    """
    return int(a)


def sym_float(a) -> float:
    """Returns the number as a float."""
    return float(a)


def sym_not(a) -> Any:
    """Returns the negation of a bool."""
    return not a


def sym_max(a, b):
    """Returns the larger of two numbers; a float if either is one.

    >>> sym_max(3, 2.0)
    3.0
    """
    return _widened(max, a, b)


def sym_min(a, b):
    """Returns the smaller of two numbers; a float if either is one."""
    return _widened(min, a, b)


def _widened(choose, a, b):
    types = {type(a), type(b)}
    if float in types and types <= {int, float, bool}:
        return choose(float(a), float(b))
    return choose(a, b)


def sym_sum(args):
    """Returns the sum of integers."""
    return sum(args)


def sym_ite(b, t, f):
    """Returns `t` if `b` is true, else `f`. Raises AssertionError if their types differ."""
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def sym_sqrt(a) -> float:
    """Returns the square root of a number."""
    return math.sqrt(a)
