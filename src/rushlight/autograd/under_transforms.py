"""Whether code runs inside a function that a transform is applied to, and what is refused there."""

from __future__ import annotations

from contextvars import ContextVar

from rushlight.core.traced import STACK

REVERSE: ContextVar[int] = ContextVar("rushlight.reverse", default=0)  # how many `grad` or `vjp` are under way


def is_transformed() -> bool:
    """Whether a transform is under way in this thread."""
    return REVERSE.get() > 0 or bool(STACK.get())
