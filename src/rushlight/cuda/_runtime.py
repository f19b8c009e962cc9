"""The part of CUDA's runtime that programs call: its errors, and the mode that finds lines that wait."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.core.device import WAITS
from rushlight.core.errors import noted
from rushlight.cuda._utils import need_gpu
from rushlight.cuda.memory import mem_get_info

CUDA_ERRORS = {
    0: "no error", 1: "invalid argument", 2: "out of memory", 3: "initialization error",
    100: "no CUDA-capable device is detected",
    101: "invalid device ordinal", 600: "device not ready", 700: "an illegal memory access was encountered",
    710: "device-side assert triggered", 900: "operation not permitted when stream is capturing",
    901: "operation failed due to a previous error during capture",
}  # fmt: skip
MODES = {"default": 0, "warn": 1, "error": 2}
SYNCHRONIZES = "called a synchronizing CUDA operation"


class DeferredCudaCallError(Exception):
    """A call that waited for the first use of CUDA has failed. Never raised here; programs catch it."""

    __module__ = "torch.cuda"


class cudaStatus:
    """Results of CUDA's runtime."""

    SUCCESS: int = 0
    ERROR_NOT_READY: int = 34


class CudaError(RuntimeError):
    """A failed call of CUDA's runtime, by the number of its error."""

    __module__ = "torch.cuda"

    def __init__(self, code: int) -> None:
        need_gpu()
        super().__init__(f"{Runtime.cudaGetErrorString(code)} ({code})")


class Runtime:
    """What `torch.cuda.cudart()` returns: functions of CUDA's runtime that a simulated GPU can answer."""

    class cudaError:
        success = 0

    @staticmethod
    def cudaGetErrorString(code: int) -> str:
        """Returns CUDA's words for the number of an error."""
        return CUDA_ERRORS.get(int(code), "unrecognized error code")

    @staticmethod
    def cudaMemGetInfo(device: int) -> tuple[int, int]:
        """Returns free and total bytes of a device."""
        return mem_get_info(device)

    @staticmethod
    def cudaProfilerStart() -> int:
        """Returns 0: there is no NVIDIA profiler."""
        return 0

    @staticmethod
    def cudaProfilerStop() -> int:
        """Returns 0: there is no NVIDIA profiler."""
        return 0


def cudart() -> type[Runtime]:
    """Returns functions of CUDA's runtime. Raises AssertionError if there is no GPU."""
    need_gpu()
    return Runtime


def check_error(res: int) -> None:
    """Raises CudaError unless a result of CUDA's runtime is 0."""
    need_gpu()
    if res != Runtime.cudaError.success:
        raise CudaError(res)


class SyncDebug:
    """What happens when the program waits for a GPU: nothing, a warning or an error."""

    def __init__(self) -> None:
        self.mode = 0
        self.listener: Callable[[str], None] = self.waited

    def waited(self, kind: str) -> None:
        """Warns or raises, except for `synchronize`, which is called in order to wait."""
        if kind == "synchronize":
            return
        if self.mode == 1:
            warnings.warn(SYNCHRONIZES, UserWarning, stacklevel=6)
            return
        words = "What stays on the GPU needs no wait; `print`, `.item()` and `.cpu()` read a value, and wait for it."
        raise noted(RuntimeError(SYNCHRONIZES), words)


SYNC_DEBUG = SyncDebug()


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Sets what happens when this thread waits for a GPU: "default" or 0 nothing, "warn" or 1, "error" or 2.

    Raises AssertionError if there is no GPU, RuntimeError for another mode.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     torch.cuda.set_sync_debug_mode("error")
    ...     try:
    ...         torch.ones(1, device="cuda").item()
    ...     except RuntimeError as error:
    ...         print(error)
    ...     torch.cuda.set_sync_debug_mode("default")
    called a synchronizing CUDA operation
    """
    need_gpu()
    mode: Any = MODES.get(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if mode not in MODES.values():
        raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")
    SYNC_DEBUG.mode = mode
    if SYNC_DEBUG.listener in WAITS.listeners:
        WAITS.listeners.remove(SYNC_DEBUG.listener)
    if mode:
        WAITS.listeners.append(SYNC_DEBUG.listener)


def get_sync_debug_mode() -> int:
    """Returns what happens when the program waits for a GPU: 0, 1 or 2. Raises AssertionError if there is no GPU."""
    need_gpu()
    return SYNC_DEBUG.mode
