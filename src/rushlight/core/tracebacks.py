"""Tracebacks without the frames of this package: they begin and end in the program.

`RUSHLIGHT_TRACEBACK=full` in the environment, asked for when an error is shown, leaves every frame in.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from types import TracebackType

from rushlight.core.origin import is_ours

SWITCH = "RUSHLIGHT_TRACEBACK"
CALLED_BY_US = ("numpy", "scipy", "ml_dtypes", "llvmlite")


def is_full() -> bool:
    """Whether the frames of the package are to be shown."""
    return os.environ.get(SWITCH) == "full"


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, those that it came from, and the members of groups, each once: chains may be rings."""
    waiting, seen = [error], set()
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions


def entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, outermost first."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def joined(shown: Iterable[TracebackType]) -> TracebackType | None:
    """A traceback of copies of some entries; the originals keep their links."""
    following = None
    for each in reversed(list(shown)):
        following = TracebackType(following, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return following


def of_the_program(shown: list[TracebackType]) -> list[TracebackType]:
    """The entries without the package's, and without those of libraries that the package called.

    All of them where the program has none: a traceback is never empty.
    """
    found, inside = [], False
    for each in shown:
        file = each.tb_frame.f_code.co_filename
        inside = is_ours(file) or (inside and is_library(file))
        if not inside:
            found.append(each)
    return found or shown


def program_only(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the package's frames, unless all frames are wanted."""
    return traceback if traceback is None or is_full() else joined(of_the_program(list(entries(traceback))))


def is_library(file: str) -> bool:
    """Whether a file belongs to Python itself or to a library that the package is built on."""
    if file.startswith(STANDARD):
        return not file.startswith(INSTALLED)
    loaded = (sys.modules.get(each) for each in CALLED_BY_US)
    return file.startswith(("<frozen ", *(os.path.dirname(each.__file__ or "") for each in loaded if each is not None)))


STANDARD = os.path.dirname(os.__file__) + os.sep
INSTALLED = tuple(STANDARD + each + os.sep for each in ("site-packages", "dist-packages"))
