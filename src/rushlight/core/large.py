"""When a program has arrays that are worth what is only worth its price for large ones: machine code.

One large array is, and so are many of medium size: bringing the compiler in takes 0.1 seconds, and a program wins back
some twenty nanoseconds for each element of such arrays that it makes. Seen are arrays that are made, gradients that
arrive, what is added up, and the windows of convolutions; each stands for the handful of steps that are done with an
array. Smaller ones are not counted, so that they pay nothing for what others gain.
"""

from __future__ import annotations

from collections.abc import Callable

LARGE = 1 << 15  # elements
MEDIUM = 1 << 10
WORTH = 1 << 23  # elements in arrays of medium size

WAITING: list[Callable[[], None]] = []


class Seen:
    """How many elements there have been in arrays of medium size, as long as somebody waits."""

    def __init__(self):
        self.elements = 0


SEEN = Seen()


def notice(size: int = LARGE) -> None:
    """An array of that size, at least MEDIUM, has been seen: calls everybody who waits, once, if that is enough."""
    if size < LARGE:
        SEEN.elements += size
        if SEEN.elements < WORTH:
            return
    while WAITING:
        WAITING.pop()()
