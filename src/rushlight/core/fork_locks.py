"""Locks and forks: a child has the locks of all threads of its parent, but only one of the threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


def in_every_child(renew: Callable[[], None]) -> None:
    """Calls `renew` in every process that is forked from this one: a lock may be held for ever there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew)


class LockOfProcess:
    """A lock that lives as long as the process, and is a new one in a forked child."""

    __slots__ = ("lock",)

    def __init__(self):
        self.renew()
        in_every_child(self.renew)

    def renew(self) -> None:
        """Another lock, which nobody holds."""
        self.lock = threading.Lock()


class LockAcrossForks:
    """A lock that one thread may take several times, and that a fork waits for.

    What it guards is whole in a forked child, where the thread that was at work on it would never come to an end.
    """

    __slots__ = ("lock",)

    def __init__(self):
        self.lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            release = self.lock.release
            os.register_at_fork(before=self.lock.acquire, after_in_parent=release, after_in_child=release)

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *_) -> None:
        self.lock.release()
