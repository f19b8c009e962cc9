"""The values on the stack of a Python frame, which `sys.settrace` does not show.

CPython 3.11 keeps them behind the local variables of a frame (Include/internal/pycore_frame.h).
`READABLE` says whether this interpreter has that layout: a frame of known content is read once, at import. Where it has
not, nothing is watched, and compiled functions run as written.
"""

from __future__ import annotations

import ctypes
import dis
import sys
from collections.abc import Callable
from functools import cache
from types import CodeType, FrameType
from typing import Any

NULL = object()  # an empty place of the stack

# Offsets in bytes: of the inner frame in a frame object; in the inner frame, of the function, of the number of values
# (local variables and stack), and of the first local variable.
INNER, FUNCTION, TOP, FIRST = 24, 0, 64, 72
WORD = ctypes.sizeof(ctypes.c_void_p)


class CodeInfo:
    """The instructions of a code object by offset; that after an EXTENDED_ARG is found at both places."""

    def __init__(self, code: CodeType):
        self.locals = len(dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars)))
        self.slots = {name: at for at, name in enumerate(slots_of(code))}
        self.at: dict[int, dis.Instruction] = {}
        prefixes: list[int] = []
        for instruction in dis.get_instructions(code):
            if instruction.opname == "EXTENDED_ARG":
                prefixes.append(instruction.offset)
                continue
            for offset in (*prefixes, instruction.offset):
                self.at[offset] = instruction
            prefixes = []


def slots_of(code: CodeType) -> list[str]:
    """Returns the names of the local places of a frame in order: variables, cells that are none, free variables."""
    return list(dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars)))


@cache
def info_of(code: CodeType) -> CodeInfo:
    """Returns the instructions of a code object."""
    return CodeInfo(code)


def object_at(address: int) -> Any:
    """Returns the object that a pointer in memory points to, NULL if it is empty."""
    pointer = ctypes.c_void_p.from_address(address).value
    return NULL if pointer is None else ctypes.cast(pointer, ctypes.py_object).value


def depth(frame: FrameType) -> int:
    """Returns the number of values on the stack of a frame that a trace function looks at."""
    inner = ctypes.c_void_p.from_address(id(frame) + INNER).value or 0
    return ctypes.c_int.from_address(inner + TOP).value - info_of(frame.f_code).locals


def stack(frame: FrameType, most: int = 1 << 30) -> list:
    """Returns the uppermost values of the stack, the top one last."""
    inner = ctypes.c_void_p.from_address(id(frame) + INNER).value or 0
    top = ctypes.c_int.from_address(inner + TOP).value
    count = min(most, top - info_of(frame.f_code).locals)
    return [object_at(inner + FIRST + WORD * at) for at in range(top - count, top)]


def at(frame: FrameType, position: int) -> Any:
    """Returns the value at a place of the stack, counted from its bottom."""
    inner = ctypes.c_void_p.from_address(id(frame) + INNER).value or 0
    return object_at(inner + FIRST + WORD * (info_of(frame.f_code).locals + position))


def local(frame: FrameType, name: str) -> Any:
    """Returns what a frame has for a name: of a free variable or a captured one its cell."""
    inner = ctypes.c_void_p.from_address(id(frame) + INNER).value or 0
    return object_at(inner + FIRST + WORD * info_of(frame.f_code).slots[name])


def is_in_block(frame: FrameType, harmless: Callable[[Any], bool]) -> bool:
    """Whether an error in a frame would run more code of it: `except`, `finally`, or the end of a `with` block.

    `harmless` says of the function that leaves a `with` block whether it does not matter.
    """
    for start, end, target, deep in blocks_of(frame.f_code):
        if start <= frame.f_lasti < end:
            if info_of(frame.f_code).at[target + 2].opname != LEAVES or not harmless(at(frame, deep - 1)):
                return True
    return False


LEAVES = "WITH_EXCEPT_START"


@cache
def blocks_of(code: CodeType) -> list[tuple[int, int, int, int]]:
    """Returns start, end, handler and depth of the stack of what the exception table of a function covers."""
    return [(each.start, each.end, each.target, each.depth) for each in dis._parse_exception_table(code)]  # type: ignore[attr-defined]


def function_of(frame: FrameType) -> Any:
    """Returns the function that a frame runs."""
    return object_at((ctypes.c_void_p.from_address(id(frame) + INNER).value or 0) + FUNCTION)


def is_readable() -> bool:
    """Whether the stack of a frame is where it is expected."""
    if sys.implementation.name != "cpython" or sys.version_info[:2] != (3, 11) or WORD != 8:
        return False
    seen: list = []

    def probe(left, right):
        return (left, right, [left])

    def look(frame, event, arg):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode" and info_of(frame.f_code).at[frame.f_lasti].opname == "BUILD_LIST":
            seen.append((depth(frame), stack(frame, 2), function_of(frame)))
        return look

    left, right, tracer = object(), object(), sys.gettrace()
    if tracer is not None:
        return False
    sys.settrace(look)
    try:
        probe(left, right)
    finally:
        sys.settrace(None)
    return len(seen) == 1 and seen[0][0] == 3 and seen[0][1] == [right, left] and seen[0][2] is probe


READABLE = is_readable()
