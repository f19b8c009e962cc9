"""`torch.mps`: Apple's GPUs, of which none is used. What needs one raises as where PyTorch was built without them."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "current_allocated_memory", "device_count", "driver_allocated_memory", "empty_cache", "get_rng_state",
    "is_available", "manual_seed", "recommended_max_memory", "seed", "set_per_process_memory_fraction",
    "set_rng_state", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Whether one of Apple's GPUs can be used: never."""
    return False


def device_count() -> int:
    """How many there are: none."""
    return 0


def absent(command: str) -> NoReturn:
    raise RuntimeError(f"Cannot execute {command}() without MPS backend.")


def synchronize() -> NoReturn:
    """Waits for the GPU. Raises RuntimeError, as there is none."""
    absent("deviceSynchronize")


def empty_cache() -> NoReturn:
    """Gives back memory. Raises RuntimeError, as there is no GPU."""
    absent("emptyCache")


def current_allocated_memory() -> NoReturn:
    """The bytes that tensors take. Raises RuntimeError, as there is no GPU."""
    absent("getCurrentAllocatedMemory")


def driver_allocated_memory() -> NoReturn:
    """The bytes that the driver has. Raises RuntimeError, as there is no GPU."""
    absent("getDriverAllocatedMemory")


def recommended_max_memory() -> NoReturn:
    """How many bytes a program should take. Raises RuntimeError, as there is no GPU."""
    absent("getRecommendedMaxMemory")


def set_per_process_memory_fraction(fraction: float) -> NoReturn:
    """Limits the bytes that this process takes. Raises RuntimeError, as there is no GPU."""
    absent("setMemoryFraction")


def generator(*args: Any) -> NoReturn:
    """The GPU's generator. Raises RuntimeError, as there is no GPU."""
    absent("getDefaultGenerator")


get_rng_state = set_rng_state = seed = generator


def manual_seed(seed: int) -> None:
    """Starts the random numbers of a GPU that is not there: nothing."""
