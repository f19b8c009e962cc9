"""The inner loop of an elementwise kernel: rows of contiguous memory, one vector at a time.

`inner_loop(places, count, past, steps, rows)` takes pointers to operands and results, the elements per row,
whether to store
past the caches, the row stride of each array in bytes, and the number of rows. The strides are followed by a mask per
array for the element index: all bits, or none where a row of an operand is one repeated element, which then fills a
vector.

A row has at least one vector; the last one overlaps the one before it, so results must not overlap operands then. The
loop is emitted in vectors, since LLVM's vectorizer took most of the compile time.

Conditions of `rarely` are tested per vector. Where one holds for some elements, a separate function computes these one
by one, and the loop continues with the merged vector.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.lower import emit, llvm
from rushlight.lower.emit import SIZES, STORED, Body, in_lanes, reached
from rushlight.lower.ir import BIT, FLOATS, WIDTHS, Value
from rushlight.lower.nontemporal import LINE, PREFETCH, ahead
from rushlight.lower.row_sums import RowSums

FEW = 8  # steps; formulas shorter than this use two vectors per iteration, since the loop overhead shows


def lanes_of(results: Sequence[Value]) -> int:
    """Returns the elements per step; 0 without vectors, because the C library is called."""
    steps = reached(results, usual=True)
    if any(x.op == "call" for x in steps):
        return 0
    widest = max([WIDTHS[x.type] for x in steps if x.type in FLOATS], default=32)
    return llvm.host().lanes * 32 // widest * (2 if len(steps) < FEW else 1)


def module(operands: Sequence[Value], results: Sequence[Value], alike: set[Value]) -> str:
    """Returns the text of a module that computes results from operands; operands in `alike` are scalars."""
    writer = InnerLoop(operands, results, alike, lanes_of(results))
    text = writer.text()
    return "\n".join([*writer.declared.values(), text, emit.NOTES])


def compiled(operands: Sequence[Value], results: Sequence[Value], alike: set[Value]) -> int:
    """Returns the address of the compiled module's function."""
    return llvm.build(module(operands, results, alike), "inner_loop", passes=llvm.FORMULA)["inner_loop"]


