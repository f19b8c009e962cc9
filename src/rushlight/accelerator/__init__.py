"""`torch.accelerator`: the GPU of any type: none, or the simulated ones of `torch.cuda`.

https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from rushlight import _streams, cuda
from rushlight.accelerator._utils import check_there_is_one, index_of
from rushlight.accelerator.graphs import Graph
from rushlight.accelerator.memory import (
    empty_cache,
    empty_host_cache,
    get_memory_info,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)  # fmt: skip
from rushlight.core.device import as_device, device
from rushlight.core.dtype import BY_NUMPY
from rushlight.cuda._devices import device as on_gpu
from rushlight.cuda._devices import set_device

__all__ = [
    "Graph", "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count",
    "device_index", "empty_cache", "empty_host_cache", "get_device_capability", "get_device_module", "get_memory_info",
    "is_available", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "memory_stats", "reset_accumulated_memory_stats", "reset_peak_memory_stats", "set_device_idx", "set_device_index",
    "set_stream", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Whether there is a GPU, or a simulated one.

    >>> import rushlight as torch
    >>> torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
    'cpu'
    """
    return cuda.is_available()


def current_accelerator(check_available: bool = False) -> device | None:
    """Returns the GPU's type as a device without index; None if there is none."""
    return device("cuda") if cuda.is_available() else None


def device_count() -> int:
    """Returns the number of GPUs."""
    return cuda.device_count()


def get_device_capability(device: Any = None, /) -> dict[str, Any]:
    """Returns the dtypes that tensors on the GPU can have. Raises RuntimeError if there is none."""
    index_of(device)
    return {"supported_dtypes": set(BY_NUMPY.values())}


def current_device_index() -> int:
    """Returns the index of the current GPU. Raises RuntimeError if there is none."""
    check_there_is_one()
    return cuda.current_device()


def set_device_index(device: Any, /) -> None:
    """Sets the current GPU. Raises RuntimeError if there is none."""
    check_there_is_one()
    set_device(index_of(device))


current_device_idx, set_device_idx = current_device_index, set_device_index


class device_index(on_gpu):
    """Sets the current GPU in a `with` block, by its index; None changes nothing."""

    def __init__(self, device: int | None, /) -> None:
        super().__init__(-1 if device is None else device)

    def __enter__(self) -> None:
        if self.idx is not None and self.idx >= 0:
            check_there_is_one()
        super().__enter__()


def current_stream(device: Any = None, /) -> _streams.Stream:
    """Returns the current stream of a GPU. Raises RuntimeError if there is none."""
    return _streams.current_stream(index_of(device))


def set_stream(stream: _streams.Stream) -> None:
    """Sets the current stream, and with it the current GPU. Raises RuntimeError if there is none."""
    check_there_is_one()
    _streams.chosen(stream)


def synchronize(device: Any = None, /) -> None:
    """Waits for the GPU. Raises RuntimeError if there is none."""
    cuda.synchronize(index_of(device))


def get_device_module(device: device | str | None = None) -> ModuleType:
    """Returns the module of a device type, such as `torch.cpu`; by default of the GPU, else of the CPU.

    Raises RuntimeError for a type without a module here.
    """
    kind = as_device(device or current_accelerator() or "cpu").type
    if kind not in ("cpu", "cuda", "xpu"):
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'.")
    return import_module(f"rushlight.{kind}")
