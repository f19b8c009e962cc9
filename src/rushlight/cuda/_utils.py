"""Resolves the GPU of a call, and raises errors if there is none."""

from __future__ import annotations

from typing import Any

from rushlight.core.device import BACKENDS, as_device
from rushlight.core.device import device as Device

ABSENT = "Torch not compiled with CUDA enabled"
NVML = "nvidia-ml-py does not seem to be installed or it can't be imported."


def need_gpu() -> None:
    """Raises AssertionError unless there is a GPU, real or simulated."""
    if "cuda" not in BACKENDS.by_kind:
        raise AssertionError(ABSENT)


def backend_of(device: Any = None) -> Any:
    """Returns the backend of a GPU, by default of the current one. Raises AssertionError if there is none."""
    need_gpu()
    return BACKENDS.by_kind["cuda"].at(_get_device_index(device, optional=True))


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
    if index is not None:
        return index
    return BACKENDS.by_kind["cuda"].at(None).place.index if "cuda" in BACKENDS.by_kind else None
