"""Records, while a program runs, which of its lines made a step that may fail later, wrote to memory, or freed a graph.

A line is recorded as the code object and the instruction number of the innermost frame outside the package, which costs
0.2 us; `origin.Place` looks the line up when it is shown. No frame is kept, and so no variables of the program.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from types import CodeType, FrameType

from rushlight.core.clock import tick
from rushlight.core.origin import NOBODY, is_ours

NOTING = os.environ.get("RUSHLIGHT_LINES") != "0"
MOST_FILES = 10_000  # limits memory use of sessions that give each piece of code a new file name

frame_at = sys._getframe

# The files seen in frames. Generated functions check PROGRAM first, to see whether their caller is the program;
# `outside` handles all other cases.
PROGRAM: set[str] = set()
OURS: set[str] = set()


class Entry:
    """The line that called a layer of the package, while the layer runs: (code, instruction, thread); None elsewhere.

    Each frame on the way outwards costs 0.15 us, and a step in a layer is five or more frames away from the program: it
    uses this line. One entry serves all threads, because one per thread costs more than half of what it saves. A thread
    that finds another thread's entry walks the frames. Whichever thread is stored, the entry is cleared on leaving.
    """

    # Reading an instance attribute takes a fifth of the time of a class default
    __slots__ = ("code", "place")

    def __init__(self):
        self.place: tuple | None = None
        self.code: CodeType | None = None  # the program's code that was recorded last: most lines are in the same


ENTRY = Entry()


def entered() -> tuple | None:
    """Returns the line by which this thread entered the package, or None."""
    place = ENTRY.place
    return None if place is None or place[2] != get_ident() else place


def enter(depth: int) -> None:
    """Stores the line at least `depth` calls out for all steps until `ENTRY.place` is cleared."""
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
    """Returns (code, instruction) of the innermost frame of the program, starting at a frame and going outwards."""
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
    """Returns the program's line at least `depth` calls out; NOWHERE if the thread has no such frame."""
    try:
        frame = frame_at(depth + 1)
    except ValueError:
        return NOWHERE
    code = frame.f_code
    return (code, frame.f_lasti) if code.co_filename in PROGRAM else outside(frame)


def note_write(storage, depth: int, by) -> None:
    """Records in a storage the line that has just written to it, at least `depth` calls out, and the operation."""
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
    """Records a write to several storages."""
    place = entered() or place_at(depth + 1)
    last: tuple = (None,)
    for storage in storages:
        if storage.version != last[0]:
            last = (storage.version, place, by)
        storage.last = last


def freed_at(depth: int) -> tuple:
    """Returns what replaces the values freed by a pass: its line, and the time."""
    return place_at(depth + 1), tick(None)
