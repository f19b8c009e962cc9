"""`torch.accelerator`: the GPU of any type: none, or the simulated one of `torch.cuda`.

https://docs.pytorch.org/docs/stable/accelerator.html
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from rushlight import cuda
from rushlight.core.device import as_device, device

__all__ = [
    "current_accelerator", "current_device_index", "device_count", "empty_cache", "get_device_module", "is_available",
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "set_device_index",
    "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Whether there is a GPU, or the simulated one.

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


def current_device_index() -> int:
    """Returns the index of the current GPU. Raises RuntimeError if there is none."""
    check_there_is_one()
    return cuda.current_device()


def set_device_index(device: device | str | int | None, /) -> None:
    """Sets the current GPU. Raises RuntimeError if there is none."""
    check_there_is_one()
    cuda.set_device(device if device is None or isinstance(device, int) else as_device(device))


def synchronize(device: device | str | int | None = None, /) -> None:
    """Waits for the GPU. Raises RuntimeError if there is none."""
    check_there_is_one()


def empty_cache() -> None:
    """Frees cached memory. Raises RuntimeError if there is no GPU."""
    check_there_is_one()
    cuda.empty_cache()


def memory_allocated(device_index: device | str | int | None = None, /) -> int:
    """Returns the bytes of tensors on the GPU, as `torch.cuda` does. Raises RuntimeError if there is none."""
    check_there_is_one()
    return cuda.memory_allocated()


def max_memory_allocated(device_index: device | str | int | None = None, /) -> int:
    """Returns the peak bytes of tensors on the GPU. Raises RuntimeError if there is none."""
    check_there_is_one()
    return cuda.max_memory_allocated()


def memory_reserved(device_index: device | str | int | None = None, /) -> int:
    """Returns the bytes reserved for tensors on the GPU. Raises RuntimeError if there is none."""
    check_there_is_one()
    return cuda.memory_reserved()


def max_memory_reserved(device_index: device | str | int | None = None, /) -> int:
    """Returns the peak bytes reserved for tensors on the GPU. Raises RuntimeError if there is none."""
    check_there_is_one()
    return cuda.max_memory_reserved()


def check_there_is_one() -> None:
    if not cuda.is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")


def get_device_module(device: device | str | None = None) -> ModuleType:
    """Returns the module of a device type, such as `torch.cpu`; by default of the GPU, else of the CPU.

    Raises RuntimeError for a type without a module here.
    """
    kind = as_device(device or current_accelerator() or "cpu").type
    if kind not in ("cpu", "cuda", "xpu"):
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'.")
    return import_module(f"rushlight.{kind}")
