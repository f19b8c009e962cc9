"""`torch.cuda.memory`: what is allocated on a GPU, and by which blocks.

On a simulated GPU the counters are true: they follow the arrays of living tensors, and a caching allocator as PyTorch
describes it (`arrays/device_memory.py`). https://docs.pytorch.org/docs/stable/cuda.html#memory-management
"""

from __future__ import annotations

import itertools
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.cuda._memory_summary import summary
from rushlight.cuda._pinned import PINNED
from rushlight.cuda._utils import backend_of, need_gpu

__all__ = [
    "CUDAPluggableAllocator", "MemPool", "caching_allocator_alloc", "caching_allocator_delete",
    "caching_allocator_disabled", "caching_allocator_enable", "change_current_allocator", "empty_cache",
    "get_allocator_backend", "get_per_process_memory_fraction", "host_memory_stats", "host_memory_stats_as_nested_dict",
    "list_gpu_processes", "max_memory_allocated", "max_memory_cached", "max_memory_reserved", "mem_get_info",
    "memory_allocated", "memory_cached", "memory_reserved", "memory_snapshot", "memory_stats",
    "memory_stats_as_nested_dict", "memory_summary", "reset_accumulated_host_memory_stats",
    "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_peak_host_memory_stats", "reset_peak_memory_stats", "set_per_process_memory_fraction", "use_mem_pool",
]  # fmt: skip

NUMBERS = itertools.count(1)  # of pools


def _memory(device: Any) -> Any:
    """Returns the memory of a GPU, by default of the current one. Raises AssertionError if there is none."""
    return backend_of(device).memory


def is_there() -> bool:
    return "cuda" in BACKENDS.by_kind


# ---- counters


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """Returns the counters of the allocator, nested; none if there is no GPU."""
    return _memory(device).counters() if is_there() else {}


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Returns the counters of the allocator under PyTorch's names; none if there is no GPU.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     before = torch.cuda.memory_stats()["allocated_bytes.all.current"]
    ...     x = torch.ones(100, device="cuda")
    ...     torch.cuda.memory_stats()["allocated_bytes.all.current"] - before
    512
    """
    return flattened(memory_stats_as_nested_dict(device))


def flattened(nested: dict[str, Any]) -> dict[str, Any]:
    """Returns a nested dictionary as one, sorted, with the keys joined by dots."""

    def entries(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from entries(f"{prefix}.{key}" if prefix else key, inner)
        else:
            yield prefix, value

    return OrderedDict(sorted(entries("", nested)))


def memory_allocated(device: Any = None) -> int:
    """Returns the bytes of a GPU's memory that tensors use."""
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device: Any = None) -> int:
    """Returns the largest number of bytes that tensors used, since the start or `reset_peak_memory_stats`."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device: Any = None) -> int:
    """Returns the bytes of a GPU's memory that the allocator holds, in use or kept for later."""
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device: Any = None) -> int:
    """Returns the largest number of bytes that the allocator held."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def memory_cached(device: Any = None) -> int:
    """Deprecated: `memory_reserved`."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: Any = None) -> int:
    """Deprecated: `max_memory_reserved`."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def _renamed(old: str, new: str) -> None:
    warnings.warn(f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning, stacklevel=3)


def reset_peak_memory_stats(device: Any = None) -> None:
    """Makes the current values the peaks. Raises AssertionError if there is no GPU."""
    _memory(device).reset_peaks()


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Sets the totals of what was allocated and freed to 0. Raises AssertionError if there is no GPU."""
    _memory(device).reset_accumulated()


def reset_max_memory_allocated(device: Any = None) -> None:
    """Deprecated: `reset_peak_memory_stats`."""
    _resets_all("reset_max_memory_allocated")
    reset_peak_memory_stats(device)


def reset_max_memory_cached(device: Any = None) -> None:
    """Deprecated: `reset_peak_memory_stats`."""
    _resets_all("reset_max_memory_cached")
    reset_peak_memory_stats(device)


def _resets_all(name: str) -> None:
    words = f"torch.cuda.{name} now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak memory stats."
    warnings.warn(words, FutureWarning, stacklevel=3)


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """Returns the counters of pinned memory, nested; none if there is no GPU."""
    return PINNED.counters() if is_there() else {}


def host_memory_stats() -> dict[str, Any]:
    """Returns the counters of pinned memory under PyTorch's names; none if there is no GPU."""
    return flattened(host_memory_stats_as_nested_dict())


def reset_peak_host_memory_stats() -> None:
    """Makes the current values of pinned memory the peaks. Raises AssertionError if there is no GPU."""
    need_gpu()
    PINNED.reset_peaks()


def reset_accumulated_host_memory_stats() -> None:
    """Sets the totals of pinned memory to 0. Raises AssertionError if there is no GPU."""
    need_gpu()
    PINNED.reset_accumulated()


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """Returns a table of the counters, as text. Raises KeyError if there is no GPU, as PyTorch does."""
    return summary(memory_stats(device), backend_of(device).index if is_there() else 0, abbreviated)


# ---- the device's memory


def empty_cache() -> None:
    """Returns to the device all memory that is kept for later and not in use; of all GPUs."""
    if is_there():
        for backend in backend_of().devices:
            backend.memory.release()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Returns free and total bytes of a GPU's memory. Raises AssertionError if there is no GPU."""
    memory = _memory(device)
    memory.collect()
    return max(memory.total - memory.reserved, 0), memory.total


