"""The GPUs of the machine: the backend over CuPy. Used only where NVIDIA's driver and CuPy are installed."""

from __future__ import annotations

from functools import cache

from rushlight.arrays.cuda.device import Cuda, Language
from rushlight.arrays.cuda.devices import Devices


@cache
def language() -> Language:
    """Returns the array language over CuPy."""
    import cupy
    import cupyx.scipy.special

    return Language(cupy, cupyx.scipy.special)


def count() -> int:
    """Returns the number of GPUs that the driver shows this process."""
    runtime = language().cupy.cuda.runtime
    try:
        return runtime.getDeviceCount()
    except runtime.CUDARuntimeError:  # a driver without a GPU
        return 0


DEVICES = Devices(lambda devices, index: Cuda(devices, index, language()))
