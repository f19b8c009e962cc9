"""An exception in words: the line of the program, the operands of the call that failed, what it means, what to do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import FrameType, TracebackType

from rushlight.core.errors import About
from rushlight.core.origin import PACKAGE, Place
from rushlight.core.tensor import Tensor
from rushlight.explain.errors import kind_of
from rushlight.explain.records import record_of
from rushlight.explain.result import Explanation
from rushlight.explain.tell import tell
from rushlight.explain.words import spoken

MACHINERY = ("self", "cls")


def explain_failure(error: BaseException, *, notes: bool = True) -> Explanation:
    """What an exception says, where in the program it came up, and what to write instead.

    Without `notes` it leaves out what a traceback has shown already.
    """
    first = str(error).split("\n")[0]
    said = Explanation(f"{type(error).__name__}: {first}")
    about = getattr(error, "about", None)
    told = tell(about) if isinstance(about, About) else ""
    kind = kind_of(error, told)
    said.facts |= {
        "kind": "exception", "type": type(error).__name__, "message": str(error), "file": None, "line": None,
        "error": kind.name if kind is not None else None, "notes": list(getattr(error, "__notes__", ())),
    }  # fmt: skip
    frames = list(frames_of(error.__traceback__))
    _line(said, frames)
    if told and told not in said.facts["notes"]:
        said.say("history", told)
    elif not told:
        said.say("operands", *_operands(frames))
    if kind is not None:
        said.say("meaning", kind.meaning)
    if notes:
        said.say("notes", *said.facts["notes"])
    return said


def frames_of(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames of a traceback with their instructions, outermost first."""
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lasti
        traceback = traceback.tb_next


def is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(PACKAGE) and not frame.f_code.co_filename.startswith(CLI)


CLI = os.path.join(PACKAGE, "cli", "")


def _line(said: Explanation, frames: list) -> None:
    """The last line of the program before it called us, or in which it failed itself."""
    place = next((Place(frame.f_code, offset) for frame, offset in reversed(frames) if not is_ours(frame)), None)
    if place is not None:
        said.facts |= {"file": place.file, "line": place.line, "source": place.text}
        said.say("line", f"{place}, in {place.function}()" if place.function != "<module>" else str(place))


def _operands(frames: list) -> Iterator[str]:
    """The tensors among the arguments of the function of ours that the program called."""
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
    """The position of the innermost frame of the program."""
    return max((number for number, (frame, _) in enumerate(frames) if not is_ours(frame)), default=-1)
