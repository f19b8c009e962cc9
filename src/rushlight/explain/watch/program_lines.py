"""Lines of the program that are not in `core.origin`."""

from __future__ import annotations

import dis
import linecache
import os
import sys
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

from rushlight.core.origin import PACKAGE, Place

WATCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


class Line(NamedTuple):
    """A line found in the source text, without an instruction."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """The source of the line without indentation; empty if it cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def short(self) -> str:
        """`file:line`, without the folder."""
        return f"{os.path.basename(self.file)}:{self.line}"


def discards(place: Place) -> bool:
    """Whether the program discards the result of the call at a line: a statement like `x.to(device)`."""
    following = (
        instruction.opname for instruction in dis.get_instructions(place.code) if instruction.offset > place.offset
    )
    return next(following, "") == "POP_TOP"


def frames() -> Iterator[FrameType]:
    """Yields the program's own frames, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            yield frame
        frame = frame.f_back


def caller() -> FrameType | None:
    """Returns the frame that called a function which the watch wraps."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(WATCH):
        frame = frame.f_back
    return frame


def called_by_program() -> bool:
    """Whether the program, not the library, called the function that the watch wraps."""
    frame = caller()
    return frame is not None and not frame.f_code.co_filename.startswith(PACKAGE)
