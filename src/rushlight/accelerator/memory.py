"""`torch.accelerator.memory`: what is allocated on the GPU, as `torch.cuda.memory` tells it.

https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

from typing import Any

from rushlight.accelerator._utils import check_there_is_one, index_of
from rushlight.cuda import memory

__all__ = [
    "empty_cache", "empty_host_cache", "get_memory_info", "max_memory_allocated", "max_memory_reserved",
    "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
]  # fmt: skip


def empty_cache() -> None:
    """Frees cached memory. Raises RuntimeError if there is no GPU."""
    check_there_is_one()
    memory.empty_cache()


def empty_host_cache() -> None:
    """Frees cached pinned memory, which is not kept here. Raises RuntimeError if there is no GPU."""
    check_there_is_one()


def memory_stats(device_index: Any = None, /) -> dict[str, Any]:
    """Returns the counters of the GPU's memory. Raises RuntimeError if there is none."""
    return memory.memory_stats(index_of(device_index))


def memory_allocated(device_index: Any = None, /) -> int:
    """Returns the bytes of tensors on the GPU. Raises RuntimeError if there is none.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     x = torch.ones(3, device=torch.accelerator.current_accelerator())
    ...     torch.accelerator.memory_allocated() >= 512
    True
    """
    return memory.memory_allocated(index_of(device_index))


def max_memory_allocated(device_index: Any = None, /) -> int:
    """Returns the peak bytes of tensors on the GPU. Raises RuntimeError if there is none."""
    return memory.max_memory_allocated(index_of(device_index))


def memory_reserved(device_index: Any = None, /) -> int:
    """Returns the bytes reserved for tensors on the GPU. Raises RuntimeError if there is none."""
    return memory.memory_reserved(index_of(device_index))


def max_memory_reserved(device_index: Any = None, /) -> int:
    """Returns the peak bytes reserved for tensors on the GPU. Raises RuntimeError if there is none."""
    return memory.max_memory_reserved(index_of(device_index))


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """Returns free and total bytes of the GPU. Raises RuntimeError if there is none."""
    return memory.mem_get_info(index_of(device_index))


def reset_peak_memory_stats(device_index: Any = None, /) -> None:
    """Makes the current values the peaks. Raises RuntimeError if there is no GPU."""
    memory.reset_peak_memory_stats(index_of(device_index))


def reset_accumulated_memory_stats(device_index: Any = None, /) -> None:
    """Sets the totals of what was allocated and freed to 0. Raises RuntimeError if there is no GPU."""
    memory.reset_accumulated_memory_stats(index_of(device_index))
