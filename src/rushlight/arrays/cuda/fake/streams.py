"""Streams and events of the fake CuPy: a stream queues what it is given, and runs it when something waits.

The default stream is the exception: what it is given runs at once, after all that blocking streams have queued, as
the default stream of CUDA waits for them. So a program with one stream is a NumPy program; one with more streams runs
in an order that only its events and waits constrain, and a missing one shows as a wrong number. Each queue stores what
its work writes, and how far the work of other streams is done before its own: so a read of what is not yet computed is
found (`read`), and `LISTENERS` are called.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rushlight.arrays.cuda.fake.graphs import CAPTURES, Captured, Graph
from rushlight.arrays.cuda.fake.runtime import CUDARuntimeError

NOT_YET = object()  # what work returns that waits for something outside: it is tried again
PATIENCE = 20  # questions whether a stream is done, one after the other, until it goes on: the program waits in a loop


class Work(NamedTuple):
    """What a stream is given: a function, and the numbers that it writes."""

    run: Callable[[], object]
    written: Sequence[np.ndarray]


class Stream:
    """A queue of work on the device."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.is_non_blocking, self.priority = non_blocking, priority or 0
        self.ptr = 0 if null else id(self)
        self.device_id = OF_THREAD.device
        self.waiting: deque[Work] = deque()
        self.finished = 0  # how much of its work is done
        self.asked = 0  # how often in a row whether it is done
        self.after: dict[Stream, int] = {}  # how much of other streams' work is done before what is queued from now on
        self.before: list[tuple[int, Stream]] = []  # what `with` blocks have to restore
        self.capture: Captured | None = None  # what records the work in place of the queue

    # ---- work

    def queue(self, work: Callable[[], object], written: Sequence[np.ndarray] = ()) -> None:
        """Gives work to the stream, which writes some numbers."""
        self.asked = 0
        if self.capture is not None:
            self.capture.add(self, Work(work, written))
            return
        if self.ptr:
            self.waiting.append(Work(work, written))
            BUSY[self] = None
            return
        for capture in CAPTURES:
            if not capture.origin.is_non_blocking:
                capture.refuse(906)
        for other in list(BUSY):
            if not other.is_non_blocking:
                other.synchronize()
        work()

    def synchronize(self) -> None:
        """Runs all that is queued."""
        self.refuse_if_capturing()
        while self.waiting:
            self.advance()

    def advance(self) -> None:
        """Does the next work."""
        self.finished += 1
        work = self.waiting.popleft()
        if not self.waiting:
            BUSY.pop(self, None)
        if work.run() is NOT_YET:
            self.finished -= 1
            self.waiting.appendleft(work)
            BUSY[self] = None

    @property
    def done(self) -> bool:
        self.refuse_if_capturing()
        self.ask()
        return not self.waiting

    def ask(self) -> None:
        """Does the next work if the program has asked often whether it is done."""
        self.asked += 1
        if self.asked > PATIENCE and self.waiting:
            self.advance()

    def record(self, event=None):
        """Marks this place in the queue by an event."""
        event = event or Event()
        event.mark(self)
        return event

    def wait_event(self, event) -> None:
        """Lets what is queued from here on wait for an event."""
        if (captured := event.capture) is not None and captured in CAPTURES:
            if self.capture not in (None, captured):
                captured.refuse(902)
            self.capture = captured
            captured.join(self, event)
        elif self.capture is not None:
            self.capture.refuse(905)
        elif event.stream is not None:
            marked = event.number
            if self.ptr:  # the default stream waits now
                for other, count in (*event.after.items(), (event.stream, event.at)):
                    self.after[other] = max(self.after.get(other, 0), count)
                self.after = {other: count for other, count in self.after.items() if other.finished < count}
            self.queue(lambda: event.reach(marked))

    def launch_host_func(self, callback, arg) -> None:
        self.queue(lambda: callback(arg))

    def add_callback(self, callback, arg) -> None:
        self.queue(lambda: callback(self, 0, arg))

    # ---- capture

    def begin_capture(self, mode=None) -> None:
        """Records what the stream is given from now on."""
        if not self.ptr:
            raise RuntimeError("cannot capture on the default (legacy) stream")
        if self.capture is not None:
            self.capture.refuse(401)
        self.synchronize()  # so that what it has been given before is done in order
        self.capture = Captured(self)
        CAPTURES.append(self.capture)

    def end_capture(self) -> Graph:
        """Returns what was recorded, as a graph."""
        if self.capture is None:
            raise CUDARuntimeError(401)
        return self.capture.end(self, current)

    def is_capturing(self) -> bool:
        return self.capture is not None

    def refuse_if_capturing(self) -> None:
        if self.capture is not None:
            self.capture.refuse(900)

    # ---- the current one

    def use(self):
        OF_THREAD.streams[OF_THREAD.device] = self
        return self

    def __enter__(self):
        self.before.append((OF_THREAD.device, current()))
        return self.use()

    def __exit__(self, *exception: object) -> None:
        index, stream = self.before.pop()
        OF_THREAD.streams[index] = stream

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.ptr == other.ptr

    def __hash__(self) -> int:
        return hash(self.ptr)


