"""Reports an exception that ends a program or thread: only the program's frames, and a note about the error.

It removes the frames of the runner and, unless `RUSHLIGHT_TRACEBACK=full`, all other frames of the package.
"""

import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import TracebackType

from rushlight import _missing
from rushlight._as_torch import finder
from rushlight.core.tracebacks import chain, entries, is_full, joined, of_the_program

FOLDER = os.path.dirname(__file__)
RUNNER = os.path.join(FOLDER, "run.py")
FINDERS = (finder.__file__, _missing.__file__)


def report_program_frames_only() -> None:
    """Wraps `sys.excepthook`, the program's or Python's: it gets tracebacks of the program only."""
    sys.excepthook = partial(report, sys.excepthook)


def report_threads_likewise() -> None:
    """Does the same for threads, until the program sets its own hook."""
    threading.excepthook = partial(report_thread, threading.excepthook)


def report(hook: Callable, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    prepare(error)
    hook(kind, error, error.__traceback__)


def report_thread(hook: Callable, failed: threading.ExceptHookArgs) -> None:
    error = failed.exc_value
    if error is not None:
        prepare(error)
        failed = threading.ExceptHookArgs((failed.exc_type, error, error.__traceback__, failed.thread))
    hook(failed)


def prepare(error: BaseException) -> None:
    """Adds notes to an exception and its causes, then shortens their tracebacks."""
    for link in chain(error):
        if isinstance(link, AttributeError | TypeError):
            import_module("rushlight.explain.none_grad").add_note(link)
        link.__traceback__ = program_frames(link.__traceback__)


def program_frames(traceback: TracebackType | None) -> TracebackType | None:
    """Returns the part of a traceback after the runner, without import machinery and library frames."""
    all_entries = list(entries(traceback))
    begin = max((index for index, entry in enumerate(all_entries, 1) if file_of(entry) == RUNNER), default=0)
    shown = [entry for entry in all_entries[begin:] if file_of(entry) not in FINDERS]
    return joined(shown if is_full() else of_the_program(shown))


def file_of(traceback: TracebackType) -> str:
    return traceback.tb_frame.f_code.co_filename
