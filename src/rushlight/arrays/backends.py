"""The backends that are always there: the CPU and meta; the simulated GPU when asked for."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import cpu
from rushlight.core.device import BACKENDS, CPU, Backend


def register() -> None:
    """Makes the CPU known; called once by the package root."""
    BACKENDS.register(Backend("cpu", np.ndarray, cpu, lambda array, place: array, lambda array: array, lambda array: CPU))
