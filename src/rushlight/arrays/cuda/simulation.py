"""Simulated GPUs: the backend over a fake CuPy, for machines without a GPU."""

from __future__ import annotations

import os
from functools import cache

from rushlight.arrays.cuda.device import Cuda, Language
from rushlight.arrays.cuda.devices import Devices
from rushlight.arrays.cuda.fake.namespace import cupy, cupyx

PAGES = "SC_AVPHYS_PAGES", "SC_PHYS_PAGES"  # free pages, and all


def memory_of_machine() -> tuple[int, int]:
    """Returns the bytes of free and of total memory, as reported by the system; 0 if unknown."""
    names = getattr(os, "sysconf_names", {})
    free, total = (os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") if name in names else 0 for name in PAGES)
    return free or total, total


@cache
def language() -> Language:
    """Returns the array language over the fake CuPy."""
    return Language(cupy, cupyx.scipy.special)


def simulated(devices: Devices, index: int) -> Cuda:
    """Returns a simulated GPU with as much memory as the machine has."""
    return Cuda(devices, index, language(), memory_of_machine()[1])


DEVICES = Devices(simulated)
