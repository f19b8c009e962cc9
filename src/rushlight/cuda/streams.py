"""`torch.cuda.streams`: streams of GPU work, and events in them.

If there is no GPU none can be created, as in PyTorch. What they do is in `torch.Stream` and `torch.Event`.
"""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight import _streams
from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.cuda._utils import _get_device_index, need_gpu

__all__ = ["Event", "ExternalStream", "Stream"]

SIMULATE = "torch.cuda.simulate() switches on a stand-in on the CPU; rushlight has no other GPU."
FIRST_HANDLE, APART = 0x5500_0000, 0x100  # made-up addresses, for programs that print and compare them


def need_gpu_for(message: str) -> None:
    if "cuda" not in BACKENDS.by_kind:
        raise noted(RuntimeError(message), SIMULATE)


class Stream(_streams.Stream):
    """A stream of GPU work. Raises RuntimeError if there is no GPU.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate(), torch.cuda.stream(torch.cuda.Stream()):
    ...     torch.cuda.current_stream().query()
    True
    """

    __module__ = "torch.cuda"

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        need_gpu_for("torch.cuda.Stream requires CUDA support")
        index = _get_device_index(device, optional=True)
        super().__init__(f"cuda:{index}" if index is not None and index >= 0 else None, priority=priority, **kwargs)

    @property
    def cuda_stream(self) -> int:
        """The address of the CUDA stream: 0 for the default stream, else a number that no other stream has."""
        return FIRST_HANDLE + APART * self.stream_id if self.stream_id else 0

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.cuda_stream)

    def __cuda_stream__(self) -> tuple[int, int]:
        """Returns the version of this protocol of NVIDIA's, and the address."""
        return (0, self.cuda_stream)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Returns the lowest and the highest priority."""
        return (0, _streams.HIGHEST)

    def record_event(self, event: Any = None) -> Any:
        """Records an event, by default a new one, at this moment, and returns it."""
        return super().record_event(Event() if event is None else event)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and super().__eq__(other)

    def __hash__(self) -> int:
        return hash((self.cuda_stream, self.device))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """A stream that other code has made, by its address."""

    def __init__(self, stream_ptr: int, device: Any = None, **kwargs: Any) -> None:
        super().__init__(device, stream_id=stream_ptr, **kwargs)

    @property
    def cuda_stream(self) -> int:
        """The address that it was made from."""
        return self.stream_id


class Event(_streams.Event):
    """A moment in the work of a GPU. Raises RuntimeError if there is no GPU.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    ...     start.record(), end.record()
    ...     start.elapsed_time(end) > 0
    (None, None)
    True
    """

    __module__ = "torch.cuda"

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> None:
        need_gpu_for("Tried to instantiate dummy base class Event")
        super().__init__("cuda", enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)

    @property
    def device(self) -> Any:
        """The GPU of its stream; None before it is recorded."""
        return self._place if self._at is not None else None

    @property
    def cuda_event(self) -> int:
        """The address of the CUDA event: 0 before it is recorded, then a number that no other event has."""
        return FIRST_HANDLE + APART * self.event_id if self.event_id else 0

    def __repr__(self) -> str:
        return f"<torch.cuda.Event {self.cuda_event:#x}>" if self.cuda_event else "<torch.cuda.Event uninitialized>"


class StreamContext:
    """Sets the current stream, and with it the current GPU, in a `with` block; None changes nothing."""

    def __init__(self, stream: _streams.Stream | None) -> None:
        self.stream = stream
        self.before: tuple | None = None

    def __enter__(self) -> None:
        if self.stream is not None and "cuda" in BACKENDS.by_kind:
            self.before = _streams.chosen(self.stream)

    def __exit__(self, *exception: object) -> None:
        if self.before is not None:
            _streams.restore(self.before)


def stream(stream: _streams.Stream | None) -> StreamContext:
    """Sets the current stream in a `with` block."""
    return StreamContext(stream)


def set_stream(stream: _streams.Stream | None) -> None:
    """Sets the current stream; None changes nothing."""
    if stream is not None:
        _streams.chosen(stream)


def current_stream(device: Any = None) -> Stream:
    """Returns the current stream of a GPU. Raises AssertionError if there is none."""
    need_gpu()
    current = _streams.current_stream(_get_device_index(device, optional=True))
    if isinstance(current, Stream):
        return current
    return Stream(current.device, current.priority, stream_id=current.stream_id)


def default_stream(device: Any = None) -> Stream:
    """Returns the default stream of a GPU. Raises AssertionError if there is none."""
    need_gpu()
    return Stream(device, stream_id=0)


def get_stream_from_external(data_ptr: int, device: Any = None) -> Stream:
    """Returns a stream that other code has made, by its address. Raises AssertionError if there is no GPU."""
    need_gpu()
    return ExternalStream(data_ptr, device)
