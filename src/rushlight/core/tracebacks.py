"""Removes the frames of this package from tracebacks.

`RUSHLIGHT_TRACEBACK=full` in the environment, read when an error is shown, keeps all frames.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from types import TracebackType

from rushlight.core.origin import PACKAGE, Place, is_ours

SWITCH = "RUSHLIGHT_TRACEBACK"
CALLED_BY_US = ("numpy", "scipy", "ml_dtypes", "llvmlite")


def is_full() -> bool:
    """Whether all frames are to be shown."""
    return os.environ.get(SWITCH) == "full"


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yields an exception, its causes and contexts, and members of groups, each once: chains may be cyclic."""
    waiting, seen = [error], set()
    while waiting:
        exception = waiting.pop()
        if exception is None or id(exception) in seen:
            continue
        seen.add(id(exception))
        yield exception
        waiting += [exception.__cause__, exception.__context__]
        if isinstance(exception, BaseExceptionGroup):
            waiting += exception.exceptions


def entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """Yields the entries of a traceback, outermost first."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def joined(shown: Iterable[TracebackType]) -> TracebackType | None:
    """Links copies of some entries to a new traceback; the originals are not changed."""
    following = None
    for entry in reversed(list(shown)):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following


def of_the_program(shown: list[TracebackType]) -> list[TracebackType]:
    """Removes entries of the package, and of libraries that the package called.

    Returns all entries if the program has none: a traceback is never empty.
    """
    kept, inside = [], False
    for entry in shown:
        file = entry.tb_frame.f_code.co_filename
        inside = is_ours(file) or (inside and is_library(file))
        if not inside:
            kept.append(entry)
    return kept or shown


def program_only(traceback: TracebackType | None) -> TracebackType | None:
    """Returns a traceback without the package's frames, unless all frames are requested."""
    return traceback if traceback is None or is_full() else joined(of_the_program(list(entries(traceback))))


def is_raised_by_us(error: BaseException) -> bool:
    """Whether an exception was raised by the package, and not by a function of the program that it has called."""
    raised = list(entries(error.__traceback__))
    return bool(raised) and raised[-1].tb_frame.f_code.co_filename.startswith(PACKAGE)


def last_place(error: BaseException) -> Place | None:
    """Returns the last line of the program that an exception has passed; None if it has passed none."""
    last = None
    for entry in of_the_program(list(entries(error.__traceback__))):
        last = entry.tb_frame.f_code, entry.tb_lasti
    return None if last is None or is_ours(last[0].co_filename) else Place(*last)


def is_library(file: str) -> bool:
    """Whether a file belongs to Python or to a library that the package uses."""
    if file.startswith(STANDARD):
        return not file.startswith(INSTALLED)
    loaded = (sys.modules.get(module) for module in CALLED_BY_US)
    return file.startswith(("<frozen ", *(os.path.dirname(x.__file__ or "") for x in loaded if x is not None)))


STANDARD = os.path.dirname(os.__file__) + os.sep
INSTALLED = tuple(STANDARD + name + os.sep for name in ("site-packages", "dist-packages"))
