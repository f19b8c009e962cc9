"""CUDA's runtime, as the fake CuPy has it: the properties of its devices, which are those of the machine."""

from __future__ import annotations

import os
import uuid
from typing import Any

NAME = "simulated on the CPU"
CAPABILITY = (0, 0)  # no actual GPU generation, so that programs take no path written for one
SHARED = 48 << 10  # bytes that every block of a GPU can share at least
COUNT = 64
CLOCKS = ("clockRate", "memoryClockRate", "memoryBusWidth")  # which the system does not tell


streamCaptureModeGlobal, streamCaptureModeThreadLocal, streamCaptureModeRelaxed = range(3)
ERRORS = {
    100: ("cudaErrorNoDevice", "no CUDA-capable device is detected"),
    401: ("cudaErrorIllegalState", "the operation cannot be performed in the present state"),
    700: ("cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    900: ("cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"),
    901: ("cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"),
    902: ("cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"),
    903: ("cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"),
    904: ("cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"),
    905: ("cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"),
    906: (
        "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"
    ),
    907: ("cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"),
}  # fmt: skip


class CUDARuntimeError(RuntimeError):
    """What CuPy raises for an error of CUDA's runtime."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(": ".join(ERRORS[status]))


class OutOfMemoryError(MemoryError):
    """What CuPy's pool raises, after it has given back its free blocks."""

    def __init__(self, size: int, total: int) -> None:
        super().__init__(f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes).")


def system(name: str) -> int:
    """Returns a number of the system's configuration; 0 if it is unknown."""
    return max(os.sysconf(name), 0) if name in getattr(os, "sysconf_names", {}) else 0


def memGetInfo() -> tuple[int, int]:
    """Returns the bytes of free and of total memory of the machine."""
    free, total = (system(name) * system("SC_PAGE_SIZE") for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"))
    return free or total, total


def getDeviceCount() -> int:
    return COUNT


def driverGetVersion() -> int:
    return 0


def getDeviceProperties(device: int) -> dict[str, Any]:
    """Returns the properties of a device, under CUDA's names."""
    return {
        "name": NAME.encode(), "major": CAPABILITY[0], "minor": CAPABILITY[1], "totalGlobalMem": memGetInfo()[1],
        "multiProcessorCount": 132, "integrated": 1, "isMultiGpuBoard": 0,  # an H100's: random numbers depend on it
        "maxThreadsPerMultiProcessor": 2048, "maxThreadsPerBlock": 1024, "regsPerMultiprocessor": 65536,
        "warpSize": 32, "uuid": uuid.uuid5(uuid.NAMESPACE_DNS, f"rushlight.simulated.cuda.{device}").bytes,
        "pciBusID": device, "pciDeviceID": 0, "pciDomainID": 0, "l2CacheSize": system("SC_LEVEL2_CACHE_SIZE"),
        "sharedMemPerBlock": SHARED, "sharedMemPerBlockOptin": SHARED, "sharedMemPerMultiprocessor": SHARED,
        **dict.fromkeys(CLOCKS, 0),
    }  # fmt: skip
