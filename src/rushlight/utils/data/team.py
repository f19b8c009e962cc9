"""The workers of a loader, seen from the main process: started together, monitored, and always stopped."""

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
from rushlight.utils.data.worker import CHECK_INTERVAL, WorkerArgs, work

GRACE = 5.0  # seconds that a stopped worker has to finish its current batch


@dataclass(eq=False)
class Worker:
    """One worker process and its pipe."""

    process: Any
    connection: Connection
    inbox: Inbox

    def send(self, epoch: int, index) -> None:
        """Requests the batch of an index; the worker unpickles the index and reports errors in that."""
        pickled = bytes(ForkingPickler.dumps(index))
        try:
            self.connection.send((epoch, pickled, self.inbox.released()))
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has died, which is reported when its batch is due


class Team:
    """All workers of one iterator. They stop when it is no longer used, and at the end of the program."""

    def __init__(self, context, plan: Plan, count: int, base_seed: int, init_fn):
        self.owner = os.getpid()
        self.workers: list[Worker] = []
        self.stop = weakref.finalize(self, stop, self.workers, self.owner)
        self.stop.atexit = False  # at exit multiprocessing terminates daemons without waiting for their current batch
        try:
            for id in range(count):
                self._start(context, WorkerArgs(plan, id, count, base_seed, init_fn))
        except BaseException:
            self.stop()
            raise

    def _start(self, context, duty: WorkerArgs) -> None:
        own_end, worker_end = context.Pipe(duplex=True)
        inherited = []
        if context.get_start_method() == "fork":
            inherited = [own_end, *(worker.connection for worker in self.workers)]
        process = context.Process(target=work, args=(duty, worker_end, inherited), daemon=True)
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
            worker_end.close()
        self.workers.append(Worker(process, own_end, Inbox(own_end)))

    def receive(self, workers: list[Worker], timeout: float) -> tuple[Worker, tuple]:
        """Returns the next message of a worker, and the worker. A `timeout` of 0 waits as long as all of them live.

        Raises RuntimeError on timeout, or if a worker has died.
        """
        deadline = time.monotonic() + timeout if timeout else None
        while True:
            left = CHECK_INTERVAL if deadline is None else min(CHECK_INTERVAL, deadline - time.monotonic())
            ready = wait([worker.connection for worker in workers], max(left, 0))
            for worker in workers:
                if worker.connection in ready:
                    return worker, self._read(worker)
            self._check_alive(workers)
            if deadline is not None and time.monotonic() >= deadline:
                raise self._timed_out(timeout)

    def _read(self, worker: Worker) -> tuple:
        try:
            return worker.inbox.receive()
        except EOFError as error:
            worker.process.join(GRACE)
            raise self._exited([worker]) from error
        except KeyboardInterrupt:  # perhaps within a message: the rest would be read as the next one
            self.stop()
            raise

    def _check_alive(self, workers: list[Worker]) -> None:
        """Raises RuntimeError if a worker died though its pipe is open: another process inherited the other end."""
        dead = [worker for worker in workers if not worker.process.is_alive() and not worker.connection.poll()]
        if dead:
            raise self._exited(dead)

    def _exited(self, dead: list[Worker]) -> RuntimeError:
        reasons = "; ".join(f"{worker.process.pid} {describe_exit(worker.process.exitcode)}" for worker in dead)
        pids = ", ".join(str(worker.process.pid) for worker in dead)
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


def describe_exit(exitcode: int | None) -> str:
    """Describes an exit status.

    >>> describe_exit(-9), describe_exit(3)
    ('was killed by SIGKILL', 'ended with status 3')
    """
    if exitcode is None:
        return "closed its pipe"
    if exitcode < 0:
        names = {number.value: number.name for number in signal.Signals}
        return f"was killed by {names.get(-exitcode, f'signal {-exitcode}')}"
    return f"ended with status {exitcode}"


def stop(workers: list[Worker], owner: int) -> None:
    """Stops workers and waits for them; does nothing in a process that only inherited them.

    When their pipe is closed they exit after the current batch; the others get a signal.
    """
    if os.getpid() != owner:
        return
    for worker in workers:
        shut_down(worker.connection)
    deadline = time.monotonic() + GRACE
    for worker in workers:
        worker.process.join(max(deadline - time.monotonic(), 0))
    for end in ("terminate", "kill"):
        alive = [worker.process for worker in workers if worker.process.is_alive()]
        for process in alive:
            getattr(process, end)()
        for process in alive:
            process.join(1)


def shut_down(connection: Connection) -> None:
    """Closes a pipe for both sides, even if another process has inherited this end."""
    if os.name == "posix":
        with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:  # the other side may be gone
            end.shutdown(socket.SHUT_RDWR)
    connection.close()
