"""`torch.cuda.memory`: memory statistics of a GPU. The simulated one has the machine's memory, and no counters."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from rushlight.cuda import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
)  # fmt: skip
from rushlight.cuda._utils import memory_of_machine, need_gpu

__all__ = [
    "empty_cache", "get_per_process_memory_fraction", "host_memory_stats", "max_memory_allocated", "max_memory_cached",
    "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached", "memory_reserved", "memory_stats",
    "memory_stats_as_nested_dict", "reset_accumulated_memory_stats", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_peak_memory_stats", "set_per_process_memory_fraction",
]  # fmt: skip

memory_cached = memory_reserved
max_memory_cached = max_memory_reserved


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Returns the counters of the allocator: none."""
    return OrderedDict()


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """Returns the counters of the allocator: none."""
    return {}


host_memory_stats = memory_stats


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Returns free and total bytes of the machine's memory. Raises AssertionError if there is no GPU."""
    need_gpu()
    return memory_of_machine()


def reset_peak_memory_stats(device: Any = None) -> None:
    """Resets the peak statistics, which are 0. Raises AssertionError if there is no GPU."""
    need_gpu()


reset_max_memory_allocated = reset_max_memory_cached = reset_accumulated_memory_stats = reset_peak_memory_stats


def get_per_process_memory_fraction(device: Any = None) -> float:
    """Returns the fraction of memory that this process may use: 1. Raises AssertionError if there is no GPU."""
    need_gpu()
    return 1.0


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Sets the fraction of memory that this process may use.

    Raises AssertionError if there is no GPU, and RuntimeError on the simulated one, unless it is 1.
    """
    need_gpu()
    if fraction != 1:
        raise RuntimeError("The simulated GPU has the machine's memory: its share cannot be limited.")
