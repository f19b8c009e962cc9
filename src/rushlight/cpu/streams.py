"""Streams and events of the CPU: it works in order, so that they have nothing to do."""

from __future__ import annotations

from typing import Any

from rushlight.core.device import device


class Stream:
    """A queue of work, which is always empty."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Returns at once."""

    def record_event(self) -> None:
        """Does nothing."""

    def wait_event(self, event: Any) -> None:
        """Returns at once."""


class Event:
    """A moment, which has always passed."""

    def query(self) -> bool:
        """Returns True."""
        return True

    def record(self, stream: Any = None) -> None:
        """Does nothing."""

    def synchronize(self) -> None:
        """Returns at once."""

    def wait(self, stream: Any = None) -> None:
        """Returns at once."""


class Chosen:
    """The stream that `current_stream` returns."""

    def __init__(self) -> None:
        self.stream = Stream()


CHOSEN = Chosen()


class StreamContext:
    """Makes a stream the current one in a `with` block; None changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self.before = CHOSEN.stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.before, CHOSEN.stream = CHOSEN.stream, self.stream

    def __exit__(self, *error: object) -> None:
        if self.stream is not None:
            CHOSEN.stream = self.before


def stream(stream: Stream | None) -> StreamContext:
    """Returns a context manager that makes `stream` the current one."""
    return StreamContext(stream)


def current_stream(device: device | int | str | None = None) -> Stream:
    """Returns the current stream of the CPU."""
    return CHOSEN.stream
