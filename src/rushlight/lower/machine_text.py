"""LLVM's text of one function, line by line: values, room on the stack, labels."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from rushlight.lower.machine_types import Type


class Value(NamedTuple):
    """Something computed: its type, the register or constant that holds it, and the number where it is written out."""

    type: Type
    text: str
    literal: Any = None


class NotTranslated(SyntaxError):
    """A piece of Python that has no translation, with the line where it stands."""


class Text:
    """The text of one function. `unit` is the module it goes into: it names callees and declares what is used."""

    def __init__(self, unit, native, bound: dict, symbol: str):
        self.unit, self.native, self.bound, self.symbol = unit, native, bound, symbol
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.locals: dict[str, Value] = {}  # where they are, or what they are if `fixed`
        self.fixed: set[str] = set()
        self.loops: list[tuple[str, str]] = []  # where `continue` and `break` go
        self.count = 0
        self.node: ast.AST = native.tree
        self.names = native.names
        self.flags = "" if native.rounded else "contract"

    def line(self, text: str) -> None:
        self.lines.append(text)

    def name(self) -> str:
        self.count += 1
        return f"%.{self.count}"

    def emit(self, kind: Type, text: str) -> Value:
        """A line that gives a value."""
        self.count += 1
        found = f"%.{self.count}"
        self.lines.append(f"{found} = {text}")
        return Value(kind, found)

    def slot(self, kind: Type, many: int = 1) -> Value:
        """Room on the stack."""
        found = self.name()
        if many == 1:
            self.slots.append(f"{found} = alloca {kind.register}")
        else:
            self.slots.append(f"{found} = alloca [{many} x {kind.memory}], align 64")
        return Value(kind, found)

    def label(self) -> str:
        self.count += 1
        return f"L{self.count}"

    def place(self, label: str) -> None:
        """Falls through to a label and goes on there."""
        self.line(f"br label %{label}")
        self.line(f"{label}:")

    def leave(self, label: str) -> None:
        """Goes elsewhere; what follows in the text is never reached."""
        self.line(f"br label %{label}")
        self.line(f"{self.label()}:")

    def branch(self, test: Value, yes: str, no: str) -> None:
        self.line(f"br i1 {test.text}, label %{yes}, label %{no}")

    def refuse(self, what: str) -> NotTranslated:
        line = getattr(self.node, "lineno", self.native.line)
        return NotTranslated(f"{what} ({self.native.file}:{line}, in {self.native.__name__})")
