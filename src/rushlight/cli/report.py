"""The report of an exception that ends a program or a thread: the program's own frames, and what explains the error.

Cut are the frames of the machinery that runs the program and, unless `RUSHLIGHT_TRACEBACK=full`, all others of the
package.
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
    """From here on `sys.excepthook`, the program's own or Python's, is given tracebacks of the program only."""
    sys.excepthook = partial(report, sys.excepthook)


def report_threads_likewise() -> None:
    """The same for threads, until the program sets a hook of its own."""
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
    """Adds to an exception, and to those that it came from, what explains it; then cuts the tracebacks."""
    for link in chain(error):
        if isinstance(link, AttributeError | TypeError):
            import_module("rushlight.explain.none_grad").add_note(link)
        link.__traceback__ = program_frames(link.__traceback__)


def program_frames(traceback: TracebackType | None) -> TracebackType | None:
    """What of a traceback comes after the runner, without the search for a name of torch and the library's frames."""
    all_entries = list(entries(traceback))
    begin = max((index for index, entry in enumerate(all_entries, 1) if file_of(entry) == RUNNER), default=0)
    shown = [entry for entry in all_entries[begin:] if file_of(entry) not in FINDERS]
    return joined(shown if is_full() else of_the_program(shown))


def file_of(traceback: TracebackType) -> str:
    return traceback.tb_frame.f_code.co_filename
