"""The main loop of a worker process: makes batches until the program closes its pipe.

A thread reads the tasks from the pipe, so that the program never waits for a worker to read, and a worker notices that
its program has died.
"""

from __future__ import annotations

import os
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from rushlight.arrays.threads import set_num_threads
from rushlight.random import manual_seed
from rushlight.utils.data.failure import Failure
from rushlight.utils.data.fetch import Plan
from rushlight.utils.data.transport import Outbox

MASK_32 = 0xFFFFFFFF
CHECK_INTERVAL = 5.0  # seconds between checks that the other side is alive

# The types of messages from a worker.
BATCH, FAILURE, END = range(3)


@dataclass(frozen=True)
class WorkerInfo:
    """A worker process: its number, its copy of the dataset, and the seed of its generators."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


# That of this process; None outside workers. Programs set it to test their datasets.
_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Returns the worker's number, dataset and seed in a worker process of a loader; elsewhere None.

    >>> get_worker_info() is None
    True
    """
    return _worker_info


def become_worker(info: WorkerInfo) -> None:
    """Sets what this process answers to `get_worker_info`."""
    global _worker_info
    _worker_info = info


@dataclass(frozen=True)
class WorkerArgs:
    """The arguments of a worker."""

    plan: Plan
    id: int
    num_workers: int
    base_seed: int
    init_fn: Callable[[int], None] | None


def work(worker_args: WorkerArgs, connection: Connection, inherited: list[Connection]) -> None:
    """The main function of a worker process. `inherited` are ends of other pipes that a fork copied into it."""
    for pipe_end in inherited:
        pipe_end.close()
    try:
        _serve(WorkerState(worker_args, Outbox(connection)), _received(connection))
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        pass  # the program is interrupted too, or has closed the pipe: nothing to report to


def _serve(bench: WorkerState, tasks: SimpleQueue) -> None:
    parent = os.getppid()
    while True:
        try:
            task = tasks.get(timeout=CHECK_INTERVAL)
        except Empty:
            if os.getppid() != parent:
                return
            continue
        if task is None:
            return
        bench.do(*task)


def _received(connection: Connection) -> SimpleQueue:
    """Returns the queue of tasks from a pipe, followed by None."""
    tasks: SimpleQueue = SimpleQueue()

    def read() -> None:
        try:
            while True:
                tasks.put(connection.recv())
        except (EOFError, OSError):
            tasks.put(None)

    Thread(target=read, name="rushlight tasks", daemon=True).start()
    return tasks


class WorkerState:
    """The state of a worker that lasts from batch to batch."""

    def __init__(self, duty: WorkerArgs, outbox: Outbox):
        self._duty = duty
        self._outbox = outbox
        self._where = f"in DataLoader worker process {duty.id}"
        self._epoch: int | None = None
        self._fetch: Callable | None = None
        self._failure: Failure | None = None
        seed = duty.base_seed + duty.id
        seed_everything(seed, duty)
        become_worker(WorkerInfo(duty.id, duty.num_workers, seed, duty.plan.dataset))
        if duty.init_fn is not None:
            try:
                duty.init_fn(duty.id)
            except Exception as error:  # the user's code: the error is sent to the program
                self._failure = Failure.of(error, self._where)

    def do(self, epoch: int, pickled: bytes, released: tuple) -> None:
        """Makes and sends the batch of a pickled index."""
        self._outbox.release(released)
        status, data = self._made(epoch, pickled)
        try:
            parcel, descriptor = self._outbox.pack(data)
        except Exception as error:  # users' classes define how they are pickled
            status = FAILURE
            parcel, descriptor = self._outbox.pack(Failure.of(error, self._where))
        self._outbox.send((epoch, status, parcel), descriptor)

    def _made(self, epoch: int, pickled: bytes) -> tuple[int, Any]:
        if self._failure is not None:
            return FAILURE, self._failure
        try:
            if epoch != self._epoch:
                self._epoch, self._fetch = epoch, None
            if self._fetch is None:
                self._fetch = self._duty.plan.start()
            return BATCH, self._fetch(pickle.loads(pickled))
        except Exception as error:  # the user's code: the error is sent to the program
            if isinstance(error, StopIteration) and self._duty.plan.is_stream:
                return END, None
            return FAILURE, Failure.of(error, self._where)


def seed_everything(seed: int, duty: WorkerArgs) -> None:
    """Seeds every generator as PyTorch does, and limits the worker to one thread.

    NumPy's seed differs from Python's, which has the same algorithm: equal seeds would give equal numbers.
    """
    set_num_threads(1)
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(_generate_state(duty.base_seed, duty.id))


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Returns four numbers for NumPy's generator, computed as in PyTorch from the loader's seed and the worker id."""
    entropy = [worker_id, base_seed & MASK_32, base_seed >> 32, 0]
    return np.random.SeedSequence(entropy).generate_state(4).tolist()
