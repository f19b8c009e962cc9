"""Expressions as the text of an LLVM module.

A kernel's heart is a function over contiguous memory, `heart(operand, ..., result, ..., count)`, whose one loop the
vectoriser turns into vector instructions: its iterations are said to be independent, since where a result overwrites
an operand it does so element by element.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from rushlight.compiler.ir import BIT, F32, F64, FLOATS, I32, Value

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
    """The instructions that compute values, in order; `declared` are the functions that they need.

    If `usual`, what is rarely so is taken not to be. With `lanes` every value is a vector of so many.
    """

    def __init__(self, prefix: str, *, usual: bool = False, lanes: int = 0):
        self.prefix, self.usual, self.lanes = prefix, usual, lanes
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
            missing = [each for each in self._asked(value) if each not in self.names]
            if value in self.names or not missing:
                pending.pop()
                if value not in self.names:
                    self.names[value] = self._name(value)
            pending += missing if value not in self.names else []
        return [self.names[each] for each in wanted]

    def _asked(self, value: Value) -> tuple[Value, ...]:
        return value.args[1:2] if self.usual and value.op == "rarely" else value.args

    def _name(self, value: Value) -> str:
        if value.op == "constant":
            found = literal(value.literal, value.type)
            return f"<{', '.join([f'{value.type} {found}'] * self.lanes)}>" if self.lanes else found
        if value.op == "rarely" and self.usual:
            return self.names[value.args[1]]
        name = f"%{self.prefix}{len(self.names)}"
        self.lines.append(f"{name} = {self._instruction(value)}")
        return name

    def _form(self, type: str) -> str:
        """The type of a value that is of this type in each lane."""
        return f"<{self.lanes} x {type}>" if self.lanes else type

    def _suffix(self, type: str) -> str:
        """The end of an intrinsic's name."""
        short = {F32: "f32", F64: "f64"}.get(type, type)
        return f"v{self.lanes}{short}" if self.lanes else short

    def _instruction(self, value: Value) -> str:
        op, type, args = value.op, self._form(value.type), [self.names[each] for each in value.args]
        if op in ("intrinsic", "call"):
            return self._call(value, args)
        if op == "ldexp":
            whole = self._form(I32)
            symbol = f"llvm.ldexp.{self._suffix(value.type)}.{self._suffix(I32)}"
            self.declared[symbol] = f"declare {type} @{symbol}({type}, {whole})"
            return f"call {type} @{symbol}({type} {args[0]}, {whole} {args[1]})"
        source = self._form(value.args[0].type)
        if op in ("fcmp", "icmp"):
            return f"{op} {value.literal} {source} {args[0]}, {args[1]}"
        if op in ("rarely", "select"):
            yes, no = args[1:] if op == "select" else args[:0:-1]
            return f"select {source} {args[0]}, {type} {yes}, {type} {no}"
        if source != type:
            return f"{op} {source} {args[0]} to {type}"
        return f"{op} {type} {', '.join(args)}"

    def _call(self, value: Value, args: list[str]) -> str:
        type = self._form(value.type)
        symbol = f"llvm.{value.literal}.{self._suffix(value.type)}" if value.op == "intrinsic" else value.literal
        types = [self._form(each.type) for each in value.args]
        pure = "" if value.op == "intrinsic" else " nounwind willreturn memory(none)"
        self.declared[symbol] = f"declare {type} @{symbol}({', '.join(types)}){pure}"
        given = ", ".join(f"{each} {name}" for each, name in zip(types, args, strict=True))
        return f"call {type} @{symbol}({given})"


def heart(
    name: str,
    operands: Sequence[Value],
    results: Sequence[Value],
    alike: set[Value],
    declared: dict[str, str],
    alignment: int = 1,
) -> str:
    """The function that computes results from operands over contiguous memory; of those in `alike` there is one.

    `alignment` is what the places of the results can be divided by. Where something is rarely so, a first loop asks
    whether it is so anywhere, and one of two others does the work.
    """
    writer = Heart(operands, alike, declared)
    conditions = rare(results)
    if not conditions:
        first, loops = "work", [writer.work("work", "entry", results)]
    else:
        first, loops = "ask", [
            writer.ask(conditions),
            "known:\n  br i1 %anywhere, label %slow, label %work",
            writer.work("work", "known", results, usual=True),
            writer.work("slow", "known", results, note="!3"),
        ]  # fmt: skip
    count = len(operands)
    arguments = [f"ptr {f'align {alignment} ' * (i >= count)}%p{i}" for i in range(count + len(results))]
    before, text = "\n  ".join(writer.before), "\n".join(loops)
    return f"""
define internal void @{name}({", ".join(arguments)}, i64 %count) noinline {{
entry:
  {before}
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %{first}, label %end
{text}
end:
  ret void
}}
"""


def rare(results: Sequence[Value]) -> list[Value]:
    """The conditions that rarely hold."""
    return list(dict.fromkeys(each.args[0] for each in reached(results) if each.op == "rarely"))


class Heart:
    """Writes the loops of a heart."""

    def __init__(self, operands: Sequence[Value], alike: set[Value], declared: dict[str, str]):
        self.operands, self.alike, self.declared = operands, alike, declared
        self.before = [f"%x{at} = load {each.type}, ptr %p{at}" for at, each in enumerate(operands) if each in alike]

    def body(self, label: str, wanted: Sequence[Value], *, usual: bool) -> tuple[list[str], list[str]]:
        """The lines that compute values for an element, and their names."""
        body = Body(f"{label}.", usual=usual)
        for at, each in enumerate(self.operands):
            found = f"%x{at}"
            if each not in self.alike:
                found = load(body.lines, f"{label}.x{at}", f"%p{at}", each.type, f"%{label}.i")
            body.known(each, found)
        names = body.compute(wanted)
        self.declared.update(body.declared)
        return body.lines, names

    def work(self, label: str, entry: str, results: Sequence[Value], *, usual: bool = False, note: str = "!0") -> str:
        """The loop that computes results and stores them."""
        lines, names = self.body(label, results, usual=usual)
        for at, (each, found) in enumerate(zip(results, names, strict=True), len(self.operands)):
            store(lines, found, f"%p{at}", each.type, f"%{label}.i", f"{label}.p{at}")
        return loop(label, entry, "end", lines, note)

    def ask(self, conditions: Sequence[Value]) -> str:
        """The loop that finds out whether one of the conditions holds anywhere."""
        lines, names = self.body("ask", conditions, usual=True)
        found = "%so.far"
        for at, each in enumerate(names):
            lines += [f"%bit{at} = zext i1 {each} to i32", f"%found{at} = or i32 {found}, %bit{at}"]
            found = f"%found{at}"
        lines.insert(0, f"%so.far = phi i32 [0, %entry], [{found}, %ask]")
        lines.append(f"%anywhere = icmp ne i32 {found}, 0")
        return loop("ask", "entry", "known", lines, "!0")


def loop(label: str, entry: str, after: str, lines: Sequence[str], note: str) -> str:
    """A loop over the elements, whose number is %<label>.i."""
    inner = "\n  ".join(lines)
    return f"""{label}:
  %{label}.i = phi i64 [0, %{entry}], [%{label}.next, %{label}]
  {inner}
  %{label}.next = add nuw nsw i64 %{label}.i, 1
  %{label}.more = icmp ult i64 %{label}.next, %count
  br i1 %{label}.more, label %{label}, label %{after}, !llvm.loop {note}"""


def reached(values: Sequence[Value]) -> set[Value]:
    """The values that some follow from, and these."""
    found: set[Value] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            pending += value.args
    return found


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
