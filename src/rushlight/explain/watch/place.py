"""Lines of the program beside those that `core.origin` knows."""

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
    """A line found by reading the program's text, where no instruction leads to it."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """The source of the line without its indentation; empty where it cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def short(self) -> str:
        """`file:line`, the file without its folder."""
        return f"{os.path.basename(self.file)}:{self.line}"


def discards(place: Place) -> bool:
    """Whether the program throws away what the call at a place returns: a statement like `x.to(device)`."""
    following = (
        instruction.opname for instruction in dis.get_instructions(place.code) if instruction.offset > place.offset
    )
    return next(following, "") == "POP_TOP"


def frames() -> Iterator[FrameType]:
    """The program's own frames, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            yield frame
        frame = frame.f_back


def caller() -> FrameType | None:
    """The frame that called a function which the watch has put in the place of another."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(WATCH):
        frame = frame.f_back
    return frame


def called_by_program() -> bool:
    """Whether the program, not the library, called the function that the watch has put in the place of another."""
    frame = caller()
    return frame is not None and not frame.f_code.co_filename.startswith(PACKAGE)
