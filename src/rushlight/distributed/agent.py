"""The launcher's agent on one machine: starts its ranks, watches them, and starts all again if one fails.

The agent of the first machine serves the store at which the ranks and the other agents meet.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rushlight.distributed.errors import DistNetworkError, DistStoreError
from rushlight.distributed.meeting import Meeting, Place
from rushlight.distributed.stores import TCPStore
from rushlight.distributed.workers import ChildFailedError, Failure, Settings, Workers, name_of

__all__ = ["Agent", "Interrupted"]

MONITORING = 0.05  # seconds between two looks at the ranks
HEARING = 0.5  # seconds between two looks at what other machines say
ENDING = 30.0  # seconds that ranks have to end after SIGTERM


class Interrupted(Exception):
    """A signal has reached the launcher."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Agent:
    """Runs a job on this machine, up to its end on all machines."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.job = settings.job or uuid.uuid4().hex[:12]
        with handled_signals():
            self.meeting = Meeting(settings)
        self.heard = 0.0
        self.failures = tempfile.TemporaryDirectory(prefix="rushlight-run-")

    def run(self, afterwards: Callable[[TCPStore, Place], None] | None = None) -> None:
        """Runs the job. Raises ChildFailedError if a rank has failed once more than it may, JobOver if the job has
        ended while this machine waited to take part.

        `afterwards` is called when the ranks of this machine have ended, with a store that is still served.
        """
        why, place = "", None
        try:
            place = self.next(0)
            while (ending := self.once(place)) is not None:
                if isinstance(ending, ChildFailedError) and place.restarts >= self.settings.restarts:
                    raise ending
                words = ending.first if isinstance(ending, ChildFailedError) else ending
                print(f"torchrun: {words}; all ranks start again", file=sys.stderr, flush=True)
                place = self.next(place.restarts + isinstance(ending, ChildFailedError))
        except (ChildFailedError, DistStoreError, Interrupted) as error:
            why = str(error)
            raise
        finally:
            try:
                if afterwards is not None and place is not None:
                    afterwards(self.meeting.store, place)
            finally:
                with suppress(DistNetworkError):  # the first machine has gone
                    self.meeting.leave(why)

    def next(self, restarts: int) -> Place:
        """Waits for the next start. Raises ChildFailedError if the first machine has gone."""
        try:
            with handled_signals():
                return self.meeting.next(restarts)
        except DistNetworkError as error:
            raise self.gone(error) from None

    def gone(self, error: DistNetworkError) -> ChildFailedError:
        """Returns the failure for a first machine that has gone: nothing can start again without it."""
        return ChildFailedError(name_of(self.settings.command), [Failure.elsewhere(str(error))])

    def once(self, place: Place) -> ChildFailedError | str | None:
        """Runs all ranks of this machine to their end; returns the failure of the first that failed, or why all start
        again without a failure, or None. Raises ChildFailedError if the first machine has gone.
        """
        workers = Workers(self.settings, [self.variables(place, k) for k in range(self.settings.processes)])
        elsewhere = again = ""
        try:
            with handled_signals():
                while workers.running() and workers.failed() is None and not self.is_over(place):
                    time.sleep(MONITORING)
                if (failure := workers.failed()) is not None:
                    self.meeting.fail(str(failure))
                elif not any(self.meeting.news()):
                    self.meeting.end()
                    while not self.meeting.ended() and not self.is_over(place):
                        time.sleep(MONITORING)
                elsewhere, again = ("", "") if self.meeting.ended() else self.meeting.news()
        except DistNetworkError as error:
            raise self.gone(error) from None
        finally:
            workers.end(ENDING)
        if workers.failed() is not None:
            return ChildFailedError(workers.name, workers.failures())
        return ChildFailedError(workers.name, [Failure.elsewhere(elsewhere)]) if elsewhere else again or None

    def is_over(self, place: Place) -> bool:
        """Whether the round has ended on another machine, where this one looks now and then."""
        if self.settings.machines == 1 or time.monotonic() < self.heard + HEARING:
            return False
        self.heard = time.monotonic()
        return any(self.meeting.news())

    def variables(self, place: Place, local: int) -> dict[str, str]:
        """Returns what the environment of one rank has in addition."""
        settings, rank = self.settings, place.first + local
        threads = {} if settings.processes == 1 or "OMP_NUM_THREADS" in os.environ else {"OMP_NUM_THREADS": "1"}
        file = os.path.join(self.failures.name, f"{place.round}-{local}.json")
        numbers = {
            "RANK": rank, "LOCAL_RANK": local, "WORLD_SIZE": place.ranks, "LOCAL_WORLD_SIZE": settings.processes,
            "GROUP_RANK": place.machine, "GROUP_WORLD_SIZE": place.machines, "ROLE_RANK": rank,
            "ROLE_WORLD_SIZE": place.ranks, "MASTER_PORT": self.meeting.store.port,
            "TORCHELASTIC_RESTART_COUNT": place.restarts, "TORCHELASTIC_MAX_RESTARTS": settings.restarts,
            "RUSHLIGHT_ROUND": place.round,
        }  # fmt: skip
        texts = {
            "MASTER_ADDR": settings.host, "ROLE_NAME": settings.role, "TORCHELASTIC_RUN_ID": self.job,
            "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_ERROR_FILE": file,
        }  # fmt: skip
        return threads | {name: str(value) for name, value in numbers.items()} | texts | settings.environment


class handled_signals:
    """Raises Interrupted for SIGINT and SIGTERM within the block."""

    def __enter__(self) -> None:
        def interrupt(number: int, frame: Any) -> None:
            raise Interrupted(number)

        self.before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}

    def __exit__(self, *error: Any) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)
