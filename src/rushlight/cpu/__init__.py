"""torch.cpu: the CPU seen as a device, so that code for any device can be written. It is one, and always finished."""

from rushlight.core.device import device
from rushlight.cpu import amp

__all__ = ["amp", "current_device", "device_count", "is_available", "is_initialized", "set_device", "synchronize"]


def is_available() -> bool:
    """Whether there is a CPU."""
    return True


def is_initialized() -> bool:
    """Whether the CPU is ready."""
    return True


def device_count() -> int:
    """How many CPUs there are to choose from: one, however many cores it has."""
    return 1


def current_device() -> str:
    """The CPU in use."""
    return "cpu"


def set_device(device: device | int | str | None) -> None:
    """Chooses the CPU; there is one."""


def synchronize(device: device | int | str | None = None) -> None:
    """Waits for the CPU, which is always finished already."""
