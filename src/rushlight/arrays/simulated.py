"""A simulated GPU memory: CPU arrays of a separate class.

They are a subclass of NumPy arrays, so every kernel runs on them. Other code keeps them separate: transfers copy, the
general path refuses to mix them with CPU arrays, and `.numpy()` refuses the class.
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
    def dtype(self, dtype):  # called by `view` with a dtype
        np.ndarray.dtype.__set__(self, dtype)


def from_cpu(array: np.ndarray, place) -> SimulatedArray:
    """Copies an array to the simulated memory."""
    return np.array(array, order="K", copy=True, subok=False).view(SimulatedArray)


def to_cpu(array: SimulatedArray) -> np.ndarray:
    """Copies an array to the CPU's memory."""
    return np.array(array, order="K", copy=True, subok=False)


def adopt(array) -> SimulatedArray:
    """Views the result of a kernel as an array in the simulated memory, without copying."""
    return np.asarray(array).view(SimulatedArray)
