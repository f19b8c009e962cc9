"""What the instruction that a calling frame is at does with a value: unpacks it, or asserts it."""

from __future__ import annotations

import dis
from types import FrameType

JUMPS = ("POP_JUMP_IF_TRUE", "POP_JUMP_FORWARD_IF_TRUE")


def instructions_from(frame: FrameType) -> list[dis.Instruction]:
    """Returns the instructions of a frame from the current one on."""
    return [x for x in dis.get_instructions(frame.f_code) if x.offset >= frame.f_lasti]


def unpacked_count(frame: FrameType) -> int | None:
    """Returns the number of names on the left of `a, b = x`, or None where a frame does something else."""
    current = instructions_from(frame)[0]
    return current.argval if current.opname == "UNPACK_SEQUENCE" else None


def is_asserting(frame: FrameType) -> bool:
    """Whether a frame is at `assert x`: it jumps if the value is true, and raises AssertionError otherwise."""
    names = [x.opname for x in instructions_from(frame)[:4]]
    jump = next((index for index, name in enumerate(names) if name in JUMPS), None)
    if jump is None:
        return False
    after = [x for x in instructions_from(frame)[jump + 1 :] if x.opname not in ("NOT_TAKEN", "CACHE")]
    return bool(after) and (
        after[0].opname == "LOAD_ASSERTION_ERROR"
        or (after[0].opname == "LOAD_COMMON_CONSTANT" and after[0].argrepr == "AssertionError")
    )
