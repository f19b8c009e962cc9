"""Which GPU a call means, and what is said where there is none."""

from __future__ import annotations

import os
from typing import Any

from rushlight.core.device import BACKENDS, as_device
from rushlight.core.device import device as Device

PAGES = "SC_AVPHYS_PAGES", "SC_PHYS_PAGES"  # the free ones, and all
ABSENT = "Torch not compiled with CUDA enabled"


def need_gpu() -> None:
    """Raises AssertionError unless there is a GPU, or the simulated one."""
    if "cuda" not in BACKENDS.by_kind:
        raise AssertionError(ABSENT)


def memory_of_machine() -> tuple[int, int]:
    """The bytes of memory that are free, and all, as far as the system says so; 0 where it does not."""
    known = getattr(os, "sysconf_names", {})
    free, total = (os.sysconf(each) * os.sysconf("SC_PAGE_SIZE") if each in known else 0 for each in PAGES)
    return free or total, total


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """The index of the GPU that a number, a name, a device or the context manager `torch.cuda.device` stands for.

    Without an index it is the GPU in use, or None where there is no GPU. Raises ValueError for another device, and for
    none unless that is `optional`.

    >>> _get_device_index("cuda:0")
    0
    """
    if isinstance(device, int):
        return device
    place = as_device(device) if isinstance(device, str) else device
    index = getattr(place, "idx", None)
    if isinstance(place, Device):
        if allow_cpu and place.type == "cpu":
            return -1
        if place.type != "cuda":
            raise ValueError(f"Expected a cuda{' or cpu' if allow_cpu else ''} device, but got: {device}")
        index = place.index
    if index is None and not optional:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    in_use = 0 if "cuda" in BACKENDS.by_kind else None
    return in_use if index is None else index
