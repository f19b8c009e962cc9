"""Pinned memory of the fake CuPy: memory of the CPU that the device reads when it comes to the copy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.array import GARBAGE, made, ndarray, spoil
from rushlight.arrays.cuda.fake.runtime import CUDARuntimeError

ROUNDED = 512  # bytes that every block is a multiple of


class PinnedMemoryPointer(bytearray):
    """A block of pinned memory; `ptr` is its address."""

    __slots__ = ("__weakref__", "ptr")

    def __init__(self, size: int) -> None:
        super().__init__(bytes([GARBAGE]) * (-(-size // ROUNDED) * ROUNDED))
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


def fetching(cells: np.ndarray, out: np.ndarray, blocking: bool) -> Callable[[], None]:
    """Returns what copies numbers to the CPU.

    CuPy does not keep the memory there: pinned memory that is let go of before a queued copy is another's by then.
    """
    address = out.ctypes.data
    if blocking or not out.size or not is_memory_pinned(address):
        return lambda: np.copyto(out, cells)
    shape, kind, strides, size = out.shape, out.dtype, out.strides, out.nbytes

    def copy() -> None:
        if not is_memory_pinned(address):
            raise CUDARuntimeError(700)
        memory = (ctypes.c_char * size).from_address(address)
        np.copyto(np.ndarray(shape, kind, memory, strides=strides), cells)

    return copy
