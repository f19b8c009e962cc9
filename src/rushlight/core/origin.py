"""The lines of the user's program that led to a call: the stack without the frames of this package."""

from __future__ import annotations

import ast
import builtins
import linecache
import os
import re
import sys
import traceback
from itertools import islice
from types import CodeType

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
PROGRAMS = os.path.join(PACKAGE, "benchmark", "")  # parts of the package that count as user programs
CELL = r"<ipython-input-(\d+)-\w+>|.*[/\\]ipykernel_\d+[/\\]\d+\.py"  # how IPython names the code it runs
NOBODY = compile("", "<nowhere>", "exec")  # the caller of a thread that runs only our code


def is_ours(file: str) -> bool:
    """Whether a source file belongs to the package; its lines are hidden from users."""
    return file.startswith(PACKAGE) and not file.startswith(PROGRAMS)


def call_site() -> list[str]:
    """Returns the formatted stack of the program's own frames, innermost last."""
    stack = traceback.extract_stack()
    while len(stack) > 1 and stack[-1].filename.startswith(PACKAGE):
        stack.pop()
    return traceback.format_list(stack)


class Place:
    """A line of the program, stored as code object and instruction; the text is looked up when it is shown.

    No frame is kept alive, so no variables of the program are.
    """

    __slots__ = ("code", "offset")

    def __init__(self, code: CodeType, offset: int):
        self.code, self.offset = code, offset

    def __eq__(self, other):
        return isinstance(other, Place) and self.code is other.code and self.offset == other.offset

    def __hash__(self):
        return hash((id(self.code), self.offset))

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        return self.code.co_name

    @property
    def line(self) -> int:
        """The line number; 0 if the compiler recorded none."""
        for start, end, line in self.code.co_lines():
            if start <= self.offset < end and line is not None:
                return line
        return 0

    @property
    def text(self) -> str:
        """The statement on the line, without indentation; empty if it cannot be read."""
        line = linecache.getline(self.file, self.line)
        return (self._statement(line) if ";" in line else line).strip()

    def _statement(self, line: str) -> str:
        """Returns the statement that contains the instruction, if the line holds several."""
        try:
            body = ast.parse(line.strip()).body
        except SyntaxError:
            return line
        column = list(self.code.co_positions())[self.offset // 2][2] or 0
        column -= len(line) - len(line.lstrip())
        match = next((statement for statement in body if (statement.end_col_offset or 0) > column), None)
        return line if match is None else line.strip()[match.col_offset : match.end_col_offset]

    @property
    def expression(self) -> str:
        """The part of the statement that the instruction belongs to; empty if it cannot be read."""
        position = next(islice(self.code.co_positions(), self.offset // 2, None), (None,) * 4)
        line, end, column, last = position
        if line is None or end is None or column is None or last is None:
            return ""
        lines = [linecache.getline(self.file, number).encode() for number in range(line, end + 1)]
        lines[-1] = lines[-1][:last]  # before the first, which may be the same
        lines[0] = lines[0][column:]
        return " ".join(part.decode().strip() for part in lines)

    @property
    def short(self) -> str:
        """`file:line` without the folder; for a notebook, the number of the cell."""
        cell = re.fullmatch(CELL, self.file)
        if cell is None:
            return f"{os.path.basename(self.file)}:{self.line}"
        return f"In [{cell[1]}]:{self.line}" if cell[1] else f"cell:{self.line}"

    def __str__(self):
        return f"{self.short} (`{self.text}`)" if self.text else self.short

    def __repr__(self):
        return f"<{self.file}:{self.line}>"


class Made:
    """How a tensor or a node was made, recorded with lines: the operation, the line, and its operands.

    `sources` are (operand, its own record, whether a gradient could pass), never tensors, so that a record keeps no
    memory of the program alive.
    """

    __slots__ = ("code", "depth", "dtype", "offset", "op", "recording", "shape", "sources", "tracked")

    def __init__(self, op: str, code=None, offset=0, sources=(), shape=None, dtype=None, depth=0, recording=True):
        self.op, self.code, self.offset = op, code, offset
        self.sources: tuple[tuple[str, Made, bool], ...] = sources
        self.shape, self.dtype = shape, dtype
        self.depth = depth  # the length of the longest chain of records behind it
        self.recording = recording
        self.tracked = False  # whether a node was recorded for it, so that gradients pass

    def __repr__(self):
        return f"<{self.op} at {self.place}>"

    @property
    def place(self) -> Place | None:
        return None if self.code is None else Place(self.code, self.offset)

    @property
    def cut(self) -> str | None:
        """Why no gradient passes although one could: "detach", "no_grad" or "not differentiable"; else None."""
        if self.tracked or not any(tracked for _, _, tracked in self.sources):
            return None
        if self.op in DETACHING:
            return "detach"
        return "not differentiable" if self.recording else "no_grad"


# Operations that intentionally pass on values but no gradient.
DETACHING = frozenset(("detach", "data", "Parameter"))


def place_of(frame) -> Place:
    """Returns the line of the innermost frame outside the package that led to `frame`."""
    while frame is not None:
        code = frame.f_code
        if not is_ours(code.co_filename):
            return Place(code, frame.f_lasti)
        frame = frame.f_back
    return Place(NOBODY, 0)


def here() -> Place:
    """Returns the line of the program that is running."""
    return place_of(sys._getframe(1))


def wants_lines() -> bool:
    """Whether lines are recorded from the start: set by RUSHLIGHT_LINES, else on in interactive sessions."""
    setting = os.environ.get("RUSHLIGHT_LINES")
    if setting is not None:
        return setting not in ("", "0")
    return hasattr(sys, "ps1") or is_ipython()


def is_ipython() -> bool:
    """Whether the program runs in IPython, at its prompt or in a notebook."""
    return hasattr(builtins, "__IPYTHON__")
