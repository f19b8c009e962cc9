"""Resolves the GPU of a call, and raises errors if there is none."""

from __future__ import annotations

import os
from typing import Any

from rushlight.core.device import BACKENDS, as_device
from rushlight.core.device import device as Device

PAGES = "SC_AVPHYS_PAGES", "SC_PHYS_PAGES"  # free pages, and all
ABSENT = "Torch not compiled with CUDA enabled"


def need_gpu() -> None:
    """Raises AssertionError unless there is a GPU, real or simulated."""
    if "cuda" not in BACKENDS.by_kind:
        raise AssertionError(ABSENT)


def memory_of_machine() -> tuple[int, int]:
    """Returns the bytes of free and of total memory, as reported by the system; 0 if unknown."""
    names = getattr(os, "sysconf_names", {})
    free, total = (os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") if name in names else 0 for name in PAGES)
    return free or total, total


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """Returns the index of the GPU given as an integer, a name, a device or a `torch.cuda.device` context manager.

    Without an index it is the current GPU, or None if there is no GPU. Raises ValueError for another device, and for
    None unless `optional`.

    >>> _get_device_index("cuda:0")
    0
    """
    if isinstance(device, int):
        return device
    target = as_device(device) if isinstance(device, str) else device
    index = getattr(target, "idx", None)
    if isinstance(target, Device):
        if allow_cpu and target.type == "cpu":
            return -1
        if target.type != "cuda":
            raise ValueError(f"Expected a cuda{' or cpu' if allow_cpu else ''} device, but got: {device}")
        index = target.index
    if index is None and not optional:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    in_use = 0 if "cuda" in BACKENDS.by_kind else None
    return in_use if index is None else index
