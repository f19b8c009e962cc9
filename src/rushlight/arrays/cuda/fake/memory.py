"""Memory of the fake CuPy: which allocator a thread takes it from, and pools, which count it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import finalize, ref

import numpy as np

from rushlight.arrays.cuda.fake import streams

ROUNDED = 512  # bytes that every block is a multiple of


class PooledMemory:
    """A block of a pool."""

    def __init__(self, pool: MemoryPool, size: int) -> None:
        self.pool, self.size = ref(pool), size

    def free(self) -> None:
        if (pool := self.pool()) is not None:
            pool.used -= self.size
            pool.unused += self.size


class MemoryPool:
    """A pool: it keeps the blocks that are freed."""

    def __init__(self, allocator: Any = None) -> None:
        self.used = self.unused = 0

    def malloc(self, size: int) -> PooledMemory:
        size = -(-size // ROUNDED) * ROUNDED
        self.used += size
        self.unused = max(self.unused - size, 0)
        return PooledMemory(self, size)

    def used_bytes(self) -> int:
        return self.used

    def total_bytes(self) -> int:
        return self.used + self.unused

    def free_all_blocks(self, stream: Any = None) -> None:
        self.unused = 0


class OfThread(threading.local):
    allocator: Callable[[int], PooledMemory] | None = None


OF_THREAD = OfThread()
DEFAULT = MemoryPool()


def get_default_memory_pool() -> MemoryPool:
    return DEFAULT


@contextmanager
def using_allocator(allocator: Callable[[int], PooledMemory] | None = None) -> Iterator[None]:
    """In the block, this thread takes memory from an allocator."""
    before, OF_THREAD.allocator = OF_THREAD.allocator, allocator
    try:
        yield
    finally:
        OF_THREAD.allocator = before


def take(cells: np.ndarray) -> None:
    """Takes memory for numbers. Refused during a capture, unless it comes from a pool other than the usual one."""
    allocator, capture = OF_THREAD.allocator, streams.current().capture
    if allocator is None:
        if capture is not None:
            capture.refuse(900)
        return
    block = allocator(cells.nbytes)
    while isinstance(cells.base, np.ndarray):
        cells = cells.base
    finalize(cells, block.free).atexit = False
    if capture is not None:
        if block.pool() is DEFAULT:
            capture.refuse(900)
        capture.pools.add(block.pool)
