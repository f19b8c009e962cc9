"""`torch.Stream` and `torch.Event`: queues of work, and moments in them, of the CPU and of GPUs.

The CPU has one stream and works in order. A GPU queues what it is given on a stream; the order of work on two streams
is what events and waits say. The streams and events of a GPU are CuPy's, which its backend makes.
https://docs.pytorch.org/docs/stable/torch.html#accelerators
"""

from __future__ import annotations

import itertools
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
        self._queue = backend_of(self.device).queue(self.stream_id) if on_gpu else None  # CuPy's stream

    def query(self) -> bool:
        """Whether all work of the stream is done."""
        return self._queue is None or self._queue.done

    def synchronize(self) -> None:
        """Waits for the work of the stream."""
        if self._queue is not None:
            WAITS.begin("synchronize")
            self._queue.synchronize()

    def wait_stream(self, stream: Stream) -> None:
        """Makes later work wait for that of another stream."""
        if self._queue is not None:
            self.wait_event(stream.record_event())

    def wait_event(self, event: Event) -> None:
        """Makes later work wait for an event."""
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
        self._at: Any = None  # CuPy's event, once it is recorded

    @property
    def device(self) -> device:
        """The device of its stream."""
        return self._place

    def query(self) -> bool:
        """Whether it has happened; also if it is not recorded."""
        return self._at is None or self._at.done

    def synchronize(self) -> None:
        """Waits until it has happened."""
        if self._place.type == "cuda":
            WAITS.begin("synchronize")
        if self._at is not None:
            self._at.synchronize()

    def wait(self, stream: Stream | None = None) -> None:
        """Makes later work of a stream wait for it, by default of the current stream."""
        if self._at is not None:
            waiting = current_stream(self._place.index) if stream is None else stream
            backend_of(waiting.device).queue(waiting.stream_id).wait_event(self._at)

    def record(self, stream: Any = None) -> None:
        """Sets the event to this moment of a stream, by default the current one. Raises RuntimeError on the CPU."""
        if self._place.type == "cpu":
            raise RuntimeError("cpu backend doesn't support events.")
        stream = current_stream(self._place.index) if stream is None else stream
        place = stream.device
        if self._at is not None and place != self._place:
            raise RuntimeError(
                f"Event device {self._place.index} does not match recording stream's device {place.index}."
            )
        self._place, self._at = place, backend_of(place).event(self._timed, stream)
        self.event_id = self.event_id or next(NUMBERS)

    def elapsed_time(self, end_event: Event) -> float:
        """Returns the milliseconds to another event.

        Raises ValueError unless both are recorded and timed, AcceleratorError if one has not happened yet.
        """
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return backend_of(self._place).elapsed(self._at, end_event._at)

    def __repr__(self) -> str:
        number = -1 if self._place.type == "cpu" else self._place.index
        return (
            f"torch.Event device_type={self._place.type}, device_index={number}, event_flag=0, event_id={self.event_id}"
        )


def backend_of(place: device) -> Any:
    return BACKENDS.on(place)


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
    backend = backend_of(stream.device)
    here = backend.devices.here
    former = here.streams.get(backend.index)
    here.streams[backend.index] = stream
    return backend, backend.enter(), former


def restore(before: tuple) -> None:
    """Makes the former stream and GPU the current ones again."""
    backend, index, stream = before
    here = backend.devices.here
    if stream is None:
        here.streams.pop(backend.index, None)
    else:
        here.streams[backend.index] = stream
    backend.enter()
    backend.devices.made[index].enter()
