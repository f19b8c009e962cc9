"""A tensor's numbers, whatever its dtype and device, for showing them."""

from __future__ import annotations

import numpy as np

from rushlight.core.device import host
from rushlight.core.dtype import complex128, float64
from rushlight.core.tensor import Tensor


def wide(tensor: Tensor) -> np.ndarray:
    """The numbers in the CPU's memory and in double precision."""
    return host(tensor.detach().to(complex128 if tensor.is_complex() else float64))


def numpy_of(tensor: Tensor) -> str:
    """What to write for the numbers in NumPy, after `tensor.detach().`."""
    return "numpy(force=True)" if tensor.is_conj() or tensor.is_neg() else "numpy()"


def length(numbers: np.ndarray) -> float:
    """The square root of the sum of the squares of all numbers."""
    return float(np.linalg.norm(numbers.ravel()))
