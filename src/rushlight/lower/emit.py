"""Emits expressions as LLVM text: of vectors (`inner_loop.py`, `row_nest_loop.py`) or of single elements."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from rushlight.lower.ir import BIT, F32, F64, FLOATS, HALF, I8, I16, I32, I64, Value
from rushlight.lower.nontemporal import LINE

STORED = {BIT: I8}  # how a type is stored, where that differs
SIZES = {F32: 4, F64: 8, HALF: 2, I8: 1, I16: 2, I32: 4, I64: 8}  # stored size in bytes
NOTES = "!0 = !{i32 1}\n"


def literal(number, type: str) -> str:
    """Returns a constant in LLVM's syntax: floats as the bits of a float64."""
    if type not in FLOATS:
        return str(int(number))
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


class Body:
    """The instructions that compute values, in order; `declared` holds the functions they need.

    With `usual`, conditions of `rarely` are assumed false. With `lanes`, every value is a vector. `library` is the
    prefix of the C library's functions, where there is no C library and the module defines them.
    """

    def __init__(self, prefix: str, *, usual: bool = False, lanes: int = 0, library: str = ""):
        self.prefix, self.usual, self.lanes, self.library = prefix, usual, lanes, library
        self.lines: list[str] = []
        self.names: dict[Value, str] = {}
        self.declared: dict[str, str] = {}

    def known(self, value: Value, name: str) -> None:
        """Records the name of a value that exists already."""
        self.names[value] = name

    def compute(self, wanted: Sequence[Value]) -> list[str]:
        """Returns the names of values; computes those that do not exist yet."""
        pending = list(wanted)
        while pending:
            value = pending[-1]
            missing = [x for x in self._operands(value) if x not in self.names]
            if value in self.names or not missing:
                pending.pop()
                if value not in self.names:
                    self.names[value] = self._name(value)
            pending += missing if value not in self.names else []
        return [self.names[x] for x in wanted]

    def _operands(self, value: Value) -> tuple[Value, ...]:
        return value.args[1:2] if self.usual and value.op == "rarely" else value.args

    def _name(self, value: Value) -> str:
        if value.op == "constant":
            number_text = literal(value.literal, value.type)
            return f"<{', '.join([f'{value.type} {number_text}'] * self.lanes)}>" if self.lanes else number_text
        if value.op == "rarely" and self.usual:
            return self.names[value.args[1]]
        name = f"%{self.prefix}{len(self.names)}"
        self.lines.append(f"{name} = {self._instruction(value)}")
        return name

    def form(self, type: str) -> str:
        """Returns the type of a value with this type in each lane."""
        return in_lanes(type, self.lanes)

    def _suffix(self, type: str) -> str:
        """Returns the suffix of an intrinsic's name."""
        short = {F32: "f32", F64: "f64"}.get(type, type)
        return f"v{self.lanes}{short}" if self.lanes else short

    def _instruction(self, value: Value) -> str:
        op, type, args = value.op, self.form(value.type), [self.names[x] for x in value.args]
        if op in ("intrinsic", "call"):
            return self._call(value, args)
        if op == "ldexp":
            whole = self.form(I32)
            symbol = f"llvm.ldexp.{self._suffix(value.type)}.{self._suffix(I32)}"
            self.declared[symbol] = f"declare {type} @{symbol}({type}, {whole})"
            return f"call {type} @{symbol}({type} {args[0]}, {whole} {args[1]})"
        source = self.form(value.args[0].type)
        if op in ("fcmp", "icmp"):
            return f"{op} {value.literal} {source} {args[0]}, {args[1]}"
        if op in ("rarely", "select"):
            yes, no = args[1:] if op == "select" else args[:0:-1]
            return f"select {source} {args[0]}, {type} {yes}, {type} {no}"
        if source != type:
            return f"{op} {source} {args[0]} to {type}"
        return f"{op} {type} {', '.join(args)}"

    def _call(self, value: Value, args: list[str]) -> str:
        type = self.form(value.type)
        intrinsic = value.op == "intrinsic"
        symbol = f"llvm.{value.literal}.{self._suffix(value.type)}" if intrinsic else f"{self.library}{value.literal}"
        types = [self.form(t.type) for t in value.args]
        pure = "" if intrinsic else " nounwind willreturn memory(none)"
        self.declared[symbol] = f"declare {type} @{symbol}({', '.join(types)}){pure}"
        arguments = ", ".join(f"{t} {name}" for t, name in zip(types, args, strict=True))
        return f"call {type} @{symbol}({arguments})"


def reached(values: Sequence[Value], *, usual: bool = False) -> set[Value]:
    """Returns all values that the given ones depend on; with `usual`, without the rare alternatives but with their
    conditions.
    """
    reached_values: set[Value] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value not in reached_values:
            reached_values.add(value)
            pending += value.args[:2] if usual and value.op == "rarely" else value.args
    return reached_values


def load(lines: list[str], name: str, pointer: str, type: str, index: str = "%i", lanes: int = 0) -> str:
    """Appends the load of an element, or of a vector from there on; returns the value's name."""
    stored = STORED.get(type, type)
    form = in_lanes(stored, lanes)
    lines.append(f"%{name}.at = getelementptr {stored}, ptr {pointer}, i64 {index}")
    lines.append(f"%{name}.raw = load {form}, ptr %{name}.at, align {SIZES[stored]}")
    if type != BIT:
        return f"%{name}.raw"
    lines.append(f"%{name} = icmp ne {form} %{name}.raw, {'zeroinitializer' if lanes else 0}")
    return f"%{name}"


def store(lines: list[str], value: str, pointer: str, type: str, index="%i", name="", lanes=0, past=False) -> None:
    """Appends the store of an element, or of a vector; `name` distinguishes two stores to one address.

    A vector that is a whole part of a cache line may be stored past the caches.
    """
    name = f"%{name}" if name else pointer
    stored = STORED.get(type, type)
    form = in_lanes(stored, lanes)
    lines.append(f"{name}.to = getelementptr {stored}, ptr {pointer}, i64 {index}")
    if type == BIT:
        lines.append(f"{name}.byte = zext {in_lanes(BIT, lanes)} {value} to {form}")
        value = f"{name}.byte"
    hints = f"{min(lanes * SIZES[stored], LINE)}, !nontemporal !0" if past else SIZES[stored]
    lines.append(f"store {form} {value}, ptr {name}.to, align {hints}")


def in_lanes(type: str, lanes: int) -> str:
    """Returns a type, or its vector type with that many lanes."""
    return f"<{lanes} x {type}>" if lanes else type
