"""The workers of a loader as the program sees them: started together, watched, and stopped whatever happens."""

from __future__ import annotations

import os
import signal
import socket
import time
import warnings
import weakref
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from pickle import PicklingError
from typing import Any

from rushlight.utils.data.fetch import Plan
from rushlight.utils.data.transport import Inbox
from rushlight.utils.data.worker import CHECK_INTERVAL, Duty, work

GRACE = 5.0  # seconds that a worker has for the batch that it is at, when it is to stop


@dataclass(eq=False)
class Worker:
    """One worker process and the pipe to it."""

    process: Any
    connection: Connection
    inbox: Inbox

    def send(self, epoch: int, index) -> None:
        """Asks for the batch of an index, which the worker unpickles when it can tell of an error in that."""
        pickled = bytes(ForkingPickler.dumps(index))
        try:
            self.connection.send((epoch, pickled, self.inbox.released()))
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has died, which is told when its batch is due


class Team:
    """All workers of one iterator. They stop when it is no longer used, and at the end of the program."""

    def __init__(self, context, plan: Plan, count: int, base_seed: int, init_fn):
        self.owner = os.getpid()
        self.workers: list[Worker] = []
        self.stop = weakref.finalize(self, stop, self.workers, self.owner)
        self.stop.atexit = False  # multiprocessing ends daemons there, without waiting for the batch that they are at
        try:
            for id in range(count):
                self._start(context, Duty(plan, id, count, base_seed, init_fn))
        except BaseException:
            self.stop()
            raise

    def _start(self, context, duty: Duty) -> None:
        here, there = context.Pipe(duplex=True)
        inherited = []
        if context.get_start_method() == "fork":
            inherited = [here, *(each.connection for each in self.workers)]
        process = context.Process(target=work, args=(duty, there, inherited), daemon=True)
        try:
            process.start()
        except (TypeError, AttributeError, PicklingError):
            warnings.warn(
                "Got pickle error when attempting to start a worker Process. This might be because the worker Process "
                "arguments are not picklable. Python 3.14+ changed the multiprocessing start method in non-Mac POSIX "
                "platforms to 'forkserver', which requires the worker Process arguments to be picklable. You can also "
                "try multiprocessing.set_start_method('fork').",
                stacklevel=2,
            )
            raise
        finally:
            there.close()
        self.workers.append(Worker(process, here, Inbox(here)))

    def receive(self, workers: list[Worker], timeout: float) -> tuple[Worker, tuple]:
        """The next message of one of some workers, and which. A `timeout` of 0 waits as long as all are alive.

        Raises RuntimeError when the time is over, or when a worker has died.
        """
        deadline = time.monotonic() + timeout if timeout else None
        while True:
            left = CHECK_INTERVAL if deadline is None else min(CHECK_INTERVAL, deadline - time.monotonic())
            ready = wait([each.connection for each in workers], max(left, 0))
            for each in workers:
                if each.connection in ready:
                    return each, self._read(each)
            self._check_alive(workers)
            if deadline is not None and time.monotonic() >= deadline:
                raise self._timed_out(timeout)

    def _read(self, worker: Worker) -> tuple:
        try:
            return worker.inbox.receive()
        except EOFError as error:
            worker.process.join(GRACE)
            raise self._exited([worker]) from error
        except KeyboardInterrupt:  # perhaps in the middle of a message: the rest of it would be taken for the next
            self.stop()
            raise

    def _check_alive(self, workers: list[Worker]) -> None:
        """A worker may have died although its pipe looks open: another process may have inherited the other end."""
        dead = [each for each in workers if not each.process.is_alive() and not each.connection.poll()]
        if dead:
            raise self._exited(dead)

    def _exited(self, dead: list[Worker]) -> RuntimeError:
        reasons = "; ".join(f"{each.process.pid} {how_it_ended(each.process.exitcode)}" for each in dead)
        pids = ", ".join(str(each.process.pid) for each in dead)
        self.stop()
        error = RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly")
        error.add_note(
            f"{reasons}. The data set or worker_init_fn may have ended the process: run with num_workers=0 to see it "
            "here. SIGKILL mostly means out of memory: use fewer workers or a smaller prefetch_factor."
        )
        return error

    def _timed_out(self, timeout: float) -> RuntimeError:
        error = RuntimeError(f"DataLoader timed out after {timeout} seconds")
        error.add_note("The next batch was not ready. timeout=0 waits without a limit.")
        return error


def how_it_ended(exitcode: int | None) -> str:
    """An exit status in words.

    >>> how_it_ended(-9), how_it_ended(3)
    ('was killed by SIGKILL', 'ended with status 3')
    """
    if exitcode is None:
        return "closed its pipe"
    if exitcode < 0:
        names = {each.value: each.name for each in signal.Signals}
        return f"was killed by {names.get(-exitcode, f'signal {-exitcode}')}"
    return f"ended with status {exitcode}"


def stop(workers: list[Worker], owner: int) -> None:
    """Ends some workers and waits for them; in a process that only inherited them, does nothing.

    Without their pipes they end by themselves after the batch that they are at, those that do not by a signal.
    """
    if os.getpid() != owner:
        return
    for each in workers:
        hang_up(each.connection)
    deadline = time.monotonic() + GRACE
    for each in workers:
        each.process.join(max(deadline - time.monotonic(), 0))
    for end in ("terminate", "kill"):
        alive = [each.process for each in workers if each.process.is_alive()]
        for process in alive:
            getattr(process, end)()
        for process in alive:
            process.join(1)


def hang_up(connection: Connection) -> None:
    """Closes a pipe for both sides, even if another process has inherited this end of it."""
    if os.name == "posix":
        with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:  # the other side may be gone
            end.shutdown(socket.SHUT_RDWR)
    connection.close()
