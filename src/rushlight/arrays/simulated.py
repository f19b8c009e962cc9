"""A stand-in for a GPU's memory: arrays of the CPU that know they are elsewhere.

They are NumPy arrays of a class of their own, so every kernel runs on them. What makes them honest is around them:
transfers copy, the general path refuses to mix them with arrays of the CPU, and `.numpy()` refuses the class.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.marked_dtypes import marked


class SimulatedArray(np.ndarray):
    """An array in the memory of the simulated GPU."""

    @property
    def dtype(self):
        return marked(np.ndarray.dtype.__get__(self))

    @dtype.setter
    def dtype(self, kind):  # by which `view` gives its result another dtype
        np.ndarray.dtype.__set__(self, kind)


def from_cpu(array: np.ndarray, place) -> SimulatedArray:
    """A copy in the simulated memory."""
    return np.array(array, order="K", copy=True, subok=False).view(SimulatedArray)


def to_cpu(array: SimulatedArray) -> np.ndarray:
    """A copy in the CPU's memory."""
    return np.array(array, order="K", copy=True, subok=False)


def adopt(array) -> SimulatedArray:
    """A result of a kernel, wherever the kernel made it, without copying."""
    return np.asarray(array).view(SimulatedArray)