class InnerLoop:
    """Writes an inner loop."""

    def __init__(
        self,
        operands: Sequence[Value],
        results: Sequence[Value],
        alike: set[Value],
        lanes: int,
        near: frozenset[int] = frozenset(),
        sums: int = 0,
        width: int = 0,
    ):
        """`near` has the numbers of the results that are never stored past the caches. The last `sums` results are not
        stored: their sums along each row are, added in `width` parts.
        """
        self.operands, self.results, self.alike, self.lanes, self.near = operands, results, alike, lanes, near
        self.stored = len(results) - sums
        numbers = range(len(operands) + self.stored, len(operands) + len(results))
        self.sums = RowSums(results[self.stored :], numbers, lanes, width) if sums else None
        rare_values = [x for x in reached(results, usual=True) if x.op == "rarely"]
        self.conditions = [x.args[0] for x in sorted(rare_values, key=lambda x: x.number)]
        self.moving = [i for i, x in enumerate((*operands, *results)) if x not in alike]
        self.before = pointers(len(operands) + len(results), ".first")
        self.declared: dict[str, str] = {}

    def text(self) -> str:
        """Returns the loops, preceded by the function for rare elements if there are any."""
        body = Body("v", usual=True, lanes=self.lanes)
        for i, operand in enumerate(self.operands):
            if operand in self.alike:
                single = emit.load(self.before, f"x{i}", f"%p{i}.first", operand.type, "0")
                body.known(operand, splat(self.before, single, operand.type, self.lanes))
            else:
                body.lines.append(f"%i{i} = and i64 %i, %each{i}")
                body.known(operand, emit.load(body.lines, f"x{i}", f"%q{i}", operand.type, f"%i{i}", self.lanes))
                if self.lanes:
                    self._prefetch(body.lines, i, operand.type)
        result_names = body.compute(self.results)
        if self.conditions:
            result_names = self._rare_branch(body, result_names)
        self._store(body.lines, result_names[: self.stored])
        sums, back = self.sums, "stored" if self.sums is None else "adding"
        old = [] if sums is None else [f"%old = phi i64 [0, %ready], [0, %{back}], [%overlap, %cut]"]
        overlap = [] if sums is None else ["%overlap = sub i64 %following, %last"]
        rare_function = self._one_by_one() if self.conditions else ""
        self.declared.update(body.declared)
        rows = [f"%p{i} = phi ptr [%p{i}.first, %entry], [%p{i}.next, %ended]" for i in self.moving]
        rows += self._broadcast()
        moves = [f"%p{i}.next = getelementptr i8, ptr %p{i}, i64 %s{i}" for i in self.moving]
        return f"""{rare_function}
define void @inner_loop(ptr %places, i64 %count, i1 %past, ptr %steps, i64 %rows) nounwind {{
entry:
  {lines_of(self.before + self._steps() + ([] if sums is None else sums.entry()))}
  %last = sub nsw i64 %count, {self.lanes or 1}
  br label %row
row:
  %done = phi i64 [0, %entry], [%done.next, %ended]
  {lines_of(rows)}
  br label %ready
ready:
  {lines_of([] if sums is None else sums.begin())}
  br label %next
next:
  %i = phi i64 [0, %ready], [%following, %{back}], [%last, %cut]
  {lines_of([*old, *body.lines])}
stored:
  {lines_of([] if sums is None else sums.add(result_names[self.stored :], "stored"))}
  %following = add nuw nsw i64 %i, {self.lanes or 1}
  %more = icmp sle i64 %following, %last
  br i1 %more, label %next, label %cut
cut:
  {lines_of(overlap)}
  %left = icmp slt i64 %following, %count
  br i1 %left, label %next, label %ended
ended:
  {lines_of(([] if sums is None else sums.end()) + moves)}
  %done.next = add nuw nsw i64 %done, 1
  %again = icmp slt i64 %done.next, %rows
  br i1 %again, label %row, label %end
end:
  ret void
}}
"""

    def _steps(self) -> list[str]:
        """Returns the lines that load the row strides and the index masks."""
        lines = []
        for i in self.moving:
            lines.append(f"%s{i}.at = getelementptr i64, ptr %steps, i64 {i}")
            lines.append(f"%s{i} = load i64, ptr %s{i}.at")
        return lines + self._masks()

    def _masks(self) -> list[str]:
        """Returns the lines that load the index masks of the operands."""
        lines = []
        for i in [i for i in self.moving if i < len(self.operands)]:
            index = len(self.operands) + len(self.results) + i
            lines.append(f"%each{i}.at = getelementptr i64, ptr %steps, i64 {index}")
            lines.append(f"%each{i} = load i64, ptr %each{i}.at")
        return lines

    def _broadcast(self) -> list[str]:
        """Returns the lines that broadcast a row's single element to a vector."""
        lines, block = [], "row"
        for i, operand in enumerate(self.operands):
            if operand in self.alike:
                continue
            if not self.lanes:
                lines.append(f"%q{i} = getelementptr i8, ptr %p{i}, i64 0")
                continue
            type = STORED.get(operand.type, operand.type)
            form = in_lanes(type, self.lanes)
            self.before.append(f"%q{i}.room = alloca {form}")
            lines += [
                f"%q{i}.one = icmp eq i64 %each{i}, 0",
                f"br i1 %q{i}.one, label %fill{i}, label %filled{i}",
                f"fill{i}:",
                f"%q{i}.number = load {type}, ptr %p{i}",
            ]
            vector = splat(lines, f"%q{i}.number", type, self.lanes)
            lines += [
                f"store {form} {vector}, ptr %q{i}.room, align {SIZES[type]}",
                f"br label %filled{i}",
                f"filled{i}:",
                f"%q{i} = phi ptr [%p{i}, %{block}], [%q{i}.room, %fill{i}]",
            ]
            block = f"filled{i}"
        return lines

    def _prefetch(self, lines: list[str], i: int, type: str) -> None:
        """Appends prefetches of an operand."""
        self.declared["llvm.prefetch"], soon = PREFETCH, ahead()
        for line in range(0, self.lanes * SIZES[STORED.get(type, type)], LINE):
            name = f"%soon{i}.{line // LINE}"
            lines.append(f"{name} = getelementptr i8, ptr %x{i}.at, i64 {soon + line}")
            lines.append(f"call void @llvm.prefetch.p0(ptr {name}, i32 0, i32 3, i32 1)")

    def _store(self, lines: list[str], names: Sequence[str]) -> None:
        """Appends both ways to store the results: the branch is always predicted."""
        branches = {"near": False, "far": True} if self.lanes else {"near": False}
        lines.append("br i1 %past, label %far, label %near" if self.lanes else "br label %near")
        for label, past in branches.items():
            lines.append(f"{label}:")
            for i, (result, name) in enumerate(zip(self.results[: self.stored], names, strict=True)):
                place, far = f"%p{i + len(self.operands)}", past and i not in self.near
                emit.store(lines, name, place, result.type, "%i", f"{label}{i}", self.lanes, far)
            lines.append("br label %stored")

    def _rare_branch(self, body: Body, usual: Sequence[str]) -> list[str]:
        """Appends the test for rare elements; returns the names of the results in either case.

        The operands are read again then; nothing has overwritten them yet.
        """
        lines, lanes = body.lines, self.lanes
        condition = any_of(lines, body.compute(self.conditions), lanes)
        if lanes:
            symbol = f"llvm.vector.reduce.or.v{lanes}{BIT}"
            self.declared[symbol] = f"declare i1 @{symbol}({in_lanes(BIT, lanes)})"
            lines.append(f"%anywhere = call i1 @{symbol}({in_lanes(BIT, lanes)} {condition})")
            condition = "%anywhere"
        lines += [f"br i1 {condition}, label %rare, label %usual", "rare:"]
        for i, (result, name) in enumerate(zip(self.results, usual, strict=True)):
            self.before.append(f"%room{i} = alloca {in_lanes(STORED.get(result.type, result.type), lanes)}")
            emit.store(lines, name, f"%room{i}", result.type, "0", f"kept{i}", lanes)
        self.before.append(f"%here = alloca [{len(self.operands)} x ptr]")
        for i in range(len(self.operands)):
            lines.append(f"%here{i} = getelementptr ptr, ptr %here, i64 {i}")
            lines.append(f"store ptr %{f'q{i}' if i in self.moving else f'p{i}.first'}, ptr %here{i}")
        lines.append(f"call void @rare(ptr %here, i64 %i, ptr %steps{self._buffers()})")
        merged = [
            emit.load(lines, f"mended{i}", f"%room{i}", result.type, "0", lanes)
            for i, result in enumerate(self.results)
        ]
        lines += ["br label %usual", "usual:"]
        for i, (result, name) in enumerate(zip(self.results, usual, strict=True)):
            form = in_lanes(result.type, lanes)
            lines.append(f"%found{i} = phi {form} [{name}, %next], [{merged[i]}, %rare]")
        return [f"%found{i}" for i in range(len(usual))]

    def _buffers(self) -> str:
        return "".join(f", ptr %room{i}" for i in range(len(self.results)))

    def _one_by_one(self) -> str:
        """Returns the function that overwrites the rare elements of a vector."""
        body = Body("s")
        for i, operand in enumerate(self.operands):
            index = "0" if operand in self.alike else f"%i{i}"
            if operand not in self.alike:
                body.lines.append(f"%i{i} = and i64 %at, %each{i}")
            body.known(operand, emit.load(body.lines, f"x{i}", f"%p{i}", operand.type, index))
        condition = any_of(body.lines, body.compute(self.conditions), 0)
        body.lines += [f"br i1 {condition}, label %so, label %after", "so:"]
        names = body.compute(self.results)
        for i, (operand, name) in enumerate(zip(self.results, names, strict=True)):
            emit.store(body.lines, name, f"%room{i}", operand.type, "%lane")
        self.declared.update(body.declared)
        return f"""
define private void @rare(ptr %places, i64 %i, ptr %steps{self._buffers()}) nounwind noinline {{
entry:
  {lines_of(pointers(len(self.operands)) + self._masks())}
  br label %next
next:
  %lane = phi i64 [0, %entry], [%following, %after]
  %at = add i64 %i, %lane
  {lines_of(body.lines)}
  br label %after
after:
  %following = add nuw nsw i64 %lane, 1
  %more = icmp ult i64 %following, {self.lanes or 1}
  br i1 %more, label %next, label %end
end:
  ret void
}}
"""


