"""Where in the program something was done: the stack without our own frames."""

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
PROGRAMS = os.path.join(PACKAGE, "benchmark", "")  # what is in the package and yet uses it as a program does
CELL = re.compile(r"<ipython-input-(\d+)-\w+>|.*[/\\]ipykernel_\d+[/\\]\d+\.py")  # how IPython names what it runs
NOBODY = compile("", "<nowhere>", "exec")  # stands for the caller of a thread that runs our own code only


def is_ours(file: str) -> bool:
    """Whether a file of code belongs to the package, so that its lines mean nothing to the program."""
    return file.startswith(PACKAGE) and not file.startswith(PROGRAMS)


def call_site() -> list[str]:
    """The stack of the program's own frames, formatted, innermost last."""
    stack = traceback.extract_stack()
    while len(stack) > 1 and stack[-1].filename.startswith(PACKAGE):
        stack.pop()
    return traceback.format_list(stack)


class Place:
    """A line of the program, kept as code object and instruction: it is looked up when it is shown.

    No frame is kept, and so none of the program's variables.
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
        """The number of the line, 0 where the compiler left none."""
        for start, end, line in self.code.co_lines():
            if start <= self.offset < end and line is not None:
                return line
        return 0

    @property
    def text(self) -> str:
        """The statement on the line, without indentation; empty where it cannot be read."""
        line = linecache.getline(self.file, self.line)
        return (self._statement(line) if ";" in line else line).strip()

    def _statement(self, line: str) -> str:
        """Of several statements on a line, the one that the instruction belongs to."""
        try:
            body = ast.parse(line.strip()).body
        except SyntaxError:
            return line
        column = list(self.code.co_positions())[self.offset // 2][2] or 0
        column -= len(line) - len(line.lstrip())
        found = next((each for each in body if (each.end_col_offset or 0) > column), None)
        return line if found is None else line.strip()[found.col_offset : found.end_col_offset]

    @property
    def expression(self) -> str:
        """Of the statement, the part that the instruction belongs to; empty where it cannot be read."""
        found = next(islice(self.code.co_positions(), self.offset // 2, None), (None,) * 4)
        line, end, column, last = found
        if line is None or end is None or column is None or last is None:
            return ""
        lines = [linecache.getline(self.file, number).encode() for number in range(line, end + 1)]
        lines[-1] = lines[-1][:last]  # before the first, which may be the same
        lines[0] = lines[0][column:]
        return " ".join(each.decode().strip() for each in lines)

    @property
    def short(self) -> str:
        """`file:line`, the file without its folder; of a notebook, its cell."""
        cell = CELL.fullmatch(self.file)
        if cell is None:
            return f"{os.path.basename(self.file)}:{self.line}"
        return f"In [{cell[1]}]:{self.line}" if cell[1] else f"cell:{self.line}"

    def __str__(self):
        return f"{self.short} (`{self.text}`)" if self.text else self.short

    def __repr__(self):
        return f"<{self.file}:{self.line}>"


class Made:
    """How a tensor or a node came about while lines were recorded: the operation, the place, and what it was made of.

    `sources` are (operand, its own record, whether a gradient could have passed it), never tensors: what is recorded
    keeps no memory of the program alive.
    """

    __slots__ = ("code", "depth", "dtype", "offset", "op", "recording", "shape", "sources", "tracked")

    def __init__(self, op: str, code=None, offset=0, sources=(), shape=None, dtype=None, depth=0, recording=True):
        self.op, self.code, self.offset = op, code, offset
        self.sources: tuple[tuple[str, Made, bool], ...] = sources
        self.shape, self.dtype = shape, dtype
        self.depth = depth  # how long the longest chain of records behind it is
        self.recording = recording
        self.tracked = False  # whether a node was recorded for it, so that gradients pass

    def __repr__(self):
        return f"<{self.op} at {self.place}>"

    @property
    def place(self) -> Place | None:
        return None if self.code is None else Place(self.code, self.offset)

    @property
    def cut(self) -> str | None:
        """Why no gradient passes although one could have: "detach", "no_grad" or "not differentiable"; else None."""
        if self.tracked or not any(tracked for _, _, tracked in self.sources):
            return None
        if self.op in DETACHING:
            return "detach"
        return "not differentiable" if self.recording else "no_grad"


# What hands on the numbers and not the gradient, by intention.
DETACHING = frozenset(("detach", "data", "Parameter"))


def place_of(frame) -> Place:
    """The innermost frame outside the package that led to `frame`."""
    while frame is not None:
        code = frame.f_code
        if not is_ours(code.co_filename):
            return Place(code, frame.f_lasti)
        frame = frame.f_back
    return Place(NOBODY, 0)


def here() -> Place:
    """The line of the program that is being run."""
    return place_of(sys._getframe(1))


def wants_lines() -> bool:
    """Whether lines are recorded from the start: RUSHLIGHT_LINES says so, or somebody sits at a prompt."""
    asked = os.environ.get("RUSHLIGHT_LINES")
    if asked is not None:
        return asked not in ("", "0")
    return hasattr(sys, "ps1") or is_ipython()


def is_ipython() -> bool:
    """Whether the program runs in IPython: at its prompt or in a notebook."""
    return hasattr(builtins, "__IPYTHON__")
