"""What a worker process does: it makes batches, one after the other, until the program closes its pipe.

A thread of its own takes the tasks out of the pipe, so that the program never waits for a worker to read, and a worker
whose program has died notices.
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
CHECK_INTERVAL = 5.0  # seconds between looks at whether the other side is still there

# What a message from a worker holds.
BATCH, FAILURE, END = range(3)


@dataclass(frozen=True)
class WorkerInfo:
    """Which worker this process is: `dataset` is its copy, `seed` what its generators were started from."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


class Role:
    """What this process is: a worker, or None."""

    info: WorkerInfo | None = None


ROLE = Role()


def get_worker_info() -> WorkerInfo | None:
    """In a worker process of a loader, which of them it is and with which data set and seed; elsewhere None.

    >>> get_worker_info() is None
    True
    """
    return ROLE.info


@dataclass(frozen=True)
class Duty:
    """What a worker is told when it starts."""

    plan: Plan
    id: int
    num_workers: int
    base_seed: int
    init_fn: Callable[[int], None] | None


def work(duty: Duty, connection: Connection, inherited: list[Connection]) -> None:
    """The main function of a worker process. `inherited` are ends of other pipes that a fork has copied into it."""
    for each in inherited:
        each.close()
    try:
        _serve(Bench(duty, Outbox(connection)), _received(connection))
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        pass  # the program is interrupted too, or has hung up: there is nobody to tell


def _serve(bench: Bench, tasks: SimpleQueue) -> None:
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
    """The tasks that come through a pipe, then None."""
    tasks: SimpleQueue = SimpleQueue()

    def read() -> None:
        try:
            while True:
                tasks.put(connection.recv())
        except (EOFError, OSError):
            tasks.put(None)

    Thread(target=read, name="rushlight tasks", daemon=True).start()
    return tasks


class Bench:
    """A worker at work: the state that lasts from one batch to the next."""

    def __init__(self, duty: Duty, outbox: Outbox):
        self._duty = duty
        self._outbox = outbox
        self._where = f"in DataLoader worker process {duty.id}"
        self._epoch: int | None = None
        self._fetch: Callable | None = None
        self._failure: Failure | None = None
        seed = duty.base_seed + duty.id
        seed_everything(seed, duty)
        ROLE.info = WorkerInfo(duty.id, duty.num_workers, seed, duty.plan.dataset)
        if duty.init_fn is not None:
            try:
                duty.init_fn(duty.id)
            except Exception as error:  # the user's code: the program is to hear of it
                self._failure = Failure.of(error, self._where)

    def do(self, epoch: int, pickled: bytes, released: tuple) -> None:
        """Makes and sends the batch of a pickled index."""
        self._outbox.release(released)
        status, data = self._made(epoch, pickled)
        try:
            parcel, descriptor = self._outbox.pack(data)
        except Exception as error:  # the user's classes decide how they are pickled
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
        except Exception as error:  # the user's code: the program is to hear of it
            if isinstance(error, StopIteration) and self._duty.plan.is_stream:
                return END, None
            return FAILURE, Failure.of(error, self._where)


def seed_everything(seed: int, duty: Duty) -> None:
    """Starts every generator as PyTorch does, and keeps the worker to one thread.

    NumPy's is not started from the same number as Python's, which has the same algorithm: both would give the same.
    """
    set_num_threads(1)
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(_generate_state(duty.base_seed, duty.id))


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Four numbers for NumPy's generator, as PyTorch makes them of the loader's seed and of the worker's number."""
    entropy = [worker_id, base_seed & MASK_32, base_seed >> 32, 0]
    return np.random.SeedSequence(entropy).generate_state(4).tolist()