def get_per_process_memory_fraction(device: Any = None) -> float:
    """Returns the fraction of memory that this process may use. Raises AssertionError if there is no GPU."""
    return _memory(device).fraction


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Sets the fraction of a GPU's memory that this process may use; beyond it is OutOfMemoryError.

    Raises AssertionError if there is no GPU, TypeError and ValueError for what is no fraction.
    """
    need_gpu()
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _memory(device).fraction = fraction


def list_gpu_processes(device: Any = None) -> str:
    """Returns what PyTorch returns without NVIDIA's Python package, which a simulated GPU has no use for."""
    return "pynvml module not found, please install nvidia-ml-py"


# ---- blocks


def memory_snapshot(mempool_id: Any = None, include_traces: bool = True) -> list[dict[str, Any]]:
    """Returns all segments of all GPUs and their blocks, of one pool if given. Raises AssertionError without a GPU."""
    need_gpu()
    return [
        _segment(backend, segment)
        for backend in backend_of().devices
        for segment in backend.memory.segments.values()
        if mempool_id is None or segment.where.pool == mempool_id
    ]


def _segment(backend: Any, segment: Any) -> dict[str, Any]:
    backend.memory.collect()
    blocks = list(segment.blocks())
    used = [block for block in blocks if not block.free]
    size = sum(block.size for block in used)
    return {
        "device": backend.index, "address": segment.address, "total_size": segment.size, "allocated_size": size,
        "active_size": size, "requested_size": sum(block.requested for block in used), "stream": segment.where.stream,
        "segment_type": "small" if segment.where.small else "large",
        "segment_pool_id": segment.where.pool or (0, 0), "is_expandable": False, "frames": [],
        "blocks": [_block(block) for block in blocks],
    }  # fmt: skip


def _block(block: Any) -> dict[str, Any]:
    place = block.place
    frames = [] if place is None else [{"filename": place.file, "line": place.line, "name": place.function}]
    return {
        "address": block.address, "size": block.size, "requested_size": block.requested,
        "state": "inactive" if block.free else "active_allocated", "frames": frames,
    }  # fmt: skip


ALLOCATED: dict[int, tuple] = {}  # the blocks of `caching_allocator_alloc`, by address


def caching_allocator_alloc(size: int, device: Any = None, stream: Any = None) -> int:
    """Allocates bytes of a GPU's memory, and returns their address. Raises AssertionError if there is no GPU."""
    backend = backend_of(device)
    chosen = backend.devices.here.streams.get(backend.index) if stream is None else stream
    if not isinstance(number := getattr(chosen, "stream_id", 0 if chosen is None else chosen), int):
        raise TypeError(
            "Invalid type for stream argument, must be `torch.cuda.Stream` or `int` representing a pointer to a "
            "existing stream"
        )
    block = backend.memory.allocate(size, number)
    ALLOCATED[block.address] = backend.memory, block
    return block.address


def caching_allocator_delete(mem_ptr: int) -> None:
    """Frees what `caching_allocator_alloc` allocated. Raises RuntimeError for any other address."""
    if mem_ptr not in ALLOCATED:
        raise RuntimeError(f"invalid device pointer: {mem_ptr:#x}")
    memory, block = ALLOCATED.pop(mem_ptr)
    memory.free_block(block)


def caching_allocator_enable(value: bool = True) -> None:
    """Whether freed memory is kept for later."""
    if is_there():
        for backend in backend_of().devices:
            backend.memory.caching = value


@contextmanager
def caching_allocator_disabled() -> Iterator[None]:
    """In the block, freed memory is not kept for later."""
    need_gpu()
    caching_allocator_enable(False)
    try:
        yield
    finally:
        caching_allocator_enable(True)


def get_allocator_backend() -> str:
    """Returns "native": PyTorch's name of its caching allocator. Raises AssertionError if there is no GPU."""
    need_gpu()
    return "native"


def _only_this_allocator(*args: Any) -> NoReturn:
    raise noted(
        RuntimeError("The memory of a simulated GPU has one allocator."),
        "It computes in the CPU's memory, which another library cannot give out.",
    )


class CUDAPluggableAllocator:
    """An allocator of another library. Raises RuntimeError: simulated memory has one allocator."""

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        _only_this_allocator()


change_current_allocator = _only_this_allocator


# ---- pools


class MemPool:
    """A pool of memory that only what runs in `use_mem_pool` takes from. Raises RuntimeError if there is no GPU."""

    def __init__(self, allocator: Any = None, use_on_oom: bool = False, no_split: bool = False) -> None:
        if not is_there():
            raise RuntimeError("Tried to instantiate dummy base class MemPool")
        if allocator is not None:
            _only_this_allocator()
        self.id = new_pool()
        self.allocator = None

    def use_count(self) -> int:
        """Returns how many blocks of `use_mem_pool` take memory from the pool now, and the object itself."""
        return 1 + backend_of().devices.here.pools.count(self.id)

    def snapshot(self, include_traces: bool = True) -> list[dict[str, Any]]:
        """Returns the segments of the pool."""
        return memory_snapshot(self.id, include_traces)


def new_pool() -> tuple[int, int]:
    """Returns the name of a pool that no other has."""
    return (0, next(NUMBERS))


@contextmanager
def use_mem_pool(pool: MemPool, device: Any = None) -> Iterator[None]:
    """In the block, new memory of this thread comes from a pool. Raises AssertionError if there is no GPU."""
    pools = backend_of(device).devices.here.pools
    pools.append(pool.id)
    try:
        yield
    finally:
        pools.pop()
