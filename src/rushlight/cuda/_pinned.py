"""Pinned memory: memory of the CPU from which a GPU copies by itself, while the program goes on.

CuPy allocates it, page-locked, and keeps what is freed for later.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.arrays.cuda.copies import inverse, outermost_first
from rushlight.arrays.device_memory import Stat
from rushlight.core.device import BACKENDS, CAPTURING, CPU, WAITS
from rushlight.core.errors import noted
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.modes import announce_write
from rushlight.core.strides import extent
from rushlight.core.tensor import PLAIN_TYPES, Tensor, look_at
from rushlight.dispatch.destination import is_untracked

STATS = ("allocations", "allocated_bytes", "active_requests", "active_bytes")
TIMES = {name: {"total": 0, "max": 0, "min": 0, "count": 0, "avg": 0} for name in ("host_alloc_time", "host_free_time")}


class Pinned:
    """The counters of pinned memory. Blocks are powers of two."""

    def __init__(self) -> None:
        self.stats = {name: Stat() for name in STATS}

    def hold(self, array: np.ndarray) -> None:
        """Counts an array until it dies."""
        size = 1 << max(array.nbytes - 1, 0).bit_length()
        self._count(1, size)
        weakref.finalize(array, self._count, -1, -size).atexit = False

    def _count(self, blocks: int, size: int) -> None:
        for name, stat in self.stats.items():
            stat.add(size if name.endswith("bytes") else blocks)

    def counters(self) -> dict[str, Any]:
        blocks = self.stats["allocations"]
        events = {"num_host_alloc": blocks.allocated, "num_host_free": blocks.freed}
        return {name: stat.as_dict() for name, stat in self.stats.items()} | events | TIMES

    def reset_peaks(self) -> None:
        for stat in self.stats.values():
            stat.peak = stat.current

    def reset_accumulated(self) -> None:
        for stat in self.stats.values():
            stat.allocated = stat.freed = 0


PINNED = Pinned()


def pinned(tensor: Tensor) -> Tensor:
    """Returns a copy of a tensor in pinned memory; itself if it is pinned already, or there is no GPU to copy from it.

    Raises RuntimeError if the tensor is not on the CPU.
    """
    if "cuda" not in BACKENDS.by_kind:
        return tensor
    if not tensor.is_cpu:
        raise noted(
            RuntimeError(f"cannot pin '{tensor.type()}' only dense CPU tensors can be pinned"),
            "Only memory of the CPU is pinned: pin it before .cuda(), or copy back with .cpu() first.",
        )
    return tensor if tensor._storage.pinned else moved(F.clone(tensor.resolve_conj().resolve_neg()))


def moved(tensor: Tensor) -> Tensor:
    """Gives a tensor, whose memory no other tensor has yet, pinned memory in place of its own."""
    look_at(tensor, locked(tensor._array))
    tensor._storage.pinned = True
    return tensor


def locked(array: np.ndarray) -> np.ndarray:
    """Returns a copy of an array in pinned memory, which is counted until it dies."""
    backend: Any = BACKENDS.by_kind["cuda"]
    copied = np.ndarray(array.shape, array.dtype, backend.pinned(max(extent(array), 1)), strides=array.strides)
    copied[...] = array
    PINNED.hold(copied)
    return copied


def empty_like(array: Any) -> np.ndarray:
    """Returns pinned memory in one piece for an array of a GPU, in its order of dimensions."""
    backend: Any = BACKENDS.by_kind["cuda"]
    order = outermost_first(array)
    kind = np.dtype(array.dtype.type)  # without the mark of a device's
    size = max(array.size * kind.itemsize, 1)
    memory = np.ndarray(tuple(array.shape[axis] for axis in order), kind, backend.pinned(size))
    PINNED.hold(memory)
    return memory.transpose(inverse(order))


def fetched(tensor: Tensor) -> Tensor:
    """Returns a copy of a tensor of a GPU in pinned memory of the CPU, which the GPU fills when it comes to that."""
    with WAITS.without(target=empty_like):
        result = F.to_copy(tensor, None, CPU)
    result._storage.pinned = True
    return result


def queue_copy(tensor: Tensor, source: Tensor) -> bool:
    """Has a GPU copy a tensor of its own to one in pinned memory when it comes to that; returns False if it cannot.

    It can if the memory is in one piece, the tensors are plain ones and no gradient flows.
    """
    array: Any = tensor._array
    if type(array) is not np.ndarray or not tensor._storage.pinned or tensor._storage.inference or CAPTURING:
        return False
    if not all(
        type(each) in PLAIN_TYPES and not each.requires_grad and is_untracked(each) for each in (tensor, source)
    ):
        return False
    if not array.transpose(outermost_first(array)).flags.c_contiguous:
        return False
    values = source.to(tensor.dtype).expand(tensor.shape)  # on the GPU
    announce_write(tensor)
    backend: Any = BACKENDS.on(source.device)
    backend.fill(array, plain(values._array))
    tensor._storage.written()
    return True


def created(make: Callable[..., Tensor], args: tuple, kwargs: dict[str, Any]) -> Tensor:
    """Returns what a function makes, pinned if there is a GPU. Raises RuntimeError if it is not on the CPU."""
    made = make(*args, **kwargs)
    if "cuda" not in BACKENDS.by_kind:
        return made
    if not made.is_cpu:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    return moved(made)
