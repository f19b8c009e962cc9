"""Expressions as the text of an LLVM module.

A kernel's heart is a function over contiguous memory, `heart(operand, ..., result, ..., count)`, whose one loop the
vectoriser turns into vector instructions: its iterations are said to be independent, since where a result overwrites
an operand it does so element by element.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from rushlight.compiler.ir import BIT, F32, FLOATS, Value

STORED = {BIT: "i8"}  # how a type lies in memory, where that differs
INDEPENDENT = """
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
!3 = distinct !{!3, !4, !5}
!4 = !{!"llvm.loop.vectorize.enable", i1 false}
!5 = !{!"llvm.loop.unroll.disable"}
"""


def literal(number, type: str) -> str:
    """A constant as LLVM reads it: floating-point numbers as the bits of a float64."""
    if type not in FLOATS:
        return str(int(number))
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


class Body:
    """The instructions that compute values, in order; `declared` are the functions and tables that they need."""

    def __init__(self, prefix: str):
        self.prefix = prefix
        self.lines: list[str] = []
        self.names: dict[Value, str] = {}
        self.declared: dict[str, str] = {}

    def known(self, value: Value, name: str) -> None:
        """Says under which name a value stands already."""
        self.names[value] = name

    def compute(self, wanted: Sequence[Value]) -> list[str]:
        """The names of values, computed where they are not yet."""
        pending = list(wanted)
        while pending:
            value = pending[-1]
            missing = [each for each in value.args if each not in self.names]
            if value in self.names or not missing:
                pending.pop()
                if value not in self.names:
                    self.names[value] = self._name(value)
            pending += missing if value not in self.names else []
        return [self.names[each] for each in wanted]

    def _name(self, value: Value) -> str:
        if value.op == "constant":
            return literal(value.literal, value.type)
        name = f"%{self.prefix}{len(self.names)}"
        self.lines.append(f"{name} = {self._instruction(value, name)}")
        return name

    def _instruction(self, value: Value, name: str) -> str:
        op, type, args = value.op, value.type, [self.names[each] for each in value.args]
        if op in ("intrinsic", "call"):
            return self._call(value, args)
        if op == "ldexp":
            suffix = "f32" if type == F32 else "f64"
            self.declared[f"ldexp.{suffix}"] = f"declare {type} @llvm.ldexp.{suffix}.i32({type}, i32)"
            return f"call {type} @llvm.ldexp.{suffix}.i32({type} {args[0]}, i32 {args[1]})"
        if op == "lookup":
            return self._lookup(value, args[0], name)
        source = value.args[0].type
        if op in ("fcmp", "icmp"):
            return f"{op} {value.literal} {source} {args[0]}, {args[1]}"
        if op == "select":
            return f"select i1 {args[0]}, {type} {args[1]}, {type} {args[2]}"
        if source != type:
            return f"{op} {source} {args[0]} to {type}"
        return f"{op} {type} {', '.join(args)}"

    def _call(self, value: Value, args: list[str]) -> str:
        type = value.type
        suffix = "f32" if type == F32 else "f64"
        symbol = f"llvm.{value.literal}.{suffix}" if value.op == "intrinsic" else value.literal
        types = ", ".join(each.type for each in value.args)
        pure = "" if value.op == "intrinsic" else " nounwind willreturn memory(none)"
        self.declared[symbol] = f"declare {type} @{symbol}({types}){pure}"
        given = ", ".join(f"{each.type} {name}" for each, name in zip(value.args, args, strict=True))
        return f"call {type} @{symbol}({given})"

    def _lookup(self, value: Value, index: str, name: str) -> str:
        table = value.literal
        symbol = next((key for key, text in self.declared.items() if text == entries(table, key)), None)
        if symbol is None:
            symbol = f"table{len(self.declared)}"
            self.declared[symbol] = entries(table, symbol)
        at = f"{name}.at"
        self.lines.append(f"{at} = getelementptr double, ptr @{symbol}, {value.args[0].type} {index}")
        return f"load double, ptr {at}"


def entries(table: tuple[float, ...], symbol: str) -> str:
    """A table as a constant of the module."""
    listed = ", ".join(f"double {literal(each, 'double')}" for each in table)
    return f"@{symbol} = private unnamed_addr constant [{len(table)} x double] [{listed}]"


def heart(
    name: str, operands: Sequence[Value], results: Sequence[Value], alike: set[Value], declared: dict[str, str]
) -> str:
    """The function that computes results from operands over contiguous memory; of those in `alike` there is one."""
    body = Body("v")
    before: list[str] = []
    arguments = [f"ptr %p{i}" for i in range(len(operands) + len(results))]
    for number, each in enumerate(operands):
        if each in alike:
            before.append(f"%x{number} = load {each.type}, ptr %p{number}")
            body.known(each, f"%x{number}")
        else:
            body.known(each, load(body.lines, f"x{number}", f"%p{number}", each.type))
    names = body.compute(results)
    declared.update(body.declared)
    for number, (each, result) in enumerate(zip(results, names, strict=True), len(operands)):
        store(body.lines, result, f"%p{number}", each.type)
    inner, first = "\n  ".join(body.lines), "\n  ".join(before)
    return f"""
define internal void @{name}({", ".join(arguments)}, i64 %count) noinline {{
entry:
  {first}
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %end
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  {inner}
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}}
"""


def load(lines: list[str], name: str, pointer: str, type: str, index: str = "%i") -> str:
    """Appends the load of an element; returns the value's name."""
    stored = STORED.get(type, type)
    lines.append(f"%{name}.at = getelementptr {stored}, ptr {pointer}, i64 {index}")
    lines.append(f"%{name}.raw = load {stored}, ptr %{name}.at, !llvm.access.group !2")
    if type != BIT:
        return f"%{name}.raw"
    lines.append(f"%{name} = icmp ne i8 %{name}.raw, 0")
    return f"%{name}"


def store(lines: list[str], value: str, pointer: str, type: str, index: str = "%i", name: str = "") -> None:
    """Appends the store of an element; `name` keeps two stores to one place apart."""
    name = f"%{name}" if name else pointer
    stored = STORED.get(type, type)
    lines.append(f"{name}.at = getelementptr {stored}, ptr {pointer}, i64 {index}")
    if type == BIT:
        lines.append(f"{name}.byte = zext i1 {value} to i8")
        value = f"{name}.byte"
    lines.append(f"store {stored} {value}, ptr {name}.at, !llvm.access.group !2")
