"""The report of an exception that ends a program: its own frames, without those of the machinery that runs it."""

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from types import TracebackType

from rushlight import missing

FOLDER = os.path.dirname(__file__)
RUNNER = os.path.join(FOLDER, "run.py")
FINDERS = (os.path.join(FOLDER, "alias.py"), missing.__file__)


def report_program_frames_only() -> None:
    """From here on `sys.excepthook`, the program's own or Python's, is given tracebacks that begin in the program."""
    sys.excepthook = partial(report, sys.excepthook)


def report(hook: Callable, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    for link in chain(error):
        link.__traceback__ = program_frames(link.__traceback__)
    hook(kind, error, error.__traceback__)


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and those it came from, each once: chains may be rings."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def program_frames(traceback: TracebackType | None) -> TracebackType | None:
    """What of a traceback comes after the runner, and is not the search for a name of torch."""
    entries = list(walk(traceback))
    begin = max((index for index, entry in enumerate(entries, 1) if file_of(entry) == RUNNER), default=0)
    shown = [entry for entry in entries[begin:] if file_of(entry) not in FINDERS]
    for entry, following in zip_longest(shown, shown[1:]):
        entry.tb_next = following
    return shown[0] if shown else None


def walk(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def file_of(traceback: TracebackType) -> str:
    return traceback.tb_frame.f_code.co_filename
