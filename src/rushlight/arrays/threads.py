"""The threads that work on one operator: how many, and the pool of them that machine code uses.

The pool is a few words of memory and threads that are parked in a worker's loop of machine code, which `compiler.pool`
attaches; its header says how they work together. Here they are started, when the first large loop asks for them, and
ended: when fewer are wanted, and when the interpreter is. A forked child has the memory but not the threads, and starts
its own when it needs them.
"""

from __future__ import annotations

import _thread
import atexit
import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import numpy as np

from rushlight.core.fork_locks import in_every_child

LINE = 16  # words of 8 bytes between two that different threads write: two cache lines, which are fetched together
WAKE, SLEEPERS, DONE, WAITS, BUSY, WANTED, LIVE, START, SPINS, ENTRY, JOB, TICKETS = (LINE * at for at in range(12))
SHARES = 64  # parts of a job that have a ticket of their own, at most, and threads whose cores are known
SEATS = TICKETS + SHARES * LINE  # for each thread, the caller first: the number of its core, from 1 on
PATIENCE = 1.0  # seconds that the interpreter's end waits for a worker to finish its piece


class Pool:
    """Worker threads and the memory by which they are told what to do."""

    def __init__(self, count: int):
        room = np.zeros(SEATS + (SHARES + 1) * LINE, np.int64)
        self.memory = room[-room.ctypes.data // 8 % LINE :]
        self.memory[WANTED] = count
        self.worker = self.wake = None
        self.is_set = False  # by `set_num_threads`, not from the beginning
        self.spread: Callable[[], None] | None = None
        self.starter = ctypes.CFUNCTYPE(None)(self.start)
        in_every_child(self.forget)

    def begin(self, alone: int, spread: Callable[[], None]) -> int:
        """Where loops find the address of what runs them: of `alone`, until there shall be more than one thread.

        Then `spread` attaches the machine code for several.
        """
        if not self.memory[ENTRY]:
            self.memory[ENTRY], self.spread = alone, spread
        self.prepare()
        return self.memory[ENTRY:].ctypes.data

    def prepare(self) -> None:
        """Has the machine code for several threads attached, if there shall be several and it is not."""
        if self.memory[WANTED] > 1 and self.spread is not None:
            self.spread()
            self.spread = None

    def attach(self, entry: int, worker, wake, spins: int) -> None:
        """Gives the pool its machine code: what runs a loop, a worker, and the call that makes every worker look up.

        `spins` is how often a thread looks for work, or for the end of it, before it goes to sleep.
        """
        if self.worker is None:
            atexit.register(self.close)
        self.worker, self.wake = worker, wake
        self.memory[SPINS] = spins
        self.memory[START] = ctypes.cast(self.starter, ctypes.c_void_p).value
        self.memory[ENTRY] = entry

    def start(self) -> None:
        """Starts the threads that are missing. Called by the machine code, which lets one caller in at a time."""
        while self.memory[LIVE] < self.memory[WANTED] - 1:
            self.memory[LIVE] += 1
            try:
                # Not of `threading`: nobody's list of threads shows them, and the interpreter's end does not join them.
                _thread.start_new_thread(self.worker, (self.memory, int(self.memory[LIVE])))
            except RuntimeError:  # the system has no more threads, or the interpreter is ending
                self.memory[LIVE] -= 1
                self.memory[WANTED] = self.memory[LIVE] + 1

    def resize(self, count: int) -> None:
        """Lets so many threads work, the caller's among them."""
        self.memory[WANTED] = count
        self.prepare()
        if self.wake is not None:
            self.wake(self.memory)

    def close(self) -> None:
        """Ends the workers: none must be running when the machine code goes."""
        self.resize(1)
        latest = time.monotonic() + PATIENCE
        while self.memory[LIVE] > 0 and time.monotonic() < latest:
            time.sleep(0.0001)

    def forget(self) -> None:
        """In a forked child: there are no workers, and no job is going on."""
        kept = [WANTED, START, SPINS, ENTRY]
        values = self.memory[kept]
        self.memory[:] = 0
        self.memory[kept] = values


def default_count() -> int:
    """OMP_NUM_THREADS, no more than there are cores; without it the number of cores that this process may use."""
    processors = range(os.cpu_count() or 1)
    named = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if named.isdecimal() and int(named) > 0:
        return min(int(named), cores(processors))
    return cores(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else processors)


def cores(processors: Iterable[int]) -> int:
    """How many cores these processors are; hyperthreads are several of one core."""
    return len({siblings(each) for each in processors})


def siblings(processor: int) -> str:
    """Names the core of a processor: the list of the processors that share it."""
    try:
        with open(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list", encoding="ascii") as file:
            return file.read()
    except OSError:
        return str(processor)


@cache
def pool() -> Pool:
    """The pool of this process."""
    return Pool(default_count())


# ---- how many


def get_num_threads() -> int:
    """How many threads may work on one operator: at the beginning one to a core, or fewer by OMP_NUM_THREADS."""
    return int(pool().memory[WANTED])


def set_num_threads(int) -> None:
    """Says how many threads may work on one operator, those of the BLAS among them. Raises RuntimeError for none."""
    count = checked(int, "set_num_threads")
    pool().resize(count)
    pool().is_set = True
    tell_blas(np)
    if "scipy.linalg" in sys.modules:  # not to load the BLAS of a package that nobody has asked for yet
        tell_blas(sys.modules["scipy"])


def get_num_interop_threads() -> int:
    """How many operators may run at once, as far as anyone has said: they run one after the other."""
    return BETWEEN.count


def set_num_interop_threads(int) -> None:
    """Says how many operators may run at once, once in a program. Raises RuntimeError the second time."""
    count = checked(int, "set_num_interop_threads")
    if BETWEEN.is_set:
        raise RuntimeError(
            "Error: cannot set number of interop threads after parallel work has started or set_num_interop_threads "
            "called"
        )
    BETWEEN.count, BETWEEN.is_set = count, True


class BetweenOperators:
    """A number that programs set and read back."""

    def __init__(self):
        self.count = os.cpu_count() or 1
        self.is_set = False


BETWEEN = BetweenOperators()


def checked(count, name: str) -> int:
    """A number of threads. Raises RuntimeError for anything but a positive whole number."""
    if not isinstance(count, int | np.integer) or isinstance(count, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(count).__name__}")
    if not -(1 << 31) <= count < 1 << 31:
        raise ValueError("Overflow when unpacking long")
    if count < 1:
        raise RuntimeError(f"{name} expects a positive integer")
    return int(count)


# ---- the BLAS


def bundled_blas(package=np) -> Iterator[str]:
    """The OpenBLAS that a package's wheels bring along, for Linux and Windows in one folder, for macOS in another."""
    folder = os.path.dirname(package.__file__)
    for place in (f"{folder}.libs", os.path.join(folder, ".dylibs")):
        if os.path.isdir(place):
            yield from (os.path.join(place, name) for name in sorted(os.listdir(place)) if "openblas" in name)


@cache
def blas_setter(package=np):
    """The function of the package's OpenBLAS that says how many threads it may use; None if it has another BLAS."""
    return next((setter_of(ctypes.CDLL(file)) for file in bundled_blas(package)), None)


def tell_blas(package) -> None:
    """Tells the BLAS that a package brings along how many threads it may have, once somebody has said so."""
    setter = blas_setter(package) if pool().is_set else None
    if setter is not None:
        setter(get_num_threads())


def setter_of(library):
    """The function under one of the names that it has in builds of OpenBLAS."""
    for name in ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads"):
        if hasattr(library, name):
            return getattr(library, name)
    return None
