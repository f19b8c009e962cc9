"""The recorder: what is noted between a start and a stop. One at a time records, of all threads of the process."""

from __future__ import annotations

from _thread import get_ident
from collections import deque
from collections.abc import Iterator
from contextlib import ContextDecorator
from time import perf_counter_ns
from typing import Any, NamedTuple

from rushlight.profiler.details import Wanted, details_of
from rushlight.profiler.event_list import EventList
from rushlight.profiler.flops import COUNTS
from rushlight.profiler.nesting import events_of
from rushlight.profiler.observed import Observed
from rushlight.profiler.timed_code import Kind, NoteDetails

FIELDS = 5  # of a note
ACTIVE: list[Recorder] = []  # those that were started; the last one records, the others wait for it to stop


class Settings(NamedTuple):
    """What is recorded besides times, by the names of PyTorch's arguments; `line` is the line of the program alone."""

    record_shapes: bool = False
    profile_memory: bool = False
    with_stack: bool = False
    with_flops: bool = False
    with_modules: bool = False
    line: bool = False
    moved: bool = False
    most: int | None = None  # calls that are kept, the last ones

    def details_of(self, name: str) -> NoteDetails | None:
        """Returns what notes the details of calls of an operator: shapes at least where operations are counted."""
        shapes = self.record_shapes or (self.with_flops and name in COUNTS)
        return details_of(Wanted(shapes, self.profile_memory, self.moved, self.line, self.with_stack))


class Recorder:
    """Records from `start` to `stop`; `events` are then those of the time between."""

    def __init__(self, settings: Settings):
        self.settings = settings
        # The fields of all notes, one after another: a tuple for each would keep the garbage collector busy
        self.notes: Any = [] if settings.most is None else deque(maxlen=FIELDS * settings.most)
        self.origin = self.end = 0
        self.zero: int | None = None  # the time from which events count, if not the start
        self.observed: Observed | None = None

    def start(self) -> None:
        """Starts recording; a recorder that was at it goes on afterwards, without what this one has seen."""
        if ACTIVE:
            ACTIVE[-1].detach()
        ACTIVE.append(self)
        self.attach()
        self.origin = perf_counter_ns()

    def stop(self) -> None:
        """Ends recording, also of one that waits."""
        self.end = perf_counter_ns()
        if self not in ACTIVE:
            return
        records = ACTIVE[-1] is self
        ACTIVE.remove(self)
        if records:
            self.detach()
            if ACTIVE:
                ACTIVE[-1].attach()

    def attach(self) -> None:
        settings = self.settings
        modules = settings.with_modules or settings.with_stack
        self.observed = Observed(self.notes.extend, settings.details_of, modules=modules)
        self.observed.begin()

    def detach(self) -> None:
        if self.observed is not None:
            self.observed.end()
            self.observed = None

    def note_block(self, name: str, start: int) -> None:
        """Notes a block of this thread that ends now."""
        self.notes.extend((Kind(name, "user_annotation"), start, perf_counter_ns(), get_ident(), None))

    def events(self) -> EventList:
        """Returns the events so far."""
        shown = self.settings._asdict()
        for name in ("with_modules", "line", "moved", "most"):
            shown.pop(name)
        notes = [note for note in noted(self.notes) if note[1] >= self.origin]  # begun inside
        return events_of(notes, self.origin if self.zero is None else self.zero, shown)


def noted(fields: Any) -> Iterator[tuple]:
    """Returns the notes whose fields are one after another."""
    each = iter([*fields])  # other threads may go on
    return zip(*[each] * FIELDS, strict=True)


class record_function(ContextDecorator):  # noqa: N801  PyTorch's name
    """Marks a block, or with `@` a function, which profiles then show under its name; `args` is kept and not shown.

    >>> import rushlight as torch
    >>> with torch.profiler.profile() as prof:
    ...     with torch.profiler.record_function("double"):
    ...         x = torch.ones(2) * 2
    >>> [event.name for event in prof.events()]
    ['double', 'aten::ones', 'aten::mul']
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self.starts: list[int] = []

    def __enter__(self) -> record_function:
        self.starts.append(perf_counter_ns())
        return self

    def __exit__(self, *raised: object) -> None:
        start = self.starts.pop()
        for recorder in ACTIVE[-1:]:  # another thread may end it at the same time
            recorder.note_block(self.name, start)

    def _recreate_cm(self) -> record_function:
        return record_function(self.name, self.args)  # a decorated function may be running in several threads
