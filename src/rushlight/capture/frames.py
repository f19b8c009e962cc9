"""The values on the stack of a Python frame, which `sys.settrace` does not show.

CPython keeps them behind the local variables of a frame (Include/internal/pycore_frame.h). How many there are follows
from the instruction: from 3.12 on, a frame that runs does not say it.
`READABLE` says whether this interpreter has a layout that is known: a frame of known content is read once, at import.
Where it has not, nothing is watched, and compiled functions run as written.
"""

from __future__ import annotations

import ctypes
import dis
import inspect
import sys
import sysconfig
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FrameType, MethodType
from typing import Any

NULL = object()  # an empty place of the stack
CODES = 1000  # code objects of which something is kept: programs may make functions without end

# Offsets in bytes: of the inner frame in a frame object; in the inner frame, of the function and of the first local
# variable.
INNER = 24
FIRST = 72 if sys.version_info < (3, 14) else 80
FUNCTION = 0 if sys.version_info < (3, 12) else 16
VERSIONS = ((3, 11), (3, 12), (3, 13), (3, 14))  # that have this layout
WORD = ctypes.sizeof(ctypes.c_void_p)
# The two lowest bits of a word on the stack of CPython 3.14: 1 for a borrowed reference, 3 for a number without object
# (Include/internal/pycore_stackref.h).
BORROWED, UNBOXED = 1, 3


class CodeInfo:
    """The instructions of a code object by offset, and how many values the stack has before each.

    In CPython 3.11 a trace function sees an EXTENDED_ARG in place of the instruction after it, which is found at both
    places; later it sees both.
    """

    def __init__(self, code: CodeType):
        self.locals = len(slots_of(code))
        self.slots = {name: at for at, name in enumerate(slots_of(code))}
        self.at: dict[int, dis.Instruction] = {}
        prefixes: list[int] = []
        for instruction in dis.get_instructions(code):
            if instruction.opname == "EXTENDED_ARG" and sys.version_info < (3, 12):
                prefixes.append(instruction.offset)
                continue
            for offset in (*prefixes, instruction.offset):
                self.at[offset] = instruction
            prefixes = []
        self.depths = depths_of(code, self.at)
        self.next = next_of(self.at)


GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))
ENDS = frozenset(
    """
    RETURN_VALUE RETURN_CONST RAISE_VARARGS RERAISE JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT
    """.split()
)  # after which the next instruction is not executed


def depths_of(code: CodeType, instructions: dict[int, dis.Instruction]) -> dict[int, int]:
    """Returns how many values the stack has before each instruction that can be reached."""
    depths: dict[int, int] = {}
    following = dict(zip(instructions, [*instructions][1:], strict=False))
    begins_with_value = code.co_flags & GENERATORS and dis.stack_effect(dis.opmap["RETURN_GENERATOR"]) == 0
    pending = [(target, deep + lasti + 1) for _, _, target, deep, lasti in dis._parse_exception_table(code)]  # type: ignore[attr-defined]
    pending.append((0, int(bool(begins_with_value))))
    while pending:
        offset, depth = pending.pop()
        while offset is not None and offset not in depths:
            depths[offset] = depth
            instruction = instructions[offset]
            if instruction.opcode in JUMPS:
                pending.append((instruction.argval, depth + effect_of(instruction, jump=True)))
            if instruction.offset != offset:  # the instruction is that after a prefix
                offset = following[offset]
                continue
            depth += effect_of(instruction, jump=False)
            offset = following.get(offset) if instruction.opname not in ENDS else None
    return depths


def next_of(instructions: dict[int, dis.Instruction]) -> dict[int, set[int | None]]:
    """Returns where a trace function sees the next instruction of a frame, after each that raises no error."""
    following: dict[int | None, int] = dict(zip(instructions, [*instructions][1:], strict=False))
    result: dict[int, set[int | None]] = {}
    for offset, instruction in instructions.items():
        after = following.get(instruction.offset)
        positions = set() if instruction.opname in ENDS else {after}
        if instruction.opcode in JUMPS:
            positions.add(instruction.argval)
        if instruction.opname == "FOR_ITER":  # at its end it may skip END_FOR, and POP_TOP
            positions |= {following.get(instruction.argval), following.get(following.get(instruction.argval))}
        if instruction.opname == "YIELD_VALUE":  # RESUME may not be seen
            positions.add(following.get(after))
        result[offset] = positions
    return result


def effect_of(instruction: dis.Instruction, *, jump: bool) -> int:
    """Returns by how many values an instruction makes the stack longer."""
    if sys.version_info < (3, 12) and instruction.opname in ("PRECALL", "CALL"):  # of which `dis` says the sum
        return 0 if instruction.opname == "PRECALL" else -1 - (instruction.arg or 0)
    return dis.stack_effect(instruction.opcode, instruction.arg, jump=jump)


