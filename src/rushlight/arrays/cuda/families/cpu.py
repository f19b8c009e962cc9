"""Ufuncs of several results on the device: CuPy's are contiguous, where NumPy's keep the order of their operand."""

from __future__ import annotations

import numpy as np

from rushlight.core.strides import pointwise


def frexp(array):
    """Returns mantissas and exponents in the order of the operand."""
    return tuple(pointwise(part, array) for part in np.frexp(array))
