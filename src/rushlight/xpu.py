"""`torch.xpu`: Intel's GPUs, which are not supported: programs check before they use the CPU.

Counts are 0; functions that need a GPU raise as PyTorch's CPU build does.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, NoReturn

from rushlight.core.tensor import Tensor

__all__ = [
    "current_device", "current_stream", "device_count", "empty_cache", "get_arch_list", "get_device_capability",
    "get_device_name", "get_device_properties", "get_rng_state", "get_rng_state_all", "init", "initial_seed",
    "is_available", "is_bf16_supported", "is_current_stream_capturing", "is_initialized", "is_tf32_supported",
    "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_reserved", "mem_get_info",
    "memory_allocated", "memory_reserved", "memory_stats", "reset_peak_memory_stats", "seed", "seed_all", "set_device",
    "set_rng_state", "set_rng_state_all", "synchronize",
]  # fmt: skip


def absent(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises AssertionError: there is no GPU."""
    raise AssertionError("Torch not compiled with XPU enabled")


current_device = current_stream = get_device_capability = get_device_name = get_device_properties = absent
get_rng_state = init = initial_seed = mem_get_info = reset_peak_memory_stats = synchronize = absent


def no(*args: Any) -> bool:
    """Returns False: there is no GPU."""
    return False


is_available = is_bf16_supported = is_current_stream_capturing = is_initialized = is_tf32_supported = no


def none(*args: Any) -> int:
    """Returns 0: there is no GPU."""
    return 0


device_count = max_memory_allocated = max_memory_reserved = memory_allocated = memory_reserved = none


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Returns the allocator's counters: none."""
    return OrderedDict()


def get_arch_list() -> list[str]:
    """Returns the GPU types that the library was built for: none."""
    return []


def empty_cache() -> None:
    """Does nothing: there is no GPU."""


def set_device(device: Any) -> None:
    """Raises AssertionError, as there is no GPU, unless the index is negative, which has no effect."""
    if not isinstance(device, int) or device >= 0:
        absent()


def manual_seed(seed: int) -> None:
    """Does nothing: there is no GPU to seed."""


def manual_seed_all(seed: int) -> None:
    """Does nothing: there is no GPU to seed."""


def seed() -> None:
    """Does nothing: there is no GPU to seed."""


seed_all = seed


def get_rng_state_all() -> list[Tensor]:
    """Returns an empty list: there is no GPU."""
    return []


def set_rng_state(new_state: Tensor, device: Any = "xpu") -> None:
    """Does nothing: there is no GPU."""


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Does nothing: there is no GPU."""
