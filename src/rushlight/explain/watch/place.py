"""A line of the program: kept as code object and instruction, looked up when it is shown."""

from __future__ import annotations

import dis
import linecache
import os
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import NamedTuple

from rushlight.core.origin import PACKAGE

NOBODY = compile("", "<nowhere>", "exec")  # stands for the caller of a thread that runs our own code only


class Place:
    """An instruction of the program, the same object whenever it is come to; see `place_of`.

    It keeps no frame, and so none of the program's variables.
    """

    __slots__ = ("code", "offset")

    def __init__(self, code: CodeType, offset: int):
        self.code, self.offset = code, offset

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def line(self) -> int:
        """The number of the line, 0 where the compiler left none."""
        for start, end, line in self.code.co_lines():
            if start <= self.offset < end and line is not None:
                return line
        return 0

    @property
    def text(self) -> str:
        """The source of the line without its indentation; empty where it cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def discards(self) -> bool:
        """Whether the program throws away what the call at this place returns: a statement like `x.to(device)`."""
        following = (each.opname for each in dis.get_instructions(self.code) if each.offset > self.offset)
        return next(following, "") == "POP_TOP"

    def __str__(self):
        name = f"{os.path.basename(self.file)}:{self.line}"
        return f"{name} (`{self.text}`)" if self.text else name


class Line(NamedTuple):
    """A line found by reading the program's text, where no instruction leads to it."""

    file: str
    line: int

    @property
    def text(self) -> str:
        return linecache.getline(self.file, self.line).strip()


def place_of(code: CodeType, offset: int) -> Place:
    """The place of an instruction. Each is made once: code objects take long to be compared or hashed."""
    place = PLACES.get((id(code), offset))
    if place is None:
        place = PLACES[id(code), offset] = Place(code, offset)
    return place


PLACES: dict[tuple[int, int], Place] = {}  # a place holds its code, so that the id stays its own


def frames() -> Iterator[FrameType]:
    """The program's own frames, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            yield frame
        frame = frame.f_back


def here() -> Place:
    """The place that the program has come to."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return place_of(code, frame.f_lasti)
        frame = frame.f_back
    return place_of(NOBODY, 0)
