"""The GPUs of the machine: the backend over CuPy. Used only where NVIDIA's driver and CuPy are installed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from rushlight.arrays.cuda.device import Cuda, Language
from rushlight.arrays.cuda.devices import Devices


@cache
def language() -> Language:
    """Returns the array language over CuPy."""
    import cupy
    import cupyx.scipy.special

    return Language(cupy, cupyx)


def count() -> int:
    """Returns the number of GPUs that the driver shows this process."""
    runtime = language().cupy.cuda.runtime
    try:
        return runtime.getDeviceCount()
    except runtime.CUDARuntimeError:  # a driver without a GPU
        return 0


def nccl() -> Any:
    """Returns CuPy's module for NCCL, which carries data between GPUs; None if its library is not installed."""
    module = import_module("cupy.cuda.nccl")
    return module if module.available else None


def made(devices: Devices, index: int) -> Cuda:
    """Returns the backend of a GPU."""
    backend = Cuda(devices, index, language())
    backend.load_nccl, backend.captures_streams = nccl, True
    return backend


DEVICES = Devices(made)
