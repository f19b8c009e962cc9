"""`torch.Stream` and `torch.Event` of the CPU, which has one stream and does everything in its order.

https://docs.pytorch.org/docs/stable/torch.html#accelerators
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.device import as_device, device

__all__ = ["Event", "Stream"]


class Stream:
    """The order in which a device works. That of the CPU is the program's, so there is nothing to wait for.

    Raises RuntimeError for a device that has no streams here.
    """

    __module__ = "torch"

    def __init__(self, device: Any = None, *, priority: int = 0) -> None:
        self.device = _of_cpu(device)
        self.device_type, self.device_index, self.stream_id = 0, -1, 0

    def query(self) -> bool:
        """Whether all work is done: always."""
        return True

    def synchronize(self) -> None:
        """Waits until all work is done: it is."""

    def wait_stream(self, stream: Stream) -> None:
        """Waits for another stream: all of its work is done."""

    def wait_event(self, event: Event) -> None:
        """Waits for an event: it has happened."""

    def record_event(self, event: Event | None = None) -> NoReturn:
        """Raises RuntimeError: events of the CPU cannot be recorded, in PyTorch neither."""
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
    """A mark in the work of a device. Of the CPU there is none to make: what was asked for is done.

    Raises RuntimeError for a device that has no streams here.
    """

    __module__ = "torch"

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self.device, self.event_id, self._timed = _of_cpu(device), 0, enable_timing

    def query(self) -> bool:
        """Whether it has happened: always."""
        return True

    def synchronize(self) -> None:
        """Waits until it has happened: it has."""

    def wait(self, stream: Stream | None = None) -> None:
        """Lets a stream wait for it: it has happened."""

    def record(self, stream: Stream | None = None) -> NoReturn:
        """Raises RuntimeError: events of the CPU cannot be recorded, in PyTorch neither."""
        raise RuntimeError("cpu backend doesn't support events.")

    def elapsed_time(self, end_event: Event) -> NoReturn:
        """Raises ValueError: events of the CPU are not recorded, so no time passes between them."""
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        raise ValueError("Both events must be recorded before calculating elapsed time.")

    def __repr__(self) -> str:
        return f"torch.Event device_type={self.device.type}, device_index=-1, event_flag=0, event_id=0"


def _of_cpu(asked: Any) -> device:
    place = as_device(asked)
    if place.type != "cpu":
        raise RuntimeError(f"PyTorch is not linked with support for {place.type} devices")
    return place
