"""How many threads work on one operator. The BLAS under NumPy has threads of its own; nothing else has yet."""

from __future__ import annotations

import os


class Threads:
    """The numbers that programs set and read back."""

    def __init__(self):
        self.inside = os.cpu_count() or 1
        self.between = os.cpu_count() or 1


THREADS = Threads()


def get_num_threads() -> int:
    """How many threads may work on one operator."""
    return THREADS.inside


def set_num_threads(int) -> None:
    """Says how many threads may work on one operator. Raises RuntimeError for fewer than one."""
    if int < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    THREADS.inside = int


def get_num_interop_threads() -> int:
    """How many operators may run at once."""
    return THREADS.between


def set_num_interop_threads(int) -> None:
    """Says how many operators may run at once. Raises RuntimeError for fewer than one."""
    if int < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    THREADS.between = int
