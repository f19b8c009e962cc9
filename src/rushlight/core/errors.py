"""Exceptions that PyTorch adds to Python's, and what an exception is about."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any


class _LinAlgError(RuntimeError):
    """A matrix has no inverse, no factorization, or no solution: `torch.linalg.LinAlgError`."""


# The class has the same name as PyTorch's, which tracebacks show.
LinAlgError = _LinAlgError


class AcceleratorError(RuntimeError):
    """A GPU has failed. Raised for a simulated GPU."""

    __module__ = "torch"


class OutOfMemoryError(RuntimeError):
    """The memory of a GPU is full. Raised for a simulated GPU."""

    __module__ = "torch"


def noted(error: Exception, note: str) -> Any:
    """Returns the exception with a note of ours below PyTorch's text.

    `raise noted(error, note)` needs no local variable: one that holds a raised exception keeps itself alive through the
    traceback, and with it every tensor of the frame.
    """
    error.add_note(note)
    return error


# PyTorch prints classes written in Python without their module, and types written in C, like these, with it.
WRITTEN_IN_PYTHON = 1 << 9
WRITTEN_IN_C = frozenset(("torch.Size", "torch.device", "torch.dtype"))


def type_name(value) -> str:
    """Returns the name that PyTorch's messages use for the type of an argument."""
    cls = type(value)
    name = f"{cls.__module__}.{cls.__name__}".removeprefix("builtins.")
    return cls.__name__ if cls.__flags__ & WRITTEN_IN_PYTHON and name not in WRITTEN_IN_C else name


def no_dim(name: str, dim, rank: int) -> Exception:
    """Returns the exception for a `dim` argument that is not an int or is out of range."""
    try:
        index(dim)
    except TypeError:
        return TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type_name(dim)}")
    if not rank:
        return IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return out_of_range(dim, rank)


def out_of_range(dim, rank: int) -> IndexError:
    """Returns the error for a missing dimension; a 0-d tensor counts as 1-d."""
    rank = rank or 1
    return IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")


class About:
    """What a failure is about, for `explain`: its kind and the objects involved.

    A copy or a pickle of the exception does not include the objects. `explained` is the note of the explainer, if any.
    """

    def __init__(self, kind: str, facts: dict | None = None):
        self.kind, self.facts, self.explained = kind, facts or {}, ""

    def __reduce__(self):
        return About, (self.kind,)


class Explainer:
    """Holds the function that explains failures in more detail, registered by the root if lines are recorded.

    `operands` says whether the origin of operands is available for all operations: only if lines are recorded.
    """

    def __init__(self):
        self.explain: Callable[[About], str] | None = None
        self.operands = False


EXPLAINER = Explainer()


def about(error: Exception, kind: str, note: str = "", **facts) -> Any:
    """Attaches to an exception what it is about, and a note: the explainer's if there is one, else `note`."""
    error.about = subject = About(kind, facts)  # type: ignore[attr-defined]
    explanation = subject.explained = EXPLAINER.explain(subject) if EXPLAINER.explain is not None else ""
    if explanation or note:
        error.add_note(explanation or note)
    return error


def is_about(error: Exception, kind: str) -> bool:
    """Whether an exception is about a certain kind of failure."""
    subject = getattr(error, "about", None)
    return isinstance(subject, About) and subject.kind == kind
