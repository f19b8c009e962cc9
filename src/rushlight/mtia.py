"""`torch.mtia`: accelerators of PyTorch's makers, of which none is used: programs ask for one and take the CPU."""

from __future__ import annotations

__all__ = [
    "device_count", "is_available", "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated",
    "memory_allocated", "seed", "seed_all",
]  # fmt: skip


def is_available() -> bool:
    """Whether one of these accelerators can be used: never."""
    return False


def is_initialized() -> bool:
    """Whether one is ready: never."""
    return False


def device_count() -> int:
    """How many there are: none."""
    return 0


def memory_allocated(device: object = None) -> int:
    """The bytes that tensors take on them: none."""
    return 0


max_memory_allocated = memory_allocated


def manual_seed(seed: int) -> None:
    """Starts the random numbers of an accelerator that is not there: nothing."""


manual_seed_all = manual_seed


def seed() -> None:
    """Starts the random numbers of an accelerator that is not there: nothing."""


seed_all = seed
