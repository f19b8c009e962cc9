"""`torch.cuda`: information about GPUs, and simulated GPUs that can replace missing ones.

A simulated device runs on the CPU and behaves as a GPU in all that a program can see: its memory is separate and
counted, transfers copy, and mixing devices raises. https://docs.pytorch.org/docs/stable/cuda.html
"""

from __future__ import annotations

import ctypes
import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rushlight.core.device import BACKENDS, WAITS
from rushlight.cuda._utils import backend_of, need_gpu

if TYPE_CHECKING:  # imported on first use
    from rushlight.cuda import amp as amp

__all__ = [
    "current_device", "device_count", "get_device_name", "has_half", "has_magma", "init", "is_available",
    "is_bf16_supported", "is_initialized", "manual_seed", "manual_seed_all", "simulate", "synchronize",
]  # fmt: skip

DRIVER = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"  # the library of NVIDIA's driver
has_half, has_magma = True, False
default_generators: tuple = ()  # of the GPUs that are there


def simulate(devices: int | None = None, memory: int | str | None = None) -> Any:
    """Enables simulated GPUs, permanently or for a `with` block: one, or as many as `devices` says.

    `memory` is the size of each, in bytes or as text like "8GB" (powers of 1024); by default that of the machine. A
    program that fills it gets OutOfMemoryError. Raises ValueError for sizes and numbers that make no sense.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate(devices=2, memory="1GB"):
    ...     torch.ones(2).cuda(), torch.cuda.device_count()
    (tensor([1., 1.], device='cuda:0'), 2)
    """
    return import_module("rushlight.cuda._simulation").Simulation(devices, memory)


def is_available() -> bool:
    """Whether tensors can be moved to a GPU, real or simulated."""
    return "cuda" in BACKENDS.by_kind


def device_count() -> int:
    """Returns the number of GPUs."""
    return BACKENDS.by_kind["cuda"].devices.count if is_available() else 0


def current_device() -> int:
    """Returns the index of the current GPU of this thread. Raises AssertionError if there is none."""
    need_gpu()
    return BACKENDS.by_kind["cuda"].at(None).place.index or 0


def get_device_name(device: Any = None) -> str:
    """Returns the name of a GPU. Raises AssertionError if there is none."""
    return import_module("rushlight.cuda._devices").get_device_properties(device).name


def init() -> None:
    """Does nothing. Raises AssertionError if there is no GPU."""
    need_gpu()


def is_initialized() -> bool:
    """Whether the device is initialized: always, if it is available."""
    return is_available()


def synchronize(device: Any = None) -> None:
    """Waits for all work of a GPU. Raises AssertionError if there is none."""
    backend = backend_of(device)
    WAITS.begin("synchronize")
    backend.synchronize()


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the GPU supports bfloat16: the simulated one does."""
    return is_available()


def _is_compiled() -> bool:
    """Whether the library was built for GPUs: False."""
    return False


def _is_in_bad_fork() -> bool:
    """Whether this process was forked after its parent used a GPU: False."""
    return False


_lazy_init = init


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current GPU; does nothing if there is none."""
    seed = int(seed)
    if is_available():
        backend_of().generator.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all GPUs; does nothing if there is none."""
    seed = int(seed)
    for generator in default_generators:
        generator.manual_seed(seed)


def _set_generators() -> None:
    """Sets `default_generators`; called when GPUs become available or cease to be."""
    global default_generators
    gpus = BACKENDS.by_kind["cuda"].devices if is_available() else ()
    default_generators = tuple(backend.generator for backend in gpus)


def begin() -> None:
    """Makes GPUs available: as many simulated ones as `RUSHLIGHT_SIMULATE_CUDA` says, else those of the machine.

    The package root calls it once.
    """
    wanted = os.environ.get("RUSHLIGHT_SIMULATE_CUDA", "")
    if wanted.isdecimal():
        if int(wanted):
            simulate(int(wanted))
    elif has_driver():
        driver = import_module("rushlight.arrays.cuda.driver")
        driver.DEVICES.set_count(driver.count())
        if is_available():
            attention = import_module("rushlight.backends.cuda").allows_fused_attention
            import_module("rushlight.lower.nvptx.formulas").give_to(
                driver.DEVICES, import_module("rushlight.backends.cudnn"), attention
            )
            import_module("rushlight.cuda._memory_holders").explain(driver.DEVICES)
        _set_generators()


def has_driver() -> bool:
    """Whether NVIDIA's driver and CuPy are installed; CuPy, which takes a second, is not imported for it."""
    try:
        ctypes.CDLL(DRIVER)
    except OSError:
        return False
    return find_spec("cupy") is not None
