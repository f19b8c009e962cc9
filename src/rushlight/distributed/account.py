"""What a group has done: counted for `rushlight.explain(group)`, and logged under the name `distributed`.

`RUSHLIGHT_LOGS=distributed` shows groups and failures, `RUSHLIGHT_LOGS=+distributed` every call with its time.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from rushlight._logging import PARTS
from rushlight.distributed.calls import Calls

__all__ = ["LOGGER", "Account"]

LOGGER = logging.getLogger(PARTS["distributed"])


class Account:
    """The calls of a group so far, by name: how many, their bytes, and the seconds from their start to their end."""

    def __init__(self) -> None:
        self.totals: dict[str, list] = {}

    def add(self, name: str, size: int, began: float) -> float:
        """Counts a call that has ended; returns its seconds."""
        seconds = time.perf_counter() - began
        total = self.totals.get(name)
        if total is None:
            total = self.totals[name] = [0, 0, 0.0]
        total[0] += 1
        total[1] += size
        total[2] += seconds
        return seconds


def explained(group: Any, under_way: list) -> tuple[str, dict, list]:
    """Returns an explanation of a group as (title, facts, [(heading, sentences)])."""
    world, calls = group.world, group.world.calls
    size, rank = len(group.ranks), group.mine
    title = f"This is a process group of {size} ranks, and this process is rank {rank} of it."
    facts = {
        "kind": "process group", "ranks": group.ranks, "rank": rank, "backend": group.backend,
        "calls": {name: tuple(total) for name, total in group.account.totals.items()}, "failure": world.failure,
        "under_way": [work.name for work in under_way],
    }  # fmt: skip
    parts = [
        ("backend", [f'"{group.backend}" was asked for; MPI carries the data.']),
        ("ranks", [world.who(each) for each in group.ranks]),
        ("timeout", [f"A call raises after {group.timeout.total_seconds():.0f} s."]),
        ("calls", [in_words(name, *total) for name, total in sorted(group.account.totals.items())] or ["None so far."]),
        ("last", [last_of(calls, each, group.number) for each in group.ranks]),
    ]
    if under_way:
        parts.append(("under way", [work.describe() for work in under_way]))
    if world.failure:
        parts.append(("failed", [f"{world.failure}.", "No call can succeed any more: end this process."]))
    return title, facts, parts


def in_words(name: str, count: int, size: int, seconds: float) -> str:
    """Returns what was counted of one kind of call."""
    return f"{name}: {count} times, {size:,} bytes, {1e3 * seconds:.1f} ms from start to end."


def last_of(calls: Calls, rank: int, number: int) -> str:
    """Returns the last call of a rank in words."""
    if rank not in calls.start:
        return f"rank {rank} is on another machine, which shares no memory with this one."
    last = calls.last(rank, number)
    return f"rank {rank}: #{last.sequence} {last}" if last else f"rank {rank} has made none."
