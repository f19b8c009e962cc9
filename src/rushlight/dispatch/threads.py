"""How many threads work on one operator, and how many operators at once."""

from __future__ import annotations

import builtins
import os

import numpy as np

from rushlight.arrays import threads


class BetweenOperators:
    """The number that programs set and read back: operators run one after the other."""

    def __init__(self):
        self.count = os.cpu_count() or 1
        self.is_set = False


BETWEEN = BetweenOperators()


def get_num_threads() -> int:
    """How many threads may work on one operator: at the beginning OMP_NUM_THREADS, or the number of cores."""
    return threads.get_num_threads()


def set_num_threads(int) -> None:
    """Says how many threads may work on one operator. Raises RuntimeError for fewer than one."""
    threads.set_num_threads(checked(int, "set_num_threads"))


def get_num_interop_threads() -> int:
    """How many operators may run at once."""
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


def checked(count, name: str) -> builtins.int:
    """A number of threads. Raises RuntimeError for anything but a positive whole number."""
    if not isinstance(count, builtins.int | np.integer) or isinstance(count, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(count).__name__}")
    if count < 1:
        raise RuntimeError(f"{name} expects a positive integer")
    return builtins.int(count)
