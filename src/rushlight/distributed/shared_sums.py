"""Sums of large tensors in memory that the ranks share, if all of them are on one machine.

MPI sends a tensor through small buffers, in several steps. Here each rank adds up one slice of the tensor for all. For
each chunk of a tensor a rank

1. copies the slices that the others add to its own slot,
2. adds up its slice, in gloo's order of the ranks (`ring_order.py`), once all have copied,
3. takes the other slices, once all have added.

Each rank counts the chunks of each step in the shared memory; the counters only grow, and every rank waits by reading
those of the others. Slots are used in turn: the one of a chunk is free when all have taken the chunk two before.
"""

from __future__ import annotations

import mmap
import platform
import sys
import threading
from collections import deque
from collections.abc import Iterator

import numpy as np

from rushlight.distributed import mpi
from rushlight.distributed.ring_order import add_terms, parts_between

__all__ = ["SMALLEST", "Sums", "bytes_for"]

SMALLEST = 1 << 17  # bytes of a tensor from which on it is faster than MPI
CHUNK = 1 << 20  # bytes: a slot of each rank stays in the processor's cache
SLOTS = 2  # of each rank
MOST = 16  # ranks, so that the memory is no more than that of MPI
LINE = 64  # bytes between two counters, so that ranks do not write to one line of a cache
COPIED, ADDED, TAKEN = range(3)


def bytes_for(ranks: int) -> int:
    """Returns the size of the memory for some ranks, all on this machine; 0 where sums are left to MPI.

    Other processors than x86 may show a counter to others before the values that it counts.
    """
    fits = 1 < ranks <= MOST and platform.machine() in ("x86_64", "AMD64")
    return ranks * (3 * LINE + SLOTS * CHUNK) if fits else 0


class Sum:
    """A request, as those of MPI: `Test` goes on as far as the other ranks let it."""

    def __init__(self, sums: Sums, memory: np.ndarray) -> None:
        self.sums, self.done = sums, False
        self.steps = sums.steps(memory)
        self.waits: tuple[int, int] | None = (COPIED, 0)  # for a step of so many chunks; at first for nothing

    def Test(self) -> bool:
        """Moves data; returns whether the sum is there."""
        if not self.done:
            self.sums.advance()
        return self.done


class Sums:
    """The sums of the default group. They are computed in the order of the calls, whichever is tested."""

    def __init__(self, memory: mmap.mmap, rank: int, size: int) -> None:
        self.rank, self.size = rank, size
        begin = size * 3 * LINE
        self.counters = memoryview(memory)[:begin].cast("q")
        self.slots = np.frombuffer(memory, np.uint8, offset=begin).reshape(SLOTS, size, CHUNK)
        self.chunks = 0
        self.queue: deque[Sum] = deque()
        self.turn = threading.Lock()

    def smallest(self, dtype: np.dtype, operator: str) -> int:
        """Returns from how many bytes on a reduction is computed here, which all ranks must find alike."""
        known = dtype.kind in "fV" or dtype.name in mpi.types()  # MPI has no halves
        return SMALLEST if known and operator in ("SUM", "AVG") else sys.maxsize

    def start(self, memory: np.ndarray) -> Sum:
        """Starts the sum of flat memory, in place."""
        with self.turn:
            request = Sum(self, memory)
            self.queue.append(request)
        self.advance()
        return request

    def advance(self) -> None:
        """Goes on with all sums, as far as the other ranks let it."""
        if not self.turn.acquire(blocking=False):
            return  # another thread does it
        try:
            while self.queue and self.advanced(self.queue[0]):
                self.queue.popleft().done = True
        finally:
            self.turn.release()

    def advanced(self, request: Sum) -> bool:
        """Goes on with a sum; returns whether it is there."""
        while request.waits is not None:
            if not self.reached(*request.waits):
                return False
            request.waits = next(request.steps, None)
        return True

    def reached(self, step: int, chunks: int) -> bool:
        """Whether all ranks have made a step of so many chunks."""
        return all(self.counters[at] >= chunks for at in range(place(0, step), len(self.counters), place(1, 0)))

    def steps(self, memory: np.ndarray) -> Iterator[tuple[int, int]]:
        """Computes a sum; yields what all ranks must have done before it goes on."""
        length = CHUNK // memory.itemsize
        slots = self.slots.view(memory.dtype)
        for begin in range(0, memory.size, length):
            part = memory[begin : begin + length]
            self.chunks += 1
            number = self.chunks
            slot = slots[number % SLOTS, :, : part.size]
            edges = [min(part.size, -(-part.size // self.size) * k) for k in range(self.size + 1)]
            slices = [slice(*pair) for pair in zip(edges, edges[1:], strict=False)]
            yield TAKEN, number - SLOTS
            for other in self.others():
                slot[self.rank, slices[other]] = part[slices[other]]
            self.count(COPIED, number)
            yield COPIED, number
            self.add(part, slot, slices[self.rank], begin, memory.size)
            self.count(ADDED, number)
            yield ADDED, number
            for other in self.others():
                part[slices[other]] = slot[other, slices[other]]
            self.count(TAKEN, number)

    def add(self, part: np.ndarray, slot: np.ndarray, own: slice, begin: int, count: int) -> None:
        """Adds up a slice of all ranks for this rank and the others.

        `begin` is where the chunk `part` begins in the tensor of `count` elements.
        """
        terms = [part[own] if rank == self.rank else slot[rank, own] for rank in range(self.size)]
        total = slot[self.rank, own]
        ends = begin + own.start, begin + own.stop
        for piece, order in parts_between(*ends, count, part.itemsize, self.size):
            add_terms([terms[rank][piece] for rank in order], total[piece])
        part[own] = total

    def others(self) -> list[int]:
        """Returns the other ranks."""
        return [rank for rank in range(self.size) if rank != self.rank]

    def count(self, step: int, chunks: int) -> None:
        """Lets the others see that this rank has made a step."""
        self.counters[place(self.rank, step)] = chunks


def place(rank: int, step: int) -> int:
    """Returns where the counter of a rank is, in numbers of 8 bytes."""
    return (3 * rank + step) * LINE // 8
