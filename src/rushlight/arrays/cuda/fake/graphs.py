"""Stream capture of the fake CuPy: the work of capturing streams is recorded, and queued at each launch of the graph.

As on a GPU nothing is computed during a capture; to wait for a capturing stream is an error, and the capture fails
with it. Memory that is taken during a capture outside of a pool of its own is refused too, which CUDA does only
where the mode of the capture is not relaxed: other work would get that memory while the graph still writes to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from rushlight.arrays.cuda.fake.runtime import CUDARuntimeError


class Captured:
    """The work of a stream that captures, and of those that wait for it."""

    def __init__(self, origin: Any) -> None:
        self.origin = origin
        self.streams, self.unjoined = {origin}, set[Any]()
        self.work: list[Any] = []
        self.pools: set[ref] = set()  # of the memory that was taken
        self.failed = False

    def add(self, stream: Any, work: Any) -> None:
        """Records work of a stream."""
        self.work.append(work)
        if stream is not self.origin:
            self.unjoined.add(stream)

    def join(self, stream: Any, event: Any) -> None:
        """Lets a stream wait for an event that was recorded during the capture."""
        self.streams.add(stream)
        self.unjoined.discard(event.stream)
        if stream is not self.origin:
            self.unjoined.add(stream)

    def refuse(self, status: int) -> None:
        """Makes the capture fail, and raises the error of CUDA's runtime."""
        self.failed = True
        raise CUDARuntimeError(status)

    def end(self, stream: Any, current: Callable[[], Any]) -> Graph:
        """Returns the graph. Raises CUDARuntimeError if the capture has failed."""
        if stream is not self.origin:
            self.refuse(903)
        CAPTURES.remove(self)
        for each in self.streams:
            each.capture = None
        if self.failed or self.unjoined:
            raise CUDARuntimeError(901 if self.failed else 904)
        graph = Graph.__new__(Graph)
        graph.work, graph.pools, graph.current = self.work, self.pools, current
        return graph


CAPTURES: list[Captured] = []  # under way


class Graph:
    """Captured work."""

    work: list[Any]
    pools: set[ref]
    current: Callable[[], Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "currently this class cannot be initiated by the user and must be created via stream capture"
        )

    def launch(self, stream: Any = None) -> None:
        """Queues the work. Raises CUDARuntimeError if the pool that it takes its memory from is gone."""
        stream = self.current() if stream is None else stream
        if any(pool() is None for pool in self.pools):
            raise CUDARuntimeError(700)
        for work in self.work:
            stream.queue(work.run, work.written)

    def upload(self, stream: Any = None) -> None:
        """Prepares the launch."""
