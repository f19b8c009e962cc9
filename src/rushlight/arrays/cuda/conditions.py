"""Conditions on numbers of a GPU that a formula checks, such as indices in range: to look at one is to wait."""

from __future__ import annotations

from typing import Any

from rushlight.core.device import CAPTURING


def is_deferred() -> bool:
    """Whether this thread's work is captured, and so not computed yet."""
    return bool(CAPTURING) and not CAPTURING[-1].at_once and CAPTURING[-1].is_on


def holds(condition: Any, words: str) -> bool:
    """Whether a condition holds.

    In a capture it is assumed to: each replay checks it, and IndexError with these words is raised when the program
    next waits for the GPU.
    """
    if not is_deferred():
        return bool(condition)
    CAPTURING[-1].checks(condition, IndexError(words))
    return True
