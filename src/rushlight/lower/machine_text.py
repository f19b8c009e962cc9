"""LLVM text of one function: values, stack slots, labels."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from rushlight.lower.machine_types import Type


class Value(NamedTuple):
    """A computed value: type, register or constant that holds it, and the number if it is a literal."""

    type: Type
    text: str
    literal: Any = None


class NotTranslated(SyntaxError):
    """Raised for Python that has no translation; names the line."""


class Text:
    """The text of one function; `unit` is its module, which names callees and holds declarations."""

    def __init__(self, unit, native, bound: dict, symbol: str):
        self.unit, self.native, self.bound, self.symbol = unit, native, bound, symbol
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.locals: dict[str, Value] = {}  # their addresses, or values if `fixed`
        self.fixed: set[str] = set()
        self.loops: list[tuple[str, str]] = []  # targets of `continue` and `break`
        self.count = 0
        self.node: ast.AST = native.tree
        self.names = native.names
        self.flags = "" if native.rounded else "contract"

    def line(self, text: str) -> None:
        self.lines.append(text)

    def name(self) -> str:
        self.count += 1
        return f"%.{self.count}"

    def emit(self, type_: Type, text: str) -> Value:
        """Appends a line that defines a value."""
        self.count += 1
        name = f"%.{self.count}"
        self.lines.append(f"{name} = {text}")
        return Value(type_, name)

    def slot(self, type_: Type, count: int = 1) -> Value:
        """Returns a new stack slot."""
        name = self.name()
        if count == 1:
            self.slots.append(f"{name} = alloca {type_.register}")
        else:
            self.slots.append(f"{name} = alloca [{count} x {type_.memory}], align 64")
        return Value(type_, name)

    def label(self) -> str:
        self.count += 1
        return f"L{self.count}"

    def place(self, label: str) -> None:
        """Falls through to a new block."""
        self.line(f"br label %{label}")
        self.line(f"{label}:")

    def leave(self, label: str) -> None:
        """Branches away; the following text is unreachable."""
        self.line(f"br label %{label}")
        self.line(f"{self.label()}:")

    def branch(self, test: Value, yes: str, no: str) -> None:
        self.line(f"br i1 {test.text}, label %{yes}, label %{no}")

    def refuse(self, what: str) -> NotTranslated:
        line = getattr(self.node, "lineno", self.native.line)
        return NotTranslated(f"{what} ({self.native.file}:{line}, in {self.native.__name__})")
