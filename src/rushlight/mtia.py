"""`torch.mtia`: Meta's accelerators, which are not supported: programs check and use the CPU."""

from __future__ import annotations

__all__ = [
    "device_count", "is_available", "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated",
    "memory_allocated", "seed", "seed_all",
]  # fmt: skip


def is_available() -> bool:
    """Returns False: there is no such accelerator."""
    return False


def is_initialized() -> bool:
    """Returns False: there is no such accelerator."""
    return False


def device_count() -> int:
    """Returns 0."""
    return 0


def memory_allocated(device: object = None) -> int:
    """Returns 0."""
    return 0


max_memory_allocated = memory_allocated


def manual_seed(seed: int) -> None:
    """Does nothing: there is no accelerator to seed."""


manual_seed_all = manual_seed


def seed() -> None:
    """Does nothing: there is no accelerator to seed."""


seed_all = seed
