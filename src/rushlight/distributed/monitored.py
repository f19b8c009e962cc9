"""A barrier that goes through the store of a group, and says who did not come."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from rushlight.distributed.errors import DistStoreError

__all__ = ["wait_for_all"]


def wait_for_all(group: Any, timeout: timedelta | None, wait_all_ranks: bool) -> None:
    """Waits until all ranks of a group have called it. Raises RuntimeError that names those that have not come."""
    seconds = (timeout or group.timeout).total_seconds()
    group.enter("monitored_barrier", "", ())
    store, name = group.store, f"monitored/{group.sequence}"
    if group.mine != 0:
        store.set(f"{name}/{group.mine}", b"")
        answer = f"{name}/answer"
        store.wait([answer], timedelta(seconds=seconds + 5))
        if words := store.get(answer).decode():
            raise RuntimeError(words)
        return
    missing = late_ranks(group, name, time.monotonic() + seconds, wait_all_ranks)
    milliseconds = round(seconds * 1000)
    words = ""
    if missing:
        ranks = f"Ranks {', '.join(map(str, missing))}" if wait_all_ranks else f"Rank {missing[0]}"
        words = f"{ranks} failed to pass monitoredBarrier in {milliseconds} ms"
    store.set(f"{name}/answer", words)
    if words:
        raise RuntimeError(f"{words}: {', '.join(group.world.who(group.ranks[rank]) for rank in missing)}")


def late_ranks(group: Any, name: str, deadline: float, all_of_them: bool) -> list[int]:
    """Returns the ranks of the group that have not come; one is enough unless all are wanted."""
    missing = []
    for rank in range(1, len(group.ranks)):
        try:
            left = timedelta(seconds=max(deadline - time.monotonic(), 0))
            group.store.wait([f"{name}/{rank}"], left)
        except DistStoreError:
            missing.append(rank)
            if not all_of_them:
                break
    return missing
