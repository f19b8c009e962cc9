"""A large reduction in pieces that fit the processor's cache: of 16 MB it takes a sixth of the time of one call of MPI.

MPI must see the calls of a group in the same order on all ranks. So while pieces are not started yet, the next call of
the group first starts all of them: the order does not depend on how fast a rank is.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["PIECE", "Pieces"]

PIECE = 1 << 20  # bytes
AT_ONCE = 2  # pieces that are under way


class Pieces:
    """A request of MPI that consists of many. `parts` starts the next one each time it is advanced."""

    def __init__(self, parts: Iterator[Any], started: Callable[[], None]) -> None:
        self.parts, self.started = parts, started
        self.turn = threading.RLock()
        self.under_way: deque[Any] = deque()
        for _ in range(AT_ONCE):
            self.start_one()

    def start_one(self) -> bool:
        """Starts the next piece; returns whether there was one."""
        request = next(self.parts, None)
        if request is None:
            self.started()
            return False
        self.under_way.append(request)
        return True

    def start_all(self) -> None:
        """Starts all pieces that are left."""
        with self.turn:
            while self.start_one():
                pass

    def Test(self) -> bool:
        """Moves data; returns whether all pieces are done."""
        if not self.turn.acquire(blocking=False):
            return False  # another thread does it
        try:
            while self.under_way:
                if not self.under_way[0].Test():
                    return False
                self.under_way.popleft()
                self.start_one()
            return True
        finally:
            self.turn.release()
