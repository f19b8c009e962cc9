"""Tracebacks in notebooks and at IPython's prompt: only the program's frames, with the error's notes below.

IPython shows notes (PEP 678) from version 9 on. Its traceback printer is an object of the shell; three of its methods
are replaced, so its modes, colours and `%tb` keep working.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import TracebackType
from typing import Any

from rushlight.core.tracebacks import chain, program_only
from rushlight.explain.none_grad import add_note

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def install() -> None:
    """Replaces the methods in the running shell, once."""
    shell = sys.modules["IPython"].get_ipython()
    printer = getattr(shell, "InteractiveTB", None)
    if printer is None or hasattr(printer.structured_traceback, "__wrapped__"):
        return
    printer.structured_traceback = with_program_frames(printer.structured_traceback)
    printer.format_exception = with_notes(printer.format_exception, "")
    printer._format_exception_only = with_notes(printer._format_exception_only, "\n")


def with_program_frames(show: Callable) -> Callable:
    """Wraps a printer method: exceptions of a chain are shown without the package's frames."""

    @wraps(show)
    def structured_traceback(etype: Any, evalue: Any = None, etb: Any = None, *others: Any, **named: Any) -> Any:
        if not isinstance(evalue, BaseException) or not isinstance(etb, TracebackType | None):
            return show(etype, evalue, etb, *others, **named)
        for link in chain(evalue):
            add_note(link)
        with program_frames(evalue):
            return show(etype, evalue, program_only(etb), *others, **named)

    return structured_traceback


@contextmanager
def program_frames(error: BaseException) -> Iterator[None]:
    """Shortens the tracebacks of an exception chain within the block; a debugger sees all frames afterwards."""
    links = [(x, x.__traceback__) for x in chain(error)]
    try:
        for link, traceback in links:
            link.__traceback__ = program_only(traceback)
        yield
    finally:
        for link, traceback in links:
            link.__traceback__ = traceback


def with_notes(format_: Callable, end: str) -> Callable:
    """Wraps a formatter: appends the notes of an exception that it left out."""

    @wraps(format_)
    def format_exception(etype: Any, evalue: Any, *others: Any, **named: Any) -> list[str]:
        lines = list(format_(etype, evalue, *others, **named))
        shown = COLOURS.sub("", "\n".join(map(str, lines)))
        missing = [str(x) for x in getattr(evalue, "__notes__", ()) if str(x) not in shown]
        if missing:  # appended to the last line: IPython 8 accepts no additional ones
            lines[-1] = "\n".join([lines[-1].rstrip("\n"), *missing]) + end
        return lines

    return format_exception
