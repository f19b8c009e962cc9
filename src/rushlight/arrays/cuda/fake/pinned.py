"""Pinned memory of the fake CuPy: memory of the CPU that the device reads when it comes to the copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.array import made, ndarray, spoil

ROUNDED = 512  # bytes that every block is a multiple of


class PinnedMemoryPointer(bytearray):
    """A block of pinned memory; `ptr` is its address."""

    __slots__ = ("__weakref__", "ptr")

    def __init__(self, size: int) -> None:
        super().__init__(-(-size // ROUNDED) * ROUNDED)
        self.ptr = np.frombuffer(self, np.uint8).ctypes.data if self else 0

    def size(self) -> int:
        return len(self)


BLOCKS: WeakValueDictionary[int, PinnedMemoryPointer] = WeakValueDictionary()  # those in use, by address


def alloc_pinned_memory(size: int) -> PinnedMemoryPointer:
    """Returns a block of at least a number of bytes."""
    block = PinnedMemoryPointer(size)
    if block:
        BLOCKS[block.ptr] = block
    return block


def is_memory_pinned(data: int) -> bool:
    """Whether an address is in pinned memory."""
    return any(start <= data < start + len(block) for start, block in list(BLOCKS.items()))


def bytes_in_use() -> int:
    return sum(map(len, list(BLOCKS.values())))


def queued_copy(compute: Callable[[Any], Any], memory: np.ndarray) -> ndarray:
    """Returns an array of the device, into which the current stream copies pinned memory, which it keeps until then."""
    array = made(compute(np.array(memory)))
    spoil(array.cells)
    streams.current().queue(lambda: np.copyto(array.cells, compute(memory)), [array.cells])
    return array