def pointers(count: int, suffix: str = "") -> list[str]:
    """Returns the lines that load the pointers to operands and results."""
    lines = []
    for i in range(count):
        lines.append(f"%p{i}.at = getelementptr ptr, ptr %places, i64 {i}")
        lines.append(f"%p{i}{suffix} = load ptr, ptr %p{i}.at")
    return lines


def splat(lines: list[str], name: str, type: str, lanes: int, at: str = "") -> str:
    """Appends the vector with one scalar in all lanes; `at` distinguishes several."""
    if not lanes:
        return name
    form, zeros = in_lanes(type, lanes), f"{in_lanes('i32', lanes)} zeroinitializer"
    lines.append(f"{name}.first{at} = insertelement {form} poison, {type} {name}, i32 0")
    lines.append(f"{name}.all{at} = shufflevector {form} {name}.first{at}, {form} poison, {zeros}")
    return f"{name}.all{at}"


def any_of(lines: list[str], names: Sequence[str], lanes: int) -> str:
    """Appends whether one of several conditions holds."""
    condition, *rest = names
    for i, name in enumerate(rest):
        lines.append(f"%either{i} = or {in_lanes(BIT, lanes)} {condition}, {name}")
        condition = f"%either{i}"
    return condition


def lines_of(lines: Sequence[str]) -> str:
    return "\n  ".join(lines)
