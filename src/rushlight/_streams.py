"""`torch.Stream` and `torch.Event`: queues of work, and moments in them, of the CPU and of GPUs.

The CPU has one stream and works in order. A simulated GPU computes at once: streams say whose memory is reused by whom,
events tell the time, and there is nothing to wait for.
https://docs.pytorch.org/docs/stable/torch.html#accelerators
"""

from __future__ import annotations

import itertools
import time
from typing import Any, Self

from rushlight.core.device import BACKENDS, CPU, WAITS, as_device, device

__all__ = ["Event", "Stream"]

NUMBERS = itertools.count(1)
CUDA_TYPE = 1  # PyTorch's number of the device type
HIGHEST = -1  # priority; the lowest is 0


class Stream:
    """A queue of work of a device: by default of the current GPU, else of the CPU.

    Raises RuntimeError for a device without streams.
    """

    __module__ = "torch"

    def __init__(
        self, device: Any = None, *, priority: int = 0, stream_id: int | None = None, device_index: int | None = None,
        device_type: int | None = None,
    ) -> None:  # fmt: skip
        self.device = place_of(device) if device_index is None else place_of(f"cuda:{device_index}")
        on_gpu = self.device.type == "cuda"
        self.device_type = CUDA_TYPE if on_gpu else 0
        self.device_index = self.device.index if on_gpu else -1
        self.priority = max(HIGHEST, min(priority, 0))
        self._before: list[tuple] = []  # what `with` blocks of this stream have to restore
        self.stream_id = stream_id if stream_id is not None else next(NUMBERS) if on_gpu else 0

    def query(self) -> bool:
        """Returns True: all work is done."""
        return True

    def synchronize(self) -> None:
        """Waits for the work of the stream, which is done."""
        if self.device.type == "cuda":
            WAITS.begin("synchronize")

    def wait_stream(self, stream: Stream) -> None:
        """Makes later work wait for that of another stream, which is done."""
        if self.device.type == "cuda":
            self.wait_event(stream.record_event())

    def wait_event(self, event: Event) -> None:
        """Makes later work wait for an event, which has happened."""
        event.wait(self)

    def record_event(self, event: Any = None) -> Any:
        """Records an event, by default a new one, at this moment, and returns it. Raises RuntimeError on the CPU."""
        event = Event(self.device) if event is None else event
        event.record(self)
        return event

    def __enter__(self) -> Self:
        if self.device.type == "cuda":
            self._before.append(chosen(self))
        return self

    def __exit__(self, *error: object) -> None:
        if self.device.type == "cuda":
            restore(self._before.pop())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.device, self.stream_id) == (other.device, other.stream_id)

    def __hash__(self) -> int:
        return hash((self.device, self.stream_id))

    def __repr__(self) -> str:
        return (
            f"torch.Stream device_type={self.device.type}, device_index={self.device_index}, stream_id={self.stream_id}"
        )


class Event:
    """A moment in the work of a device. The CPU has none: all work is done.

    Raises RuntimeError for a device without streams.
    """

    __module__ = "torch"

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self._place, self.event_id, self._timed = place_of(device), 0, enable_timing
        self._at: float | None = None

    @property
    def device(self) -> device:
        """The device of its stream."""
        return self._place

    def query(self) -> bool:
        """Returns True: it has happened."""
        return True

    def synchronize(self) -> None:
        """Waits until it has happened, which it has."""
        if self._place.type == "cuda":
            WAITS.begin("synchronize")

    def wait(self, stream: Stream | None = None) -> None:
        """Makes a stream wait for it; it has happened."""

    def record(self, stream: Any = None) -> None:
        """Sets the event to this moment of a stream, by default the current one. Raises RuntimeError on the CPU."""
        if self._place.type == "cpu":
            raise RuntimeError("cpu backend doesn't support events.")
        place = current_stream(self._place.index).device if stream is None else stream.device
        if self._at is not None and place != self._place:
            raise RuntimeError(
                f"Event device {self._place.index} does not match recording stream's device {place.index}."
            )
        self._place, self._at = place, time.perf_counter()
        self.event_id = self.event_id or next(NUMBERS)

    def elapsed_time(self, end_event: Event) -> float:
        """Returns the milliseconds to another event. Raises ValueError unless both are recorded and timed."""
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._at - self._at) * 1000

    def __repr__(self) -> str:
        number = -1 if self._place.type == "cpu" else self._place.index
        return (
            f"torch.Event device_type={self._place.type}, device_index={number}, event_flag=0, event_id={self.event_id}"
        )


def place_of(place: Any) -> device:
    """Returns a device that has streams, by default the current GPU, else the CPU."""
    if place is None:
        place = as_device("cuda") if "cuda" in BACKENDS.by_kind else CPU
    place = as_device(place)
    if place.type == "cuda" and "cuda" in BACKENDS.by_kind:
        return BACKENDS.on(place).place
    if place.type != "cpu":
        raise RuntimeError(f"PyTorch is not linked with support for {place.type} devices")
    return place


def current_stream(index: int | None = None) -> Stream:
    """Returns the current stream of a GPU, by default of the current one, as this thread has chosen it."""
    backend: Any = BACKENDS.by_kind["cuda"].at(index)
    stream = backend.devices.here.streams.get(backend.index)
    return Stream(backend.place, stream_id=0) if stream is None else stream


def chosen(stream: Stream) -> tuple:
    """Makes a stream the current one of its GPU, and its GPU the current one; returns what `restore` needs."""
    backend: Any = BACKENDS.on(stream.device)
    here = backend.devices.here
    before = (backend, here.device, here.streams.get(backend.index))
    here.device, here.streams[backend.index] = backend.index, stream
    return before


def restore(before: tuple) -> None:
    """Makes the former stream and GPU the current ones again."""
    backend, index, stream = before
    here = backend.devices.here
    here.device = index
    if stream is None:
        here.streams.pop(backend.index, None)
    else:
        here.streams[backend.index] = stream
