"""Locks that survive a fork: a child copies all locks of its parent, but only one of its threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


def in_every_child(renew: Callable[[], None]) -> None:
    """Calls `renew` in every forked child, where a lock may otherwise stay locked forever."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew)


class LockOfProcess:
    """A lock that is replaced by a new one in a forked child."""

    __slots__ = ("lock",)

    def __init__(self):
        self.renew()
        in_every_child(self.renew)

    def renew(self) -> None:
        """Replaces the lock with an unlocked one."""
        self.lock = threading.Lock()


class LockAcrossForks:
    """A reentrant lock that a fork waits for.

    The data it protects is consistent in a forked child, where a thread in the middle of a change would not continue.
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
