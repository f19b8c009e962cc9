"""The processes that the launcher starts on this machine, and how they have failed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ChildFailedError", "Failure", "Settings", "Workers"]


@dataclass
class Settings:
    """What is launched, and where."""

    command: Sequence[str]
    processes: int = 1  # on this machine
    machines: int = 1
    least: int = 1  # machines without which the job does not start
    machine: int | None = 0  # None: by their order of coming
    join: float = 600.0  # seconds in which the least number of machines comes
    last_call: float = 30.0  # seconds that further machines have then
    host: str = "127.0.0.1"
    port: int = 0  # 0: a free one, if there is one machine
    restarts: int = 0
    job: str = ""
    role: str = "default"
    logs: str | None = None
    redirects: int = 0  # 1: output, 2: errors, 3: both, to files in `logs`
    environment: dict[str, str] = field(default_factory=dict)


@dataclass
class Failure:
    """One rank that has failed: its exit status, and the exception if it was recorded."""

    rank: int
    local_rank: int
    pid: int
    exitcode: int
    timestamp: float
    message: str = ""
    trace: str = ""

    def __str__(self) -> str:
        how = f"signal {signal.Signals(-self.exitcode).name}" if self.exitcode < 0 else f"exit status {self.exitcode}"
        return f"rank {self.rank} (pid {self.pid}, local rank {self.local_rank}) has failed: {self.message or how}"

    @staticmethod
    def elsewhere(words: str) -> Failure:
        """Returns the failure of a rank on another machine."""
        return Failure(-1, -1, 0, 1, time.time(), f"on another machine, {words}")


class ChildFailedError(Exception):
    """A rank has failed; the others were ended. `failures` has all that failed, the first one first."""

    __module__ = "torch.distributed.elastic.multiprocessing.errors"

    def __init__(self, name: str, failures: Sequence[Failure]) -> None:
        self.name, self.failures, self.first = name, list(failures), failures[0]
        super().__init__(self.describe())

    def describe(self) -> str:
        """Returns all failures in words."""
        lines = [f"{self.name} FAILED", f"first: {self.first}"]
        lines += [f"    {line}" for line in self.first.trace.splitlines()]
        lines += [f"later: {each}" for each in self.failures[1:]]
        return "\n".join(lines)


class Workers:
    """The ranks of this machine, one process for each set of variables."""

    def __init__(self, settings: Settings, variables: Sequence[dict[str, str]]) -> None:
        self.name = name_of(settings.command)
        self.variables = variables
        self.ended_at: dict[int, float] = {}
        self.asked_to_end = False
        self.processes: list[subprocess.Popen] = []
        try:
            for each in variables:
                self.processes.append(self.start(settings, each))
        except BaseException:
            self.end(1.0)
            raise

    def start(self, settings: Settings, variables: dict[str, str]) -> subprocess.Popen:
        """Starts one rank."""
        with ExitStack() as files:
            streams: dict[str, Any] = {}
            if settings.redirects and settings.logs:
                attempt, local = variables["RUSHLIGHT_ROUND"], variables["LOCAL_RANK"]
                folder = os.path.join(settings.logs, f"attempt_{attempt}", local)
                os.makedirs(folder, exist_ok=True)
                for bit, name in ((1, "stdout"), (2, "stderr")):
                    if settings.redirects & bit:
                        streams[name] = files.enter_context(open(os.path.join(folder, f"{name}.log"), "wb"))
            return subprocess.Popen(settings.command, env=os.environ | variables, **streams)

    def running(self) -> bool:
        """Whether a rank has not ended."""
        return any(process.poll() is None for process in self.processes)

    def failed(self) -> Failure | None:
        """Returns the first failure, or None."""
        return next(iter(self.failures()), None)

    def failures(self) -> list[Failure]:
        """Returns the failures, in their order; those that were ended by the launcher are none."""
        result = []
        for local, process in enumerate(self.processes):
            code = process.poll()
            if code is None:
                continue
            self.ended_at.setdefault(local, float("inf") if self.asked_to_end else time.time())
            if code and self.ended_at[local] < float("inf"):
                result.append(self.failure(local, process.pid, code))
        return sorted(result, key=lambda failure: failure.timestamp)

    def failure(self, local: int, pid: int, code: int) -> Failure:
        """Returns what is known of one failure."""
        variables = self.variables[local]
        failure = Failure(int(variables["RANK"]), local, pid, code, self.ended_at[local])
        try:
            with open(variables["TORCHELASTIC_ERROR_FILE"], encoding="utf-8") as file:
                recorded = json.load(file)["message"]
            failure.message, details = recorded["message"], recorded["extraInfo"]
            failure.trace, failure.timestamp = details["py_callstack"], float(details["timestamp"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # it has recorded nothing, or was interrupted while it did
        return failure

    def end(self, seconds: float) -> None:
        """Ends the ranks that still run: sends SIGTERM, and kills those that do not end in time."""
        self.failures()  # notes who has ended by itself
        self.asked_to_end = True
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + seconds
        for process in self.processes:
            try:
                process.wait(max(deadline - time.monotonic(), 0.01))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def name_of(command: Sequence[str]) -> str:
    """Returns the name of the program in a command line."""
    return next((word for word in reversed(command[:8]) if word.endswith(".py")), command[0])
