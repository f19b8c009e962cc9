"""Sends batches from a worker: pickles through a pipe, and their arrays through shared memory.

    worker   batch ──pickle──▶ Parcel ─────────── pipe ──────────▶ Parcel ──unpickle──▶ batch   program
                  └─ arrays ─▶ segment 3 ════ shared pages ══════▶ segment 3 ─▶ arrays ─┘
                                   ▲──── "3 is free", with the next task, once no array uses it

A segment is anonymous memory passed as a file descriptor: it has no name, so a killed process leaves nothing behind.
Segments are reused, because new pages cost more than the copy. A program that keeps its batches gets copies once it
holds many, so that neither segments nor descriptors run out.

Without such memory on the system, and for batches of a few kilobytes, the arrays go through the pipe.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import socket
import weakref
from collections import deque
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, count
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor

SHARED = hasattr(os, "memfd_create")
ALIGNMENT = 64
SMALL = 32 * 1024  # bytes; smaller arrays are as fast through the pipe
MOST_HELD = 8  # segments of one worker that the program's batches may occupy


class ForkCounter:
    """Counts the forks of this process: a child may use the segments too, so they are not reused."""

    def __init__(self):
        self.number = 0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.count)

    def count(self) -> None:
        """Counts a fork."""
        self.number += 1


FORKS = ForkCounter()


@dataclass(frozen=True)
class Parcel:
    """A pickle without its arrays, which are `arrays` in the pipe, or `spans` of a segment."""

    pickled: bytes
    arrays: list[bytearray]
    spans: list[slice]
    segment: int | None = None
    size: int = 0  # of the segment, if it is new: its descriptor follows
    dropped: tuple[int, ...] = ()  # segments released for it


class Packer(reduction.ForkingPickler):
    """Pickles a batch: a tensor that is a view of larger memory takes only its own elements along."""

    def reducer_override(self, value):
        """Returns how a tensor is pickled; NotImplemented for other values."""
        if not isinstance(value, Tensor):
            return NotImplemented
        if value.requires_grad and not value.is_leaf:
            raise noted(
                RuntimeError(
                    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
                    "support crossing process boundaries.  If you just want to transfer the data, call detach() on "
                    "the tensor before serializing (e.g., putting it on the queue)."
                ),
                "The batch requires grad: compute it under torch.no_grad() in the data set.",
            )
        if value.is_cpu and type(value) is Tensor and value._memory().nbytes > value.nbytes:
            return value.detach().clone().requires_grad_(value.requires_grad).__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        return value.__reduce_ex__(pickle.HIGHEST_PROTOCOL)  # not as `dispatch/sending.py` reduces it


def packed(data) -> tuple[bytes, list[memoryview]]:
    """Returns a pickle, and the memory of the arrays that it leaves out."""
    buffers: list[pickle.PickleBuffer] = []
    file = io.BytesIO()
    Packer(file, 5, True, buffers.append).dump(data)
    return file.getvalue(), [buffer.raw() for buffer in buffers]


# `multiprocessing.reduction` sends descriptors too, but from Python 3.14 on it reads an acknowledgement from the same
# socket, which may already hold the next task.
def send_descriptor(connection: Connection, descriptor: int) -> None:
    """Sends a file descriptor with one byte."""
    with socket.fromfd(connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM) as channel:
        socket.send_fds(channel, [b"d"], [descriptor])


def receive_descriptor(connection: Connection) -> int:
    """Returns the file descriptor that was sent. Raises EOFError if the worker is gone."""
    with socket.fromfd(connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM) as channel:
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    if not descriptors:
        raise EOFError
    return descriptors[0]


class Outbox:
    """The worker's end."""

    def __init__(self, connection: Connection):
        self._connection = connection
        self._segments: dict[int, mmap.mmap] = {}
        self._free: set[int] = set()
        self._numbers = count()

    def release(self, released: tuple[tuple[int, bool], ...]) -> None:
        """Handles segments that the program released: each is free for reuse, or closed."""
        for segment, reusable in released:
            if reusable:
                self._free.add(segment)
            else:
                del self._segments[segment]

    def pack(self, data) -> tuple[Parcel, int | None]:
        """Returns the parcel of some data, and the descriptor of its segment if that is new."""
        pickled, arrays = packed(data)
        if not SHARED or sum(array.nbytes for array in arrays) < SMALL:
            return Parcel(pickled, list(map(bytearray, arrays)), []), None
        sizes = [-(-array.nbytes // ALIGNMENT) * ALIGNMENT for array in arrays]
        starts = [0, *accumulate(sizes)]
        segment, size, dropped, descriptor = self._segment(starts.pop())
        spans = [slice(start, start + array.nbytes) for start, array in zip(starts, arrays, strict=True)]
        memory = np.frombuffer(self._segments[segment], np.uint8)
        for span, array in zip(spans, arrays, strict=True):
            memory[span] = array
        return Parcel(pickled, [], spans, segment, size, dropped), descriptor

    def _segment(self, needed: int) -> tuple[int, int, tuple[int, ...], int | None]:
        """Returns a free segment that is large enough, or a new one that replaces free segments that are too small."""
        fitting = [segment_id for segment_id in self._free if len(self._segments[segment_id]) >= needed]
        if fitting:
            segment = min(fitting, key=lambda segment_id: len(self._segments[segment_id]))
            self._free.remove(segment)
            return segment, 0, (), None
        dropped = tuple(self._free)
        self._free.clear()
        for segment_id in dropped:
            del self._segments[segment_id]
        # A power of two, so that batches of varying length soon fit; untouched pages take no memory
        size = 1 << (needed - 1).bit_length()
        descriptor = os.memfd_create("rushlight-batch")
        os.ftruncate(descriptor, size)
        segment = next(self._numbers)
        self._segments[segment] = mmap.mmap(descriptor, size)
        return segment, size, dropped, descriptor

    def send(self, message: tuple, descriptor: int | None) -> None:
        """Sends a message, and the descriptor of its parcel."""
        self._connection.send(message)
        if descriptor is not None:
            send_descriptor(self._connection, descriptor)
            os.close(descriptor)


class Inbox:
    """The program's end, one per worker."""

    def __init__(self, connection: Connection):
        self.connection = connection
        self._segments: dict[int, mmap.mmap] = {}
        self._held: dict[int, weakref.ref] = {}
        self._released: deque[tuple[int, bool]] = deque()  # appended to when the last array is dropped

    def released(self) -> tuple[tuple[int, bool], ...]:
        """Returns the segments released since the last call, each with whether it may be reused."""
        return tuple(self._released.popleft() for _ in range(len(self._released)))

    def receive(self) -> tuple:
        """Returns the next message and the memory of its parcel, held until its arrays are dropped: (..., memory).

        Raises EOFError if the worker is gone.
        """
        try:
            *message, parcel = self.connection.recv()
        except OSError as error:  # the worker died within a message
            raise EOFError from error
        return (*message, parcel, self._memory_of(parcel))

    def _memory_of(self, parcel: Parcel) -> np.ndarray | None:
        for segment_id in parcel.dropped:
            del self._segments[segment_id]
        if parcel.segment is None:
            return None
        if parcel.size:
            descriptor = receive_descriptor(self.connection)
            self._segments[parcel.segment] = mmap.mmap(descriptor, parcel.size)
            os.close(descriptor)
        memory = np.frombuffer(self._segments[parcel.segment], np.uint8)
        if len(self._held) >= MOST_HELD:
            self._released.append((parcel.segment, True))
            return memory.copy()
        dropped = partial(_dropped, self._held, self._released, self._segments, parcel.segment, FORKS.number)
        self._held[parcel.segment] = weakref.ref(memory, dropped)
        return memory


def _dropped(references: dict, released: deque, segments: dict, segment: int, forks: int, reference) -> None:
    """Releases a segment that no array of this process uses."""
    del references[segment]
    reusable = forks == FORKS.number
    if not reusable:
        del segments[segment]
    released.append((segment, reusable))


def unpacked(parcel: Parcel, memory: np.ndarray | None) -> Any:
    """Unpickles a parcel."""
    arrays = parcel.arrays if memory is None else [memory[span] for span in parcel.spans]
    return pickle.loads(parcel.pickled, buffers=arrays)
