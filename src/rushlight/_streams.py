"""`torch.Stream` and `torch.Event` of the CPU, which has one stream and works in order.

https://docs.pytorch.org/docs/stable/torch.html#accelerators
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.device import as_device, device

__all__ = ["Event", "Stream"]


class Stream:
    """A queue of work of a device. The CPU works synchronously, so there is nothing to wait for.

    Raises RuntimeError for a device without streams.
    """

    __module__ = "torch"

    def __init__(self, device: Any = None, *, priority: int = 0) -> None:
        self.device = _of_cpu(device)
        self.device_type, self.device_index, self.stream_id = 0, -1, 0

    def query(self) -> bool:
        """Returns True: all work is done."""
        return True

    def synchronize(self) -> None:
        """Returns at once: all work is done."""

    def wait_stream(self, stream: Stream) -> None:
        """Returns at once: the other stream's work is done."""

    def wait_event(self, event: Event) -> None:
        """Returns at once: the event has happened."""

    def record_event(self, event: Event | None = None) -> NoReturn:
        """Raises RuntimeError as in PyTorch: events of the CPU cannot be recorded."""
        raise RuntimeError("cpu backend doesn't support events.")

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.device == other.device

    def __hash__(self) -> int:
        return hash((type(self), self.device))

    def __repr__(self) -> str:
        return f"torch.Stream device_type={self.device.type}, device_index={self.device_index}, stream_id=0"


class Event:
    """A mark in a stream. The CPU has none: all work is done.

    Raises RuntimeError for a device without streams.
    """

    __module__ = "torch"

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self.device, self.event_id, self._timed = _of_cpu(device), 0, enable_timing

    def query(self) -> bool:
        """Returns True: it has happened."""
        return True

    def synchronize(self) -> None:
        """Returns at once: it has happened."""

    def wait(self, stream: Stream | None = None) -> None:
        """Returns at once: it has happened."""

    def record(self, stream: Stream | None = None) -> NoReturn:
        """Raises RuntimeError as in PyTorch: events of the CPU cannot be recorded."""
        raise RuntimeError("cpu backend doesn't support events.")

    def elapsed_time(self, end_event: Event) -> NoReturn:
        """Raises ValueError: events of the CPU are not recorded, so there is no elapsed time."""
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        raise ValueError("Both events must be recorded before calculating elapsed time.")

    def __repr__(self) -> str:
        return f"torch.Event device_type={self.device.type}, device_index=-1, event_flag=0, event_id=0"


def _of_cpu(device_: Any) -> device:
    place = as_device(device_)
    if place.type != "cpu":
        raise RuntimeError(f"PyTorch is not linked with support for {place.type} devices")
    return place
