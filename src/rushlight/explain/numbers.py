"""A tensor's elements as NumPy arrays for display, for any dtype and device."""

from __future__ import annotations

import numpy as np

from rushlight.core.device import host
from rushlight.core.dtype import complex128, float64
from rushlight.core.tensor import Tensor


def wide(tensor: Tensor) -> np.ndarray:
    """Returns the elements on the CPU in double precision."""
    return host(tensor.detach().to(complex128 if tensor.is_complex() else float64))


def numpy_of(tensor: Tensor) -> str:
    """Returns the method call that gives the NumPy array, after `tensor.detach().`."""
    return "numpy(force=True)" if tensor.is_conj() or tensor.is_neg() else "numpy()"


def length(numbers: np.ndarray) -> float:
    """Returns the Euclidean norm of all elements."""
    return float(np.linalg.norm(numbers.ravel()))
