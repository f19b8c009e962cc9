"""The first large array of a program, which what is only worth its price for large arrays waits for."""

from __future__ import annotations

from collections.abc import Callable

LARGE = 1 << 15  # elements

WAITING: list[Callable[[], None]] = []


def notice() -> None:
    """A large array has been seen: calls everybody who waits for that, once."""
    while WAITING:
        WAITING.pop()()
