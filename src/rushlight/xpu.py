"""`torch.xpu`: Intel's GPUs, of which none is used: programs ask for one before they take the CPU.

What asks how many there are answers none; what needs one raises as PyTorch's build for the CPU does.
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
    """What needs one of Intel's GPUs. Raises AssertionError."""
    raise AssertionError("Torch not compiled with XPU enabled")


current_device = current_stream = get_device_capability = get_device_name = get_device_properties = absent
get_rng_state = init = initial_seed = mem_get_info = reset_peak_memory_stats = synchronize = absent


def no(*args: Any) -> bool:
    """Whether one of Intel's GPUs can be used, is ready, is capturing work or takes a kind of numbers: never."""
    return False


is_available = is_bf16_supported = is_current_stream_capturing = is_initialized = is_tf32_supported = no


def none(*args: Any) -> int:
    """How many there are, and how many bytes tensors take there: none."""
    return 0


device_count = max_memory_allocated = max_memory_reserved = memory_allocated = memory_reserved = none


def memory_stats(device: Any = None) -> dict[str, Any]:
    """The counters of its allocator: there are none."""
    return OrderedDict()


def get_arch_list() -> list[str]:
    """The kinds of Intel's GPUs that the library was built for: none."""
    return []


def empty_cache() -> None:
    """Gives back memory of theirs: there is none."""


def set_device(device: Any) -> None:
    """Chooses one. Raises AssertionError, as there is none, unless the index is negative, which chooses nothing."""
    if not isinstance(device, int) or device >= 0:
        absent()


def manual_seed(seed: int) -> None:
    """Starts the random numbers of a GPU that is not there: nothing."""


def manual_seed_all(seed: int) -> None:
    """Starts the random numbers of all GPUs that are not there: nothing."""


def seed() -> None:
    """Starts the random numbers of a GPU that is not there: nothing."""


seed_all = seed


def get_rng_state_all() -> list[Tensor]:
    """The states of their generators: an empty list."""
    return []


def set_rng_state(new_state: Tensor, device: Any = "xpu") -> None:
    """Puts the generator of a GPU that is not there in a state: nothing."""


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Puts the generators of all GPUs that are not there in states: nothing."""
