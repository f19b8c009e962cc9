"""`torch.cuda.streams`: streams of GPU work, and events in them. Work on the simulated GPU is always complete.

If there is no GPU none can be created, as in PyTorch.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

from rushlight.core.device import BACKENDS
from rushlight.core.device import device as Device
from rushlight.core.errors import noted
from rushlight.cuda._utils import _get_device_index, need_gpu

__all__ = ["Event", "ExternalStream", "Stream"]

NUMBERS = itertools.count(1)
SIMULATE = "torch.cuda.simulate() switches on a stand-in on the CPU; rushlight has no other GPU."


def need_gpu_for(message: str) -> None:
    if "cuda" not in BACKENDS.by_kind:
        raise noted(RuntimeError(message), SIMULATE)


class Stream:
    """A stream of GPU work. Raises RuntimeError if there is no GPU.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate(), torch.cuda.stream(torch.cuda.Stream()):
    ...     torch.cuda.current_stream().query()
    True
    """

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        need_gpu_for("torch.cuda.Stream requires CUDA support")
        self.device = Device("cuda", _get_device_index(device, optional=True) or 0)
        self.priority = priority
        self.stream_id = kwargs.get("stream_id", None)
        if self.stream_id is None:
            self.stream_id = next(NUMBERS)

    @property
    def device_index(self) -> int | None:
        """The index of its GPU."""
        return self.device.index

    @property
    def cuda_stream(self) -> int:
        """The address of the CUDA stream: 0, since there is none."""
        return 0

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Returns the lowest and the highest priority, which are equal."""
        return (0, 0)

    def query(self) -> bool:
        """Whether all its work is complete: always True."""
        return True

    def synchronize(self) -> None:
        """Waits for its work, which is always complete."""

    def wait_event(self, event: Event) -> None:
        """Waits for an event, which has always occurred."""

    def wait_stream(self, stream: Stream) -> None:
        """Waits for the work of another stream, which is always complete."""

    def record_event(self, event: Event | None = None) -> Event:
        """Records an event at this moment."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.stream_id, self.device) == (other.stream_id, other.device)

    def __hash__(self) -> int:
        return hash((self.stream_id, self.device))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """A stream created by other code, by its address: there are none on the simulated GPU."""

    def __init__(self, stream_ptr: int, device: Any = None, **kwargs: Any) -> None:
        super().__init__(device, stream_id=stream_ptr)


class Event:
    """A moment in the work of a GPU. Raises RuntimeError if there is no GPU.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    ...     start.record(), end.record()
    ...     start.elapsed_time(end) > 0
    (None, None)
    True
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> None:
        need_gpu_for("Tried to instantiate dummy base class Event")
        self.enable_timing = enable_timing
        self.recorded: float | None = None
        self.device: Device | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Sets the event to this moment."""
        self.device = (current_stream() if stream is None else stream).device
        self.recorded = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        """Returns the milliseconds to another event. Raises unless both are recorded and have `enable_timing`."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self.recorded is None or end_event.recorded is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event.recorded - self.recorded) * 1000

    def query(self) -> bool:
        """Whether it has occurred: always True."""
        return True

    def synchronize(self) -> None:
        """Waits for the event, which has occurred."""

    def wait(self, stream: Stream | None = None) -> None:
        """Makes a stream wait for the event, which has occurred."""

    def __repr__(self) -> str:
        return "<torch.cuda.Event>" if self.recorded is not None else "<torch.cuda.Event uninitialized>"


class StreamContext:
    """Sets the current stream in a `with` block; None changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None and CURRENT.gpu_is_there():
            self.before = CURRENT.stream()
            CURRENT.chosen = self.stream

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None and CURRENT.gpu_is_there():
            CURRENT.chosen = self.before


class Current:
    """The current stream of the simulated GPU."""

    chosen: Stream | None = None

    def gpu_is_there(self) -> bool:
        return "cuda" in BACKENDS.by_kind

    def stream(self) -> Stream:
        need_gpu()
        return self.chosen or default_stream()


CURRENT = Current()


def stream(stream: Stream | None) -> StreamContext:
    """Sets the current stream in a `with` block."""
    return StreamContext(stream)


def set_stream(stream: Stream | None) -> None:
    """Sets the current stream; None changes nothing."""
    if stream is not None:
        CURRENT.chosen = stream


def current_stream(device: Any = None) -> Stream:
    """Returns the current stream. Raises AssertionError if there is no GPU."""
    return CURRENT.stream()


def default_stream(device: Any = None) -> Stream:
    """Returns the default stream. Raises AssertionError if there is no GPU."""
    need_gpu()
    return Stream(device, stream_id=0)


def get_stream_from_external(data_ptr: int, device: Any = None) -> Stream:
    """Returns a stream created by other code, by its address."""
    return ExternalStream(data_ptr, device)
