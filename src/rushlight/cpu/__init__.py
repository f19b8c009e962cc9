"""torch.cpu: the CPU as a device, for device-independent code. There is one, and it works synchronously."""

from rushlight.core.device import device
from rushlight.cpu import amp
from rushlight.cpu.capabilities import get_capabilities
from rushlight.cpu.streams import Event, Stream, StreamContext, current_stream, stream

__all__ = [
    "Event", "Stream", "StreamContext", "amp", "current_device", "current_stream", "device_count", "get_capabilities",
    "is_available", "is_initialized", "set_device", "stream", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Returns True."""
    return True


def is_initialized() -> bool:
    """Returns True."""
    return True


def device_count() -> int:
    """Returns 1, regardless of the number of cores."""
    return 1


def current_device() -> str:
    """Returns the current CPU device."""
    return "cpu"


def set_device(device: device | int | str | None) -> None:
    """Does nothing: there is one CPU."""


def synchronize(device: device | int | str | None = None) -> None:
    """Returns at once: the CPU works synchronously."""
