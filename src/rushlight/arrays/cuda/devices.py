"""The GPUs of a program: those that are there, the current one, and what each thread chooses."""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from typing import Any

from rushlight.core.device import BACKENDS
from rushlight.core.errors import AcceleratorError

ASYNCHRONOUS = """
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
"""


def cuda_error(words: str, name: str, more: str = "") -> AcceleratorError:
    """Returns the error of a failed call of CUDA, with PyTorch's text."""
    search = f"Search for `{name}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"
    return AcceleratorError(f"CUDA error: {words}\n{more}{search} for more information.{ASYNCHRONOUS}")


def invalid_device() -> AcceleratorError:
    """Returns the error for the index of a device that is not there."""
    question = "GPU device may be out of range, do you have enough GPUs?\n"
    return cuda_error("invalid device ordinal", "cudaErrorInvalidDevice", question)


class OfThread(local):
    """What each thread chooses for itself."""

    device = 0

    def __init__(self) -> None:
        self.listeners: list[Any] = []  # called with each call that was computed, and its tensors
        self.streams: dict[int, Any] = {}  # the current stream of each device, if it is not the default one
        self.pools: list[Any] = []  # pools that new memory comes from, innermost last


class Devices:
    """GPUs, made by a function when they become available.

    A device that is no longer available keeps its memory: tensors on it may be alive.
    """

    def __init__(self, make: Callable[[Devices, int], Any]) -> None:
        self.make = make
        self.made: list[Any] = []
        self.covered: Any = None  # the backend of other devices, which these hide
        self.count = 0
        self.here = OfThread()

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < self.count:
            raise invalid_device()
        return self.made[index]

    def __iter__(self):
        return iter(self.made[: self.count])

    def set_count(self, count: int) -> None:
        """Makes this many devices available; none unregisters the device type."""
        while len(self.made) < count:
            self.made.append(self.make(self, len(self.made)))
        added, removed = self.made[self.count : count], self.made[count : self.count]
        self.count = count
        for backend in removed:
            del BACKENDS.by_array[backend.array_type]
        if not count:
            BACKENDS.by_kind.pop("cuda", None)
            self.here.streams.clear()
            if self.covered is not None:
                BACKENDS.by_kind["cuda"], self.covered = self.covered, None
        elif (now := BACKENDS.by_kind.get("cuda")) is not self.made[0]:
            self.covered = now
            BACKENDS.register(self.made[0])
        for backend in added:
            BACKENDS.by_array[backend.array_type] = backend
            backend.renew()
        if self.here.device >= max(count, 1):
            self.here.device = 0
