"""Noting, while a program runs, which of its lines made a step that may fail later, wrote to memory, or freed a graph.

A line is noted as the code object and the number of the instruction of the innermost frame outside the package, which
costs 0.2 us; `origin.Place` looks the line up when it is shown. No frame is kept, and so no variable of the program.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from types import CodeType, FrameType

from rushlight.core.clock import tick
from rushlight.core.origin import NOBODY, is_ours

NOTING = os.environ.get("RUSHLIGHT_LINES") != "0"
MOST_FILES = 10_000  # a session that names its pieces of code one by one must not fill the memory

frame_at = sys._getframe

# The files that frames were found in. The generated functions look at the first to see that their caller is the
# program; whatever else there is to do is done by `outside`.
PROGRAM: set[str] = set()
OURS: set[str] = set()


class Entry:
    """The line that called a layer of the package, while that runs, as (code, instruction, thread); None elsewhere.

    Every frame on the way outwards costs 0.15 us, and a step in a layer is five or more away from the program: there
    this line is taken. One place serves all threads, for one of each thread costs more than half of what it saves. A
    thread that finds another's goes outwards; who has entered makes it empty on leaving, whoever is in it.
    """

    # An attribute that is there is read in a fifth of the time that a class default takes
    __slots__ = ("code", "place")

    def __init__(self):
        self.place: tuple | None = None
        self.code: CodeType | None = None  # the program's that was noted last: most lines follow one of the same


ENTRY = Entry()


def entered() -> tuple | None:
    """The line by which this thread has entered the package, if it is known."""
    place = ENTRY.place
    return None if place is None or place[2] != get_ident() else place


def enter(depth: int) -> None:
    """Takes the line at least so many calls out for that of all steps until `ENTRY.place` is made empty."""
    try:
        frame = frame_at(depth + 1)
    except ValueError:
        return
    code = frame.f_code
    if code.co_filename in PROGRAM:
        ENTRY.place = (code, frame.f_lasti, get_ident())
    else:
        ENTRY.place = (*outside(frame), get_ident())


NOWHERE = (NOBODY, 0)


def outside(frame: FrameType | None) -> tuple:
    """(code, instruction) of the innermost frame of the program, from a frame on outwards."""
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        if file in OURS:
            frame = frame.f_back
        elif file in PROGRAM:
            return code, frame.f_lasti
        else:
            _classify(file)
    return NOWHERE


def _classify(file: str) -> None:
    known = OURS if is_ours(file) else PROGRAM
    if len(known) > MOST_FILES:
        known.clear()
    known.add(file)


def place_at(depth: int) -> tuple:
    """The same, at least so many calls out. A thread may have started nearer: then there is no such frame."""
    try:
        frame = frame_at(depth + 1)
    except ValueError:
        return NOWHERE
    code = frame.f_code
    return (code, frame.f_lasti) if code.co_filename in PROGRAM else outside(frame)


def note_write(storage, depth: int, by) -> None:
    """Notes on memory the line that has just written to it, at least so many calls out, and by what."""
    if storage.inference:
        return
    try:
        frame = frame_at(depth + 1)
    except ValueError:
        return
    if (code := frame.f_code).co_filename in PROGRAM:
        storage.last = storage.version, (code, frame.f_lasti), by
    else:
        storage.last = storage.version, outside(frame), by


def note_writes(storages, depth: int, by: str) -> None:
    """The same for several memories."""
    place = entered() or place_at(depth + 1)
    last: tuple = (None,)
    for each in storages:
        if each.version != last[0]:
            last = (each.version, place, by)
        each.last = last


def freed_at(depth: int) -> tuple:
    """What is left in the place of what a pass frees: its line, and the time."""
    return place_at(depth + 1), tick(None)
