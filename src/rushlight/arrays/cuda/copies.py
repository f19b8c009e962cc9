"""Copies between the CPU and the device, which keep the order of dimensions in memory."""

from __future__ import annotations

from typing import Any

import numpy as np


def sent(cupy: Any, array: np.ndarray | np.generic, queued: bool = False) -> Any:
    """Copies an array of the CPU to the device.

    CuPy queues the copy. The device reads pinned memory when it comes to it, so the program waits for that unless it
    has asked for a `queued` copy. Of other memory CuPy makes a pinned copy at once, which the device reads.
    """
    order = outermost_first(array)
    dense = np.asarray(array.transpose(order), order="C")
    waits = not queued and cupy.cuda.pinned_memory.is_memory_pinned(dense.__array_interface__["data"][0])
    return cupy.asarray(dense, blocking=waits).transpose(inverse(order))


def fetched(array: Any) -> np.ndarray:
    """Copies an array of the device to the CPU; waits for what computes it."""
    order = outermost_first(array)
    return array.transpose(order).get().transpose(inverse(order))


def outermost_first(array: Any) -> tuple[int, ...]:
    """Returns the dimensions of an array from the largest step to the smallest."""
    return tuple(sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis])))


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the permutation that undoes one."""
    return tuple(order.index(axis) for axis in range(len(order)))
