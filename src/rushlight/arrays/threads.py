"""The number of threads for one operator, and the thread pool of the machine code.

The pool is a few words of memory and threads that run a worker's loop of machine code, which `compiler.pool` attaches
and describes. This file starts the threads when the first large loop needs them, and ends them when fewer are requested
or the interpreter exits. A forked child has the memory but not the threads, and starts its own on demand.
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

LINE = 16  # 8-byte words between two words that different threads write: two cache lines, which are prefetched together
WAKE, SLEEPERS, DONE, WAITS, BUSY, WANTED, LIVE, START, SPINS, ENTRY, JOB, TICKETS = (LINE * at for at in range(12))
SHARES = 64  # maximum number of parts of a job with a ticket each, and of threads whose cores are recorded
SEATS = TICKETS + SHARES * LINE  # for each thread, the caller first: the number of its core, starting from 1
PATIENCE = 1.0  # seconds that the interpreter waits at exit for a worker to finish its part


class Pool:
    """Worker threads and the memory through which they get their work."""

    def __init__(self, count: int):
        room = np.zeros(SEATS + (SHARES + 1) * LINE, np.int64)
        self.memory = room[-room.ctypes.data // 8 % LINE :]
        self.memory[WANTED] = count
        self.worker = self.wake = None
        self.is_set = False  # by `set_num_threads`, not initially
        self.spread: Callable[[], None] | None = None
        self.starter = ctypes.CFUNCTYPE(None)(self.start)
        in_every_child(self.forget)

    def begin(self, alone: int, spread: Callable[[], None]) -> int:
        """Returns the address at which loops find their runner: `alone`, until there is more than one thread.

        Then `spread` attaches the machine code for several threads.
        """
        if not self.memory[ENTRY]:
            self.memory[ENTRY], self.spread = alone, spread
        self.prepare()
        return self.memory[ENTRY:].ctypes.data

    def prepare(self) -> None:
        """Attaches the machine code for several threads, if it is needed and not attached yet."""
        if self.memory[WANTED] > 1 and self.spread is not None:
            self.spread()
            self.spread = None

    def attach(self, entry: int, worker, wake, spins: int) -> None:
        """Attaches machine code: the function that runs a loop, a worker, and the call that wakes all workers.

        `spins` is how often a thread polls for work, or for its end, before it sleeps.
        """
        if self.worker is None:
            atexit.register(self.close)
        self.worker, self.wake = worker, wake
        self.memory[SPINS] = spins
        self.memory[START] = ctypes.cast(self.starter, ctypes.c_void_p).value
        self.memory[ENTRY] = entry

    def start(self) -> None:
        """Starts the missing threads. Called by the machine code, by one thread at a time."""
        while self.memory[LIVE] < self.memory[WANTED] - 1:
            self.memory[LIVE] += 1
            try:
                # Not from `threading`: they are not listed there, and the interpreter does not join them at exit.
                _thread.start_new_thread(self.worker, (self.memory, int(self.memory[LIVE])))
            except RuntimeError:  # the system has no more threads, or the interpreter is ending
                self.memory[LIVE] -= 1
                self.memory[WANTED] = self.memory[LIVE] + 1

    def resize(self, count: int) -> None:
        """Sets the number of threads, including the caller's."""
        self.memory[WANTED] = count
        self.prepare()
        if self.wake is not None:
            self.wake(self.memory)

    def close(self) -> None:
        """Ends the workers: none may run when the machine code is freed."""
        self.resize(1)
        latest = time.monotonic() + PATIENCE
        while self.memory[LIVE] > 0 and time.monotonic() < latest:
            time.sleep(0.0001)

    def forget(self) -> None:
        """Resets the memory in a forked child, which has no workers and no running job."""
        kept = [WANTED, START, SPINS, ENTRY]
        values = self.memory[kept]
        self.memory[:] = 0
        self.memory[kept] = values


def default_count() -> int:
    """Returns OMP_NUM_THREADS, at most the number of cores; without it, the number of cores this process may use."""
    processors = range(os.cpu_count() or 1)
    named = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if named.isdecimal() and int(named) > 0:
        return min(int(named), cores(processors))
    return cores(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else processors)


def cores(processors: Iterable[int]) -> int:
    """Returns the number of cores of these processors; hyperthreads share a core."""
    return len({siblings(processor) for processor in processors})


def siblings(processor: int) -> str:
    """Returns the list of processors that share the core of a processor, as an identifier."""
    try:
        with open(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list", encoding="ascii") as file:
            return file.read()
    except OSError:
        return str(processor)


@cache
def pool() -> Pool:
    """Returns the pool of this process."""
    return Pool(default_count())


# ---- numbers of threads


def get_num_threads() -> int:
    """Returns the number of threads per operator: initially one per core, or OMP_NUM_THREADS."""
    return int(pool().memory[WANTED])


def set_num_threads(int) -> None:
    """Sets the number of threads per operator, also for the BLAS. Raises RuntimeError if it is not positive."""
    count = checked(int, "set_num_threads")
    pool().resize(count)
    pool().is_set = True
    set_blas_threads(np)
    if "scipy.linalg" in sys.modules:  # do not load SciPy's BLAS if it is not in use
        set_blas_threads(sys.modules["scipy"])


def get_num_interop_threads() -> int:
    """Returns the number set by `set_num_interop_threads`; operators run one after the other."""
    return BETWEEN.count


def set_num_interop_threads(int) -> None:
    """Stores the number of operators that may run at once. Raises RuntimeError the second time."""
    count = checked(int, "set_num_interop_threads")
    if BETWEEN.is_set:
        raise RuntimeError(
            "Error: cannot set number of interop threads after parallel work has started or set_num_interop_threads "
            "called"
        )
    BETWEEN.count, BETWEEN.is_set = count, True


class BetweenOperators:
    """The number of interop threads, which programs set and read back."""

    def __init__(self):
        self.count = os.cpu_count() or 1
        self.is_set = False


BETWEEN = BetweenOperators()


def checked(count, name: str) -> int:
    """Checks a number of threads. Raises RuntimeError if it is not a positive integer."""
    if not isinstance(count, int | np.integer) or isinstance(count, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(count).__name__}")
    if not -(1 << 31) <= count < 1 << 31:
        raise ValueError("Overflow when unpacking long")
    if count < 1:
        raise RuntimeError(f"{name} expects a positive integer")
    return int(count)


# ---- the BLAS


def bundled_blas(package=np) -> Iterator[str]:
    """Yields the OpenBLAS files in a package's wheel, in one folder on Linux and Windows, in another on macOS."""
    folder = os.path.dirname(package.__file__)
    for directory in (f"{folder}.libs", os.path.join(folder, ".dylibs")):
        if os.path.isdir(directory):
            yield from (os.path.join(directory, name) for name in sorted(os.listdir(directory)) if "openblas" in name)


@cache
def blas_setter(package=np):
    """Returns the function of the package's OpenBLAS that sets the number of threads; None for another BLAS."""
    return next((setter_of(ctypes.CDLL(file)) for file in bundled_blas(package)), None)


def set_blas_threads(package) -> None:
    """Sets the number of threads of a package's BLAS, if the program set one."""
    setter = blas_setter(package) if pool().is_set else None
    if setter is not None:
        setter(get_num_threads())


def setter_of(library):
    """Returns that function under any of its names in OpenBLAS builds, or None."""
    for name in ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads"):
        if hasattr(library, name):
            return getattr(library, name)
    return None
