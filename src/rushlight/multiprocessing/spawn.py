"""Runs one function in several processes: starts them, waits for them, and terminates all if one fails."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import weakref
from collections.abc import Callable
from multiprocessing import connection

__all__ = [
    "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "SpawnContext", "spawn",
    "start_processes",
]  # fmt: skip

GRACE = 30.0  # seconds that the other processes have to exit after one failed
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


class ProcessException(Exception):
    """One of the processes failed: `error_index` is its index, `error_pid` its process id."""

    __slots__ = ("error_index", "error_pid")

    def __init__(self, msg: str, error_index: int, pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, pid
        self.pid = pid

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """The function of a process raised an exception; the message contains its traceback."""

    def __init__(self, msg: str, error_index: int, error_pid: int):
        super().__init__(msg, error_index, error_pid)


class ProcessExitedException(ProcessException):
    """A process was killed by a signal, or exited with a nonzero status."""

    __slots__ = ("exit_code", "signal_name")

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def prctl_pr_set_pdeathsig(signal_number: int) -> None:
    """Sends this process a signal when its parent exits; only on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, int(signal_number))


def _wrap(fn: Callable, i: int, args: tuple, error_file: str) -> None:
    """Runs the function in a process with its index; writes an exception to the file that the parent reads."""
    prctl_pr_set_pdeathsig(signal.SIGINT)
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass  # the parent was interrupted, and terminated this process
    except Exception:
        with open(error_file, "w", encoding="utf-8") as file:
            file.write(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """The processes of one `start_processes`."""

    def __init__(self, processes: list, error_files: list[str]):
        self.processes, self.error_files = processes, error_files
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Returns the process ids."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until at least one process has exited; returns whether all have. Call it until it returns True.

        If one failed, the others are terminated, after `grace_period` seconds by SIGTERM, and the error is raised:
        ProcessRaisedException or ProcessExitedException.
        """
        if not self.sentinels:
            return True
        failed = None
        for sentinel in connection.wait(list(self.sentinels), timeout=timeout):
            index = self.sentinels.pop(sentinel)  # type: ignore[index]
            process = self.processes[index]
            process.join()
            if process.exitcode != 0:
                failed = index
                break
        if failed is None:
            return not self.sentinels
        self._end_all(grace_period)
        raise self._error(failed)

    def _end_all(self, grace_period: float | None) -> None:
        _join_all(self.processes, grace_period or 0.0)
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        _join_all(self.processes, GRACE)
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()

    def _error(self, index: int) -> ProcessException:
        process, pid = self.processes[index], self.processes[index].pid
        file = self.error_files[index]
        if os.path.exists(file) and os.path.getsize(file):
            with open(file, encoding="utf-8") as text:
                words = f"\n\n-- Process {index} terminated with the following error:\n{text.read()}"
            return ProcessRaisedException(words, index, pid)
        code = process.exitcode
        if code >= 0:
            return ProcessExitedException(f"process {index} terminated with exit code {code}", index, pid, code)
        name = {number.value: number.name for number in signal.Signals}.get(-code, f"<Unknown signal {-code}>")
        return ProcessExitedException(f"process {index} terminated with signal {name}", index, pid, code, name)


class SpawnContext(ProcessContext):
    """The processes of one `spawn`."""


def _join_all(processes: list, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for process in processes:
        process.join(max(deadline - time.monotonic(), 0))


def start_processes(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Starts `nprocs` processes that run `fn(i, *args)`, i = 0, 1, ...; waits for them if `join`.

    Without `join` it returns the context, whose `join` waits. Raises the errors of that `join`.
    """
    context = multiprocessing.get_context(start_method)
    folder = tempfile.mkdtemp(prefix="rushlight-")
    error_files = [os.path.join(folder, str(i)) for i in range(nprocs)]
    processes: list = []
    for i, file in enumerate(error_files):
        process = context.Process(target=_wrap, args=(fn, i, args, file), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        processes.append(process)
    started = ProcessContext(processes, error_files)
    weakref.finalize(started, shutil.rmtree, folder, ignore_errors=True)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Calls `start_processes` with new interpreters."""
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\nTo use a different start_method "
            "use:\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
