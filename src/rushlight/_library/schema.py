"""The schema of an operator: `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.

The classes have the attributes of PyTorch's, and print as they do. `parsing.py` parses the text.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

# Type names in schemas, with PyTorch's names elsewhere.
SPOKEN = {
    "Scalar": "number", "SymInt": "int", "SymFloat": "float", "SymBool": "bool", "ScalarType": "int", "Layout": "int",
    "MemoryFormat": "int",
}  # fmt: skip
PLAIN = frozenset(
    "Tensor int float bool str complex Device Generator Stream Storage Any NoneType QScheme Dimname t number".split()
)
TYPE_NAMES = PLAIN | SPOKEN.keys()


class Type(NamedTuple):
    """A type: `kind` is a name, "list", "optional", "dict" or "tuple"; `inner` are its item types."""

    kind: str
    inner: tuple[Type, ...] = ()
    length: int | None = None  # of a list that may be given as one number

    def __str__(self) -> str:
        """In error messages: `Optional[List[int]]`."""
        parts = ", ".join(map(str, self.inner))
        if self.kind in ("list", "optional", "dict", "tuple"):
            return f"{self.kind.capitalize()}[{parts}]"
        return SPOKEN.get(self.kind, self.kind)

    @property
    def spelled(self) -> str:
        """In schemas: `int[2]?`."""
        inner = [x.spelled for x in self.inner]
        if self.kind == "list":
            return f"{inner[0]}[{'' if self.length is None else self.length}]"
        if self.kind == "optional":
            return f"{inner[0]}?"
        if self.kind in ("dict", "tuple"):
            return f"{'Dict' if self.kind == 'dict' else ''}({', '.join(inner)})"
        return self.kind

    def holds_tensors(self) -> bool:
        """Whether values of this type contain tensors."""
        return self.kind == "Tensor" or any(x.holds_tensors() for x in self.inner)


class AliasInfo(NamedTuple):
    """`(a! -> b)`: what an argument shares memory with, and whether it is written to."""

    is_write: bool
    before_set: tuple[str, ...]
    after_set: tuple[str, ...]

    def __str__(self) -> str:
        before, after = "|".join(self.before_set), "|".join(self.after_set)
        return f"({before}{'!' * self.is_write}{f' -> {after}' if after != before else ''})"


class Argument:
    """An argument or result of an operator."""

    __slots__ = ("alias_info", "default_value", "kwarg_only", "name", "real_type", "_has_default")

    def __init__(
        self, name: str, real_type: Type, alias_info: AliasInfo | None, default: tuple[Any, ...], kwarg_only: bool
    ):
        self.name, self.real_type, self.alias_info, self.kwarg_only = name, real_type, alias_info, kwarg_only
        self._has_default = bool(default)
        self.default_value = default[0] if default else None

    def __repr__(self) -> str:
        return "<torch.Argument object>"

    def has_default_value(self) -> bool:
        """Whether it may be left out."""
        return self._has_default

    @property
    def type(self) -> Type:
        """Its type; for symbolic numbers, the number's type."""
        return self.real_type

    @property
    def N(self) -> int | None:  # noqa: N802
        """The length of a list that may be given as one number."""
        kind = self.real_type.inner[0] if self.real_type.kind == "optional" else self.real_type
        return kind.length

    @property
    def is_write(self) -> bool:
        """Whether the operator writes to it."""
        return self.alias_info is not None and self.alias_info.is_write

    @property
    def is_out(self) -> bool:
        """Whether the operator only writes to it."""
        return self.kwarg_only and self.is_write

    def spelled(self) -> str:
        """Returns its text in the schema."""
        alias = "" if self.alias_info is None else str(self.alias_info)
        text = self.real_type.spelled.replace("Tensor", f"Tensor{alias}", 1)
        named = f"{text} {self.name}" if self.name else text
        return f"{named}={spelled_value(self.default_value, self.real_type)}" if self._has_default else named


def spelled_value(value: Any, kind: Type) -> str:
    """Returns a default in schema syntax."""
    if kind.kind == "optional":
        kind = kind.inner[0]
    if isinstance(value, list):
        return f"[{', '.join(spelled_value(x, kind.inner[0] if kind.inner else kind) for x in value)}]"
    if isinstance(value, str) and kind.kind != "Device":
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, float) and math.isfinite(value):
        return f"{int(value)}." if value == int(value) and abs(value) < 1e10 else f"{value:.17g}"
    return str(value)


class FunctionSchema:
    """The name of an operator, its arguments and its results."""

    __slots__ = ("_shown", "arguments", "name", "overload_name", "positional", "returns", "variadic")

    def __init__(
        self, name: str, overload_name: str, arguments: list[Argument], returns: list[Argument], variadic: bool = False
    ):
        self.name, self.overload_name = name, overload_name
        self.arguments, self.returns, self.variadic = arguments, returns, variadic
        self.positional = sum(not argument.kwarg_only for argument in arguments)  # number of positional arguments
        self._shown: str | None = None

    @property
    def is_mutable(self) -> bool:
        """Whether the operator writes to an argument."""
        return any(argument.is_write for argument in self.arguments)

    def _is_view_op(self) -> bool:
        """Whether a result shares memory with an argument that is not written to."""
        return any(argument.alias_info and not argument.is_write for argument in (*self.arguments, *self.returns))

    def __str__(self) -> str:
        if self._shown is None:
            self._shown = self._spelled()
        return self._shown

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionSchema) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def _spelled(self) -> str:
        parts: list[str] = []
        for argument in self.arguments:
            if argument.kwarg_only and "*" not in parts:
                parts.append("*")
            parts.append(argument.spelled())
        parts += ["..."] * self.variadic
        returned = ", ".join(x.spelled() for x in self.returns)
        # A single result has no brackets, unless its own could be mistaken for them.
        if len(self.returns) != 1 or returned.startswith("("):
            returned = f"({returned})"
        return f"{qualified(self.name, self.overload_name)}({', '.join(parts)}) -> {returned}"


def qualified(name: str, overload_name: str) -> str:
    """Returns `aten::add.Tensor`; an empty overload adds nothing."""
    return f"{name}.{overload_name}" if overload_name else name
