"""The device `cuda` over the fake CuPy, for machines without a GPU."""

from __future__ import annotations

from functools import cache

from rushlight.arrays.cuda.device import Cuda
from rushlight.arrays.cuda.fake.namespace import cupy, cupyx


@cache
def over_fake() -> Cuda:
    """Returns the backend over the fake CuPy."""
    return Cuda(cupy, cupyx.scipy.special)
