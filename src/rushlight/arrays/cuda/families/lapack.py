"""Factorizations on the device, by cuSOLVER through CuPy."""

from __future__ import annotations

import numpy as np


def qr(array, mode: str) -> tuple:
    """Returns Q and R; an empty Q in the mode "r"."""
    if mode == "r":
        return np.zeros(0, array.dtype), np.linalg.qr(array, "r")
    return tuple(np.linalg.qr(array, mode))


def geqrf(array) -> tuple:
    """Returns R above the vectors of the reflections whose product is Q, and their factors."""
    packed, factors = np.linalg.qr(array, "raw")
    return np.swapaxes(packed, -1, -2), factors
