"""`torch.cuda`: information about GPUs, and the simulated GPU that can replace a missing one.

The simulated device runs on the CPU and behaves as a GPU in all that a program can see: its memory is separate,
transfers copy, and mixing devices raises. https://docs.pytorch.org/docs/stable/cuda.html
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Self

from rushlight.arrays.backends import SIMULATED
from rushlight.core.device import BACKENDS, FIRST_CUDA, as_device
from rushlight.core.device import device as Device  # `device` is a context here, in `_devices.py`
from rushlight.cuda._utils import need_gpu

if TYPE_CHECKING:  # imported on first use
    from rushlight.cuda import amp as amp

__all__ = [
    "current_device", "device_count", "empty_cache", "get_device_name", "has_half", "has_magma", "init", "is_available",
    "is_bf16_supported", "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "set_device", "simulate", "synchronize",
]  # fmt: skip
ANNOUNCEMENT = (
    "rushlight: the cuda device is simulated on the CPU, to learn and test device code with. It is not faster than the "
    "CPU."
)


has_half, has_magma = True, False
default_generators = ()  # the simulated GPU draws from the CPU's generator


class Simulation:
    """Keeps the simulated device enabled; as a context, until the end of the block."""

    announced = False

    def __init__(self) -> None:
        self._was_there = "cuda" in BACKENDS.by_kind
        if not self._was_there:
            BACKENDS.register(SIMULATED)
            self._announce()

    def _announce(self) -> None:
        if not Simulation.announced:
            Simulation.announced = True
            print(ANNOUNCEMENT, file=sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._was_there:
            BACKENDS.unregister("cuda")


def simulate() -> Simulation:
    """Enables the simulated GPU, permanently or for a `with` block.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     torch.ones(2).cuda()
    tensor([1., 1.], device='cuda:0')
    """
    return Simulation()


def is_available() -> bool:
    """Whether tensors can be moved to a GPU, real or simulated."""
    return "cuda" in BACKENDS.by_kind


def device_count() -> int:
    """Returns the number of GPUs."""
    return int(is_available())


def current_device() -> int:
    """Returns the index of the current GPU. Raises AssertionError if there is none."""
    need_gpu()
    return as_device(FIRST_CUDA).index or 0


def set_device(device) -> None:
    """Sets the current GPU; there is at most one. Raises AssertionError if there is none."""
    if not isinstance(device, int) or device >= 0:  # a negative index changes nothing
        need_gpu()


def get_device_name(device=None) -> str:
    """Returns the name of the GPU. Raises AssertionError if there is none."""
    need_gpu()
    return "simulated on the CPU"


def init() -> None:
    """Does nothing. Raises AssertionError if there is no GPU."""
    need_gpu()


def is_initialized() -> bool:
    """Whether the device is initialized: always, if it is available."""
    return is_available()


def synchronize(device=None) -> None:
    """Waits for the device, which is always idle. Raises AssertionError if there is none."""
    need_gpu()


def empty_cache() -> None:
    """Frees cached device memory, of which there is none."""


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the GPU supports bfloat16: the simulated one does."""
    return is_available()


def memory_allocated(device: Device | str | int | None = None) -> int:
    """Returns the bytes of GPU memory used by tensors: 0, also for the simulated GPU."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def _is_compiled() -> bool:
    """Whether the library was built for GPUs: False."""
    return False


def _is_in_bad_fork() -> bool:
    """Whether this process was forked after its parent used a GPU: False."""
    return False


_lazy_init = init


def manual_seed(seed: int) -> None:
    """Seeds the device's generator; the simulated device draws from the CPU's."""
    int(seed)  # raises if it is not a number


manual_seed_all = manual_seed


def simulate_if_requested() -> None:
    """Handles `RUSHLIGHT_SIMULATE_CUDA=1`; called once by the package root."""
    if os.environ.get("RUSHLIGHT_SIMULATE_CUDA") == "1":
        simulate()
