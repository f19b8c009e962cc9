"""`torch.mps`: Apple's GPUs, which are not supported. Functions that need one raise as PyTorch without MPS does."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "current_allocated_memory", "device_count", "driver_allocated_memory", "empty_cache", "get_rng_state",
    "is_available", "manual_seed", "recommended_max_memory", "seed", "set_per_process_memory_fraction",
    "set_rng_state", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Returns False: Apple's GPUs are not supported."""
    return False


def device_count() -> int:
    """Returns 0."""
    return 0


def absent(command: str) -> NoReturn:
    raise RuntimeError(f"Cannot execute {command}() without MPS backend.")


def synchronize() -> NoReturn:
    """Raises RuntimeError: there is no GPU."""
    absent("deviceSynchronize")


def empty_cache() -> NoReturn:
    """Raises RuntimeError: there is no GPU."""
    absent("emptyCache")


def current_allocated_memory() -> NoReturn:
    """Raises RuntimeError: there is no GPU."""
    absent("getCurrentAllocatedMemory")


def driver_allocated_memory() -> NoReturn:
    """Raises RuntimeError: there is no GPU."""
    absent("getDriverAllocatedMemory")


def recommended_max_memory() -> NoReturn:
    """Raises RuntimeError: there is no GPU."""
    absent("getRecommendedMaxMemory")


def set_per_process_memory_fraction(fraction: float) -> NoReturn:
    """Raises RuntimeError: there is no GPU."""
    absent("setMemoryFraction")


def generator(*args: Any) -> NoReturn:
    """Raises RuntimeError: there is no GPU."""
    absent("getDefaultGenerator")


get_rng_state = set_rng_state = seed = generator


def manual_seed(seed: int) -> None:
    """Does nothing: there is no GPU to seed."""
