"""An exception in words: the program's line, the operands of the failed call, its meaning and a repair."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from types import FrameType, TracebackType

import numpy as np

from rushlight.core.errors import About
from rushlight.core.origin import PACKAGE, Place
from rushlight.core.tensor import Tensor
from rushlight.explain.error_notes import tell
from rushlight.explain.errors import kind_of
from rushlight.explain.none_grad import note_of as none_grad_note
from rushlight.explain.records import record_of
from rushlight.explain.result import Explanation
from rushlight.explain.source_rewriting import spoken

LONG = 120  # characters of a message that is shown whole


def explain_failure(error: BaseException, *, notes: bool = True) -> Explanation:
    """Explains an exception: what it says, the line of the program, and what to write instead.

    `notes=False` leaves out what a traceback has shown already.
    """
    explanation = Explanation(f"{type(error).__name__}: {beginning(str(error))}")
    about = getattr(error, "about", None)
    note = about.explained or tell(about) if isinstance(about, About) else none_grad_note(error)
    kind = kind_of(error, note)
    explanation.facts |= {
        "kind": "exception", "type": type(error).__name__, "message": str(error), "file": None, "line": None,
        "error": kind.name if kind is not None else None, "notes": list(getattr(error, "__notes__", ())),
    }  # fmt: skip
    frames = list(frames_of(error.__traceback__))
    _line(explanation, frames)
    if note and note not in explanation.facts["notes"]:
        explanation.say("history", note)
    elif not note:
        explanation.say("operands", *_operands(frames))
    if kind is not None:
        explanation.say("meaning", kind.meaning)
    if notes:
        explanation.say("notes", *explanation.facts["notes"])
    return explanation


def beginning(message: str) -> str:
    """Returns the first line of a message; of a long one only the first sentence.

    >>> beginning("Trying to do it twice (or once more). " + "Long words follow. " * 9)
    'Trying to do it twice ...'
    """
    first = message.split("\n")[0]
    match = re.match(r"(.{20,}?)(?: \(|\. |: )", first) if len(first) > LONG else None
    return first if match is None else f"{match[1]} ..."


def frames_of(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Yields (frame, instruction offset) of a traceback, outermost first."""
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lasti
        traceback = traceback.tb_next


def is_ours(frame: FrameType) -> bool:
    """Whether a frame belongs to the package or to NumPy; the command line counts as part of the program."""
    file = frame.f_code.co_filename
    return file.startswith((PACKAGE, NUMPY)) and not file.startswith(CLI)


NUMPY = os.path.join(os.path.dirname(np.__file__), "")
CLI = os.path.join(PACKAGE, "cli", "")


def _line(explanation: Explanation, frames: list) -> None:
    """Adds the last line of the program before it called the package, or in which it failed itself."""
    place = next((Place(frame.f_code, offset) for frame, offset in reversed(frames) if not is_ours(frame)), None)
    if place is not None:
        explanation.facts |= {"file": place.file, "line": place.line, "source": place.text}
        explanation.say("line", f"{place}, in {place.function}()" if place.function != "<module>" else str(place))


def _operands(frames: list) -> Iterator[str]:
    """Yields a sentence for each tensor argument of the package function that the program called."""
    call = next((frame for frame, _ in frames[_last_foreign(frames) + 1 :]), None)
    if call is None:
        return
    code = call.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = call.f_locals.get(name)
        if isinstance(value, Tensor):
            made = record_of(value)
            origin = f", from {spoken(made.op)} at {made.place}" if made.place is not None else ""
            yield f"`{name}` is {tuple(value.shape)}, {str(value.dtype).removeprefix('torch.')}{origin}."


def _last_foreign(frames: list) -> int:
    """Returns the index of the innermost frame of the program."""
    return max((number for number, (frame, _) in enumerate(frames) if not is_ours(frame)), default=-1)
