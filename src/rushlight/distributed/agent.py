"""The launcher's agent on one machine: starts its ranks, watches them, and starts all again if one fails.

The agent of the first machine serves the store at which the ranks and the other agents meet.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from rushlight.distributed.errors import DistNetworkError
from rushlight.distributed.stores import TCPStore
from rushlight.distributed.workers import ChildFailedError, Failure, Settings, Workers

__all__ = ["Agent", "Interrupted"]

MONITORING = 0.05  # seconds between two looks at the ranks
HEARING = 0.5  # seconds between two looks at what other machines say
ENDING = 30.0  # seconds that ranks have to end after SIGTERM
LEAVING = 5.0  # seconds that the agents of other machines have to hear how the job has ended
MEETING = timedelta(minutes=10)  # that the agents of the other machines may be late
LOCAL = ("localhost", "127.0.0.1", "::1")


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
        serves = settings.machine == 0
        self.store = TCPStore(settings.host, settings.port, is_master=serves, timeout=MEETING)
        self.attempt = 0
        self.heard = 0.0
        self.failures = tempfile.TemporaryDirectory(prefix="rushlight-run-")

    def run(self, afterwards: Callable[[TCPStore], None] | None = None) -> None:
        """Runs the job. Raises ChildFailedError if a rank has failed once more than it may.

        `afterwards` is called when the ranks of this machine have ended, with a store that is still served.
        """
        first, total = self.place()
        try:
            while (failure := self.once(first, total)) is not None:
                if self.attempt >= self.settings.restarts:
                    raise failure
                print(f"torchrun: {failure.first}; all ranks start again", file=sys.stderr, flush=True)
                self.attempt += 1
        finally:
            try:
                if afterwards is not None:
                    afterwards(self.store)
            finally:
                self.leave()

    def place(self) -> tuple[int, int]:
        """Returns the first rank of this machine and the number of all, once all agents have said theirs."""
        counts = [f"agents/{k}" for k in range(self.settings.machines)]
        self.store.set(counts[self.settings.machine], str(self.settings.processes))
        numbers = [int(each) for each in self.store.multi_get(counts)]
        return sum(numbers[: self.settings.machine]), sum(numbers)

    def once(self, first: int, total: int) -> ChildFailedError | None:
        """Runs all ranks of this machine to their end; returns the failure of the first that failed, or None."""
        workers = Workers(self.settings, [self.variables(first, k, total) for k in range(self.settings.processes)])
        elsewhere = ""
        try:
            with handled_signals():
                while workers.running() and workers.failed() is None and not self.others_failed():
                    time.sleep(MONITORING)
                if (failure := workers.failed()) is not None:
                    self.store.set(f"failed/{self.attempt}", str(failure))
                elif not self.others_failed(now=True):
                    self.others_to_the_end()
                elsewhere = self.others_failed(now=True)
        except DistNetworkError as error:  # the first machine has gone
            elsewhere = str(error)
        finally:
            workers.end(ENDING)
        if workers.failed() is not None:
            return ChildFailedError(workers.name, workers.failures())
        return ChildFailedError(workers.name, [Failure.elsewhere(elsewhere)]) if elsewhere else None

    def variables(self, first: int, local: int, total: int) -> dict[str, str]:
        """Returns what the environment of one rank has in addition."""
        settings = self.settings
        threads = {} if settings.processes == 1 or "OMP_NUM_THREADS" in os.environ else {"OMP_NUM_THREADS": "1"}
        file = os.path.join(self.failures.name, f"{self.attempt}-{local}.json")
        numbers = {
            "RANK": first + local, "LOCAL_RANK": local, "WORLD_SIZE": total, "LOCAL_WORLD_SIZE": settings.processes,
            "GROUP_RANK": settings.machine, "GROUP_WORLD_SIZE": settings.machines, "ROLE_RANK": first + local,
            "ROLE_WORLD_SIZE": total, "MASTER_PORT": self.store.port, "TORCHELASTIC_RESTART_COUNT": self.attempt,
            "TORCHELASTIC_MAX_RESTARTS": settings.restarts,
        }  # fmt: skip
        texts = {
            "MASTER_ADDR": settings.host, "ROLE_NAME": settings.role, "TORCHELASTIC_RUN_ID": self.job,
            "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_ERROR_FILE": file,
        }  # fmt: skip
        return threads | {name: str(value) for name, value in numbers.items()} | texts | settings.environment

    # ---- other machines

    def others_failed(self, now: bool = False) -> str:
        """Returns what has failed on another machine, or an empty text."""
        if self.settings.machines == 1 or (not now and time.monotonic() < self.heard + HEARING):
            return ""
        self.heard = time.monotonic()
        key = f"failed/{self.attempt}"
        return self.store.get(key).decode() if self.store.check([key]) else ""

    def others_to_the_end(self) -> None:
        """Waits until the ranks of all machines have ended, or one has failed: the store must live as long."""
        key = f"ended/{self.attempt}"
        self.store.add(key, 1)
        while int(self.store.get(key)) < self.settings.machines and not self.others_failed():
            time.sleep(HEARING)

    def leave(self) -> None:
        """Says that this agent needs the store no more; the one that serves it waits for the others, not for long."""
        deadline = time.monotonic() + LEAVING
        with suppress(DistNetworkError):  # the first machine has gone
            gone = self.store.add("gone", 1)
            while self.settings.machine == 0 and gone < self.settings.machines and time.monotonic() < deadline:
                time.sleep(MONITORING)
                gone = self.store.add("gone", 0)


class handled_signals:
    """Raises Interrupted for SIGINT and SIGTERM within the block."""

    def __enter__(self) -> None:
        def interrupt(number: int, frame: Any) -> None:
            raise Interrupted(number)

        self.before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}

    def __exit__(self, *error: Any) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)


def is_this_machine(host: str) -> bool:
    """Whether a host name means this machine."""
    if host in LOCAL or host in (socket.gethostname(), socket.getfqdn()):
        return True
    try:
        address = socket.gethostbyname(host)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