def slots_of(code: CodeType) -> list[str]:
    """Returns the names of the local places of a frame in order: variables, cells that are none, free variables."""
    return list(dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars)))


@lru_cache(CODES)
def info_of(code: CodeType) -> CodeInfo:
    """Returns the instructions of a code object."""
    return CodeInfo(code)


def object_at(address: int) -> Any:
    """Returns the object that a pointer in memory points to, NULL if it is empty."""
    pointer = ctypes.c_void_p.from_address(address).value or 0
    if pointer & UNBOXED == UNBOXED:
        return pointer >> 2
    pointer &= ~BORROWED
    return ctypes.cast(pointer, ctypes.py_object).value if pointer else NULL


def depth(frame: FrameType) -> int:
    """Returns the number of values on the stack of a frame that a trace function looks at."""
    return info_of(frame.f_code).depths[frame.f_lasti]


def stack(frame: FrameType, most: int = 1 << 30) -> list:
    """Returns the uppermost values of the stack, the top one last."""
    inner = ctypes.c_void_p.from_address(id(frame) + INNER).value or 0
    info = info_of(frame.f_code)
    count = info.depths[frame.f_lasti]
    top = info.locals + count
    return [object_at(inner + FIRST + WORD * at) for at in range(top - min(most, count), top)]


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
        if start <= frame.f_lasti < end and not only_raises(frame.f_code, target):
            if info_of(frame.f_code).at[target + 2].opname != LEAVES or not harmless(leaving(frame, deep)):
                return True
    return False


def leaving(frame: FrameType, depth: int) -> Any:
    """Returns the function that leaves a `with` block, which is below a depth of the stack."""
    if sys.version_info < (3, 14):
        return at(frame, depth - 1)
    function, owner = at(frame, depth - 2), at(frame, depth - 1)
    return function if owner is NULL else MethodType(function, owner)


LEAVES = "WITH_EXCEPT_START"
RESTORING = frozenset(("SWAP", "POP_TOP", "STORE_FAST", "CALL_INTRINSIC_1"))


@lru_cache(CODES)
def only_raises(code: CodeType, target: int) -> bool:
    """Whether a handler raises the error again and does no more than restore variables: one that Python has added."""
    for offset, instruction in info_of(code).at.items():
        if offset >= target and instruction.opname not in RESTORING:
            return instruction.opname == "RERAISE"
    return False


@lru_cache(CODES)
def blocks_of(code: CodeType) -> list[tuple[int, int, int, int]]:
    """Returns start, end, handler and depth of the stack of what the exception table of a function covers."""
    return [(each.start, each.end, each.target, each.depth) for each in dis._parse_exception_table(code)]  # type: ignore[attr-defined]


def function_of(frame: FrameType) -> Any:
    """Returns the function that a frame runs."""
    return object_at((ctypes.c_void_p.from_address(id(frame) + INNER).value or 0) + FUNCTION)


def show_instructions(frame: FrameType, trace: Callable) -> None:
    """Has a trace function see each instruction of a frame, in place of its lines.

    In CPython 3.13 that marks the code of the frame, and only if there is a trace function already.
    """
    frame.f_trace, frame.f_trace_opcodes, frame.f_trace_lines = trace, True, False


def hide_instructions(frame: FrameType) -> None:
    """Ends that: in CPython 3.13 the code would be slow for ever."""
    frame.f_trace_opcodes = False


def start_tracing(trace: Callable) -> None:
    """Sets a trace function; in CPython 3.12 it sees instructions if the frame that sets it shows its own."""
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)


def is_readable() -> bool:
    """Whether the stack of a frame is where it is expected."""
    if sys.implementation.name != "cpython" or sys.version_info[:2] not in VERSIONS or WORD != 8:
        return False
    if sysconfig.get_config_var("Py_GIL_DISABLED"):  # it has other objects
        return False
    seen: list = []

    def probe(left, right):
        return (left, right, [left])

    def look(frame, event, arg):
        if event == "call":
            show_instructions(frame, look)
        elif event == "opcode" and info_of(frame.f_code).at[frame.f_lasti].opname == "BUILD_LIST":
            seen.append((depth(frame), stack(frame, 2), function_of(frame)))
            hide_instructions(frame)
        return look

    left, right = object(), object()
    if sys.gettrace() is not None:
        return False
    start_tracing(look)
    try:
        probe(left, right)
    finally:
        sys.settrace(None)
    return len(seen) == 1 and seen[0][0] == 3 and seen[0][1] == [right, left] and seen[0][2] is probe


READABLE = is_readable()
MARKS_CODE = sys.version_info >= (3, 13)  # whether to show instructions is a matter of the code, not of a frame


def may_trace() -> bool:
    """Whether a trace function may be set: not in a debugger."""
    return READABLE and sys.gettrace() is None
