"""Numbers that stand for sizes which are not known yet: `torch.SymInt` and its like.

There are none here, shapes are ints. Programs ask for the classes by `isinstance`, and call the functions with plain
numbers too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NoReturn

__all__ = [
    "SymBool", "SymFloat", "SymInt", "sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt",
    "sym_sum",
]  # fmt: skip


class _Symbolic:
    """A class of which there are no objects."""

    def __new__(cls, *node: object) -> NoReturn:
        raise TypeError(f"rushlight has no symbolic numbers: torch.{cls.__name__} cannot be made, shapes are ints")


class SymInt(_Symbolic):
    """An int that is not known yet."""

    __module__ = "torch"


class SymFloat(_Symbolic):
    """A float that is not known yet."""

    __module__ = "torch"


class SymBool(_Symbolic):
    """A bool that is not known yet."""

    __module__ = "torch"


def sym_int(a: Any) -> int:
    """The whole part of a number.

    >>> sym_int(-3.7)
    -3
    """
    return math.trunc(a)


def sym_float(a: Any) -> float:
    """The number as a float."""
    return float(a)


def sym_max(a: Any, b: Any) -> Any:
    """The larger of two numbers, a float if one of them is.

    >>> sym_max(3, 2.0)
    3.0
    """
    return _of_both(max(a, b), a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers, a float if one of them is."""
    return _of_both(min(a, b), a, b)


def _of_both(chosen: Any, a: Any, b: Any) -> Any:
    return float(chosen) if isinstance(a, float) or isinstance(b, float) else chosen


def sym_not(a: Any) -> bool:
    """Whether it is false."""
    return not a


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """`t` if `b`, else `f`. Raises AssertionError where `b` is no bool, or the others are not of one type."""
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def sym_sqrt(a: Any) -> float:
    """The square root of a number."""
    return math.sqrt(a)


def sym_sum(args: Iterable[Any]) -> Any:
    """The sum of numbers."""
    return sum(args)