class OfThread(threading.local):
    """What each thread has chosen: a device, and a stream of each device."""

    def __init__(self):
        self.device = 0
        self.streams: dict[int, Stream] = {}


OF_THREAD = OfThread()
BUSY: dict[Stream, None] = {}  # streams with work; the program need not keep them
DEFAULT = Stream(null=True)  # of every device


def current() -> Stream:
    """Returns the current stream of this thread."""
    return OF_THREAD.streams.get(OF_THREAD.device, DEFAULT)


# Called with the stream that reads too early, and the one that writes.
LISTENERS: list[Callable[[Stream, Stream], None]] = []


def read(numbers: Sequence[np.ndarray]) -> None:
    """Calls the listeners if the current stream reads numbers that another one may not have written yet."""
    if BUSY and LISTENERS and (other := first_to_write(numbers, current())) is not None:
        for listener in LISTENERS:
            listener(current(), other)


def first_to_write(numbers: Sequence[np.ndarray], reader: Stream) -> Stream | None:
    """Returns a stream that has queued a write to some numbers, for which a stream does not wait."""
    for stream in BUSY:
        if stream is reader or not (reader.ptr or stream.is_non_blocking):
            continue
        done = reader.after.get(stream, 0) - stream.finished
        for count, work in enumerate(stream.waiting):
            if count >= done and any(np.may_share_memory(one, other) for one in work.written for other in numbers):
                return stream
    return None


class Device:
    """One of the devices; all of them are the CPU."""

    def __init__(self, device: int | None = None):
        self.id = OF_THREAD.device if device is None else device
        self.before: list[int] = []

    def use(self) -> None:
        OF_THREAD.device = self.id

    def __enter__(self):
        self.before.append(OF_THREAD.device)
        self.use()
        return self

    def __exit__(self, *exception: object) -> None:
        OF_THREAD.device = self.before.pop()

    def synchronize(self) -> None:
        """Runs all that the streams of the device have queued."""
        for capture in CAPTURES:
            if capture.origin.device_id == self.id:
                capture.refuse(900)
        for stream in list(BUSY):
            if stream.device_id == self.id:
                stream.synchronize()


class Event:
    """A place in the queue of a stream, and the time at which the stream came to it."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.stream: Stream | None = None
        self.at, self.after = 0, dict[Stream, int]()  # how much of its stream's and of others' work is before it
        self.number = self.reached = 0  # of the last mark, and of the last that its stream came to
        self.times = not disable_timing
        self.time = 0.0
        self.capture: Captured | None = None  # during which it was last marked

    def mark(self, stream: Stream) -> None:
        self.capture = stream.capture
        self.stream, self.number = stream, self.number + 1
        number = self.number
        stream.queue(lambda: self.pass_by(number))
        self.at, self.after = stream.finished + len(stream.waiting), dict(stream.after)

    def pass_by(self, number: int) -> None:
        self.reached, self.time = max(self.reached, number), time.perf_counter()

    def reach(self, number: int) -> None:
        """Runs the stream up to a mark."""
        while self.reached < number and self.stream is not None and self.stream.waiting:
            self.stream.advance()

    def record(self, stream=None) -> None:
        self.mark(stream or current())

    def synchronize(self) -> None:
        self.refuse_if_captured()
        self.reach(self.number)

    def refuse_if_captured(self) -> None:
        if self.capture is not None:
            self.capture.refuse(907)

    @property
    def done(self) -> bool:
        self.refuse_if_captured()
        if self.reached < self.number and self.stream is not None:
            self.stream.ask()
        return self.reached >= self.number


def get_elapsed_time(start: Event, end: Event) -> float:
    """Returns the milliseconds between two events."""
    return (end.time - start.time) * 1e3
