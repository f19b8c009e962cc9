"""Simulated GPUs: the backend over a fake CuPy, for machines without a GPU."""

from __future__ import annotations

from functools import cache

from rushlight.arrays.cuda.device import Cuda, Language
from rushlight.arrays.cuda.devices import Devices
from rushlight.arrays.cuda.fake.namespace import cupy, cupyx


@cache
def language() -> Language:
    """Returns the array language over the fake CuPy."""
    return Language(cupy, cupyx)


def simulated(devices: Devices, index: int) -> Cuda:
    """Returns a simulated GPU with as much memory as the machine has."""
    return Cuda(devices, index, language())


DEVICES = Devices(simulated)
