"""Exceptions that PyTorch has beside Python's own, and what an exception knows of what it is about."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any


class _LinAlgError(RuntimeError):
    """A matrix has no inverse, no factorization, or no solution: `torch.linalg.LinAlgError`."""


# The class has the name that PyTorch's has, which tracebacks show.
LinAlgError = _LinAlgError


class AcceleratorError(RuntimeError):
    """A GPU has failed. Nothing raises it here; programs catch it."""

    __module__ = "torch"


class OutOfMemoryError(RuntimeError):
    """The memory of a GPU is full. Nothing raises it here; programs catch it."""

    __module__ = "torch"


def noted(error: Exception, note: str) -> Any:
    """The exception with our words below PyTorch's.

    `raise noted(error, note)` needs no name for it: a local that holds a raised exception keeps itself alive through
    the traceback, and with it every tensor of the frame.
    """
    error.add_note(note)
    return error


# A class knows its name without its module, a type that is written in C with it, as these are in PyTorch.
WRITTEN_IN_PYTHON = 1 << 9
WRITTEN_IN_C = frozenset(("torch.Size", "torch.device", "torch.dtype"))


def type_name(value) -> str:
    """What PyTorch calls the type of an argument."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__name__}".removeprefix("builtins.")
    return kind.__name__ if kind.__flags__ & WRITTEN_IN_PYTHON and name not in WRITTEN_IN_C else name


def no_dim(name: str, dim, rank: int) -> Exception:
    """What a function that takes one dimension raises for another value, or for one that there is not."""
    try:
        index(dim)
    except TypeError:
        return TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type_name(dim)}")
    if not rank:
        return IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return out_of_range(dim, rank)


def out_of_range(dim, rank: int) -> IndexError:
    """There is no such dimension; a tensor without any is taken for one of one."""
    rank = rank or 1
    return IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")


class About:
    """What a failure was about, for whoever explains it: its kind, and the objects that it happened to.

    A copy or a pickle of the exception leaves the objects behind.
    """

    def __init__(self, kind: str, facts: dict | None = None):
        self.kind, self.facts = kind, facts or {}

    def __reduce__(self):
        return About, (self.kind,)


class Teller:
    """Who can say more about a failure than its usual note: `explain`, which the root registers, where lines are noted.

    `operands` says whether it knows where the operands of any operation came from: only if lines are recorded.
    """

    def __init__(self):
        self.tell: Callable[[About], str] | None = None
        self.operands = False


TELLER = Teller()


def about(error: Exception, kind: str, note: str = "", **facts) -> Any:
    """The exception, with what it is about, and with a note: the teller's if there is one, else `note`."""
    error.about = found = About(kind, facts)  # type: ignore[attr-defined]
    told = TELLER.tell(found) if TELLER.tell is not None else ""
    if told or note:
        error.add_note(told or note)
    return error


def is_about(error: Exception, kind: str) -> bool:
    """Whether an exception has been said to be about a kind of failure."""
    found = getattr(error, "about", None)
    return isinstance(found, About) and found.kind == kind
