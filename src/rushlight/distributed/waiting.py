"""How a rank waits: it never blocks in MPI, so that it hears of the others and of the clock."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from datetime import timedelta
from typing import Any

from rushlight.core.errors import noted
from rushlight.distributed.account import LOGGER
from rushlight.distributed.errors import DistBackendError

__all__ = ["pause_exactly", "wait"]

SPINNING = 1e-5  # seconds in which a call of a few bytes ends if the others are there
SHORTEST = 2e-5  # seconds of the first pause
YIELDING = 2e-3  # seconds in which the processor is offered to others between two tests, but not left
PER_BYTE = 4e-9  # seconds per byte that are added: MPI moves data only while it is tested
MOVING = 5e-6  # seconds that only a test takes which has moved data: it is tested again at once
CROWDED = 1e-4  # seconds that another process took: from then on pauses, after which a process is preferred
LONGEST = 1e-3  # seconds of a pause
LOOKING = 0.02  # seconds between two looks at what others do
POSTING = 1.0  # seconds until ranks on different machines compare their calls by the store, and between two times
IN_FLIGHT = 0.5  # seconds in which data of a rank that has left may still arrive
PR_SET_TIMERSLACK = 29  # of Linux's prctl


def pause_exactly() -> None:
    """Lets the pauses of this thread, and of those that it starts, end in time: Linux adds up to 50 us to each."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)


def wait(work: Any, timeout: timedelta) -> None:
    """Waits until a work is done that has been tested once.

    Raises RuntimeError if a rank has ended, if ranks have made different calls, or if the time is over.
    """
    start = now = time.perf_counter()
    spinning = start + SPINNING
    while now < spinning:
        if work.test():
            return
        now = time.perf_counter()
    seconds, yielding = timeout.total_seconds(), start + YIELDING + work.bytes * PER_BYTE
    looking, posting, pause = start + LOOKING, start + POSTING, SHORTEST
    news, grace = -1, 0.0
    while not work.test():
        before, now = now, time.perf_counter()
        if now - before > MOVING:
            pause = SHORTEST
        elif now < yielding:
            os.sched_yield()
            before, now = now, time.perf_counter()
            if now - before > CROWDED:
                yielding = now
        else:
            time.sleep(pause)
            pause = min(1.5 * pause, LONGEST)
            now = time.perf_counter()
        if work.world.line.news != news:
            news, grace = work.world.line.news, now + IN_FLIGHT
            look_for_the_lost(work)
        if now > looking:
            looking = now + LOOKING
            work.compare()
            if grace and now > grace:
                look_for_those_who_left(work)
            if now > posting:
                posting = now + POSTING
                work.compare_posted()
            if now > start + seconds:
                late(work, seconds)


def look_for_the_lost(work: Any) -> None:
    """Raises if a rank that the work needs has died, unless it is done nevertheless."""
    for rank, why in dict(work.world.line.lost).items():
        if (rank in work.needs or rank < 0) and not work.test():
            work.compare()
            raise failed(work, ended(work, rank, why), rank)


def look_for_those_who_left(work: Any) -> None:
    """Raises if a rank has left in peace without making the call, or if all that the work needs have left.

    A rank may leave as soon as its own part is done: of a reduce, or of what another receives from any rank.
    """
    left = [rank for rank in work.needs if rank in work.world.line.left]
    absent = [rank for rank in left if work.missing_at(rank)] or (left if len(left) == len(work.needs) else [])
    if absent and not work.test():
        work.compare()
        raise failed(work, f"{work.world.who(absent[0])} has left its process group", absent[0])


def ended(work: Any, rank: int, why: str) -> str:
    """Says what became of a rank."""
    if rank < 0:
        return why
    return f"{work.world.who(rank)} has {f'failed: {why}' if why else 'ended'}"


def late(work: Any, seconds: float) -> None:
    """Raises because the time is over; names who has not come."""
    behind = [rank for rank in work.needs if work.missing_at(rank)]
    who = f": {', '.join(map(work.world.who, behind))} did not come" if behind else ""
    raise failed(work, f"Timed out waiting {round(seconds * 1000)}ms for {work.name} to complete{who}", *behind[:1])


def failed(work: Any, words: str, *about: int) -> Exception:
    """Fails the world: what has been sent and received cannot be known any more."""
    error = DistBackendError(f"{words}; while {work.describe()} waited")
    work.world.fail(words)
    LOGGER.info("%s", error)
    for rank in about:
        if rank >= 0 and (call := work.world.calls.last(rank, work.group.number)) is not None:
            error.add_note(f"The last call of rank {rank} in this group: {call}")
    return noted(error, "The process group cannot be used any more. Other ranks that wait hear of it, too.")
