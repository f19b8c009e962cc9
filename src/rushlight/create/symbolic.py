"""Numbers that may be symbolic in PyTorch, where a compiler traces a program: here they are always Python's.

The three classes are there because programs ask `isinstance(size, torch.SymInt)`; nothing makes an object of them.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

from rushlight.core.errors import noted


class Symbolic:
    """A number of which only a formula is known. There are none here."""

    __module__ = "torch"

    def __init__(self, node: Any) -> NoReturn:
        raise noted(
            NotImplementedError(f"rushlight has no symbolic numbers: torch.{type(self).__name__} cannot be made."),
            "Sizes and numbers of tensors are Python's: write the number itself.",
        )


class SymInt(Symbolic):
    """A whole number of which only a formula is known. There are none here."""

    __module__ = "torch"


class SymFloat(Symbolic):
    """A float of which only a formula is known. There are none here."""

    __module__ = "torch"


class SymBool(Symbolic):
    """A truth value of which only a formula is known. There are none here."""

    __module__ = "torch"


def sym_int(a):
    """The number without its fraction, as an int.

    >>> sym_int(-1.5), sym_int(True)
    (-1, 1)
    """
    return int(a)


def sym_float(a) -> float:
    """The number as a float."""
    return float(a)


def sym_not(a) -> Any:
    """The opposite of a truth value."""
    return not a


def sym_max(a, b):
    """The larger of two numbers; a float if either is one.

    >>> sym_max(3, 2.0)
    3.0
    """
    return _widened(max, a, b)


def sym_min(a, b):
    """The smaller of two numbers; a float if either is one."""
    return _widened(min, a, b)


def _widened(choose, a, b):
    kinds = {type(a), type(b)}
    if float in kinds and kinds <= {int, float, bool}:
        return choose(float(a), float(b))
    return choose(a, b)


def sym_sum(args):
    """The sum of some whole numbers."""
    return sum(args)


def sym_ite(b, t, f):
    """`t` where `b` holds, else `f`; both must be of one type."""
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def sym_sqrt(a) -> float:
    """The square root of a number."""
    return math.sqrt(a)
