"""The heart of an elementwise kernel: a loop over rows of contiguous memory, a vector at a time.

`heart(places, count, past, steps, rows)` is told where operands and results lie, how many elements a row has, whether
results are written past the caches, by how many bytes each array goes on from row to row, and how many rows there are;
behind the steps, for each array, what the number of an element is cut to: all its bits, or none where a row of an
operand is of one number, which then fills a vector.
A row has one vector at least; what does not fill the last one is computed with elements before it, a second time, so
that no result may then lie where an operand does. It is written in vectors, so that LLVM need not look for them: that
took it most of the time that one waits for a kernel.

What is rarely so is asked for in each vector. Where it is so for some elements, a function beside the loop computes
these one by one, and the loop goes on with what that has found.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.lower import emit, llvm
from rushlight.lower.emit import SIZES, STORED, Body, in_lanes, reached
from rushlight.lower.ir import BIT, FLOATS, WIDTHS, Value
from rushlight.lower.nontemporal import LINE, PREFETCH, ahead

FEW = 8  # steps of a formula that go by so quickly that the loop's own count: it is given two vectors at a time


def lanes_of(results: Sequence[Value]) -> int:
    """How many elements are computed at a time; 0 where there are no vectors, since the C library is asked."""
    steps = reached(results, usual=True)
    if any(each.op == "call" for each in steps):
        return 0
    widest = max(WIDTHS[each.type] for each in steps if each.type in FLOATS)
    return llvm.host().lanes * 32 // widest * (2 if len(steps) < FEW else 1)


def module(operands: Sequence[Value], results: Sequence[Value], alike: set[Value]) -> str:
    """The text of what computes results from operands; of those in `alike` there is one number for all."""
    writer = Heart(operands, results, alike, lanes_of(results))
    text = writer.text()
    return "\n".join([*writer.declared.values(), text, emit.NOTES])


def compiled(operands: Sequence[Value], results: Sequence[Value], alike: set[Value]) -> int:
    """The address of that."""
    return llvm.build(module(operands, results, alike), "heart", passes=llvm.FORMULA)["heart"]


class Heart:
    """Writes a heart."""

    def __init__(self, operands: Sequence[Value], results: Sequence[Value], alike: set[Value], lanes: int):
        self.operands, self.results, self.alike, self.lanes = operands, results, alike, lanes
        asking = [each for each in reached(results, usual=True) if each.op == "rarely"]
        self.conditions = [each.args[0] for each in sorted(asking, key=lambda each: each.number)]
        self.moving = [at for at, each in enumerate((*operands, *results)) if each not in alike]
        self.before = places(len(operands) + len(results), ".first")
        self.declared: dict[str, str] = {}

    def text(self) -> str:
        """The loops, and before them the function for what is rare if something is."""
        body = Body("v", usual=True, lanes=self.lanes)
        for at, each in enumerate(self.operands):
            if each in self.alike:
                single = emit.load(self.before, f"x{at}", f"%p{at}.first", each.type, "0")
                body.known(each, repeated(self.before, single, each.type, self.lanes))
            else:
                body.lines.append(f"%i{at} = and i64 %i, %each{at}")
                body.known(each, emit.load(body.lines, f"x{at}", f"%q{at}", each.type, f"%i{at}", self.lanes))
                if self.lanes:
                    self._asked(body.lines, at, each.type)
        found = body.compute(self.results)
        if self.conditions:
            found = self._seldom(body, found)
        self._stored(body.lines, found)
        seldom = self._one_by_one() if self.conditions else ""
        self.declared.update(body.declared)
        rows = [f"%p{at} = phi ptr [%p{at}.first, %entry], [%p{at}.next, %ended]" for at in self.moving]
        rows += self._filled()
        moves = [f"%p{at}.next = getelementptr i8, ptr %p{at}, i64 %s{at}" for at in self.moving]
        return f"""{seldom}
define void @heart(ptr %places, i64 %count, i1 %past, ptr %steps, i64 %rows) nounwind {{
entry:
  {lines_of(self.before + self._steps())}
  %last = sub nsw i64 %count, {self.lanes or 1}
  br label %row
row:
  %done = phi i64 [0, %entry], [%done.next, %ended]
  {lines_of(rows)}
  br label %ready
ready:
  br label %next
next:
  %i = phi i64 [0, %ready], [%following, %stored], [%last, %cut]
  {lines_of(body.lines)}
stored:
  %following = add nuw nsw i64 %i, {self.lanes or 1}
  %more = icmp sle i64 %following, %last
  br i1 %more, label %next, label %cut
cut:
  %left = icmp slt i64 %following, %count
  br i1 %left, label %next, label %ended
ended:
  {lines_of(moves)}
  %done.next = add nuw nsw i64 %done, 1
  %again = icmp slt i64 %done.next, %rows
  br i1 %again, label %row, label %end
end:
  ret void
}}
"""

    def _steps(self) -> list[str]:
        """Finds out how arrays go on, and of which operands each element is another."""
        lines = []
        for at in self.moving:
            lines.append(f"%s{at}.at = getelementptr i64, ptr %steps, i64 {at}")
            lines.append(f"%s{at} = load i64, ptr %s{at}.at")
        return lines + self._cuts()

    def _cuts(self) -> list[str]:
        """Finds out of which operands each element is another."""
        lines = []
        for at in [at for at in self.moving if at < len(self.operands)]:
            place = len(self.operands) + len(self.results) + at
            lines.append(f"%each{at}.at = getelementptr i64, ptr %steps, i64 {place}")
            lines.append(f"%each{at} = load i64, ptr %each{at}.at")
        return lines

    def _filled(self) -> list[str]:
        """Puts into all lanes of a vector what is the one number of a row."""
        lines, block = [], "row"
        for at, each in enumerate(self.operands):
            if each in self.alike:
                continue
            if not self.lanes:
                lines.append(f"%q{at} = getelementptr i8, ptr %p{at}, i64 0")
                continue
            type = STORED.get(each.type, each.type)
            form = in_lanes(type, self.lanes)
            self.before.append(f"%q{at}.room = alloca {form}")
            lines += [
                f"%q{at}.one = icmp eq i64 %each{at}, 0",
                f"br i1 %q{at}.one, label %fill{at}, label %filled{at}",
                f"fill{at}:",
                f"%q{at}.number = load {type}, ptr %p{at}",
            ]
            vector = repeated(lines, f"%q{at}.number", type, self.lanes)
            lines += [
                f"store {form} {vector}, ptr %q{at}.room, align {SIZES[type]}",
                f"br label %filled{at}",
                f"filled{at}:",
                f"%q{at} = phi ptr [%p{at}, %{block}], [%q{at}.room, %fill{at}]",
            ]
            block = f"filled{at}"
        return lines

    def _asked(self, lines: list[str], at: int, type: str) -> None:
        """Asks for what is read soon of an operand."""
        self.declared["llvm.prefetch"], soon = PREFETCH, ahead()
        for line in range(0, self.lanes * SIZES[STORED.get(type, type)], LINE):
            name = f"%soon{at}.{line // LINE}"
            lines.append(f"{name} = getelementptr i8, ptr %x{at}.at, i64 {soon + line}")
            lines.append(f"call void @llvm.prefetch.p0(ptr {name}, i32 0, i32 3, i32 1)")

    def _stored(self, lines: list[str], names: Sequence[str]) -> None:
        """Both ways to write the results: a branch that always goes the same way takes no time."""
        ways = {"near": False, "far": True} if self.lanes else {"near": False}
        lines.append("br i1 %past, label %far, label %near" if self.lanes else "br label %near")
        for label, past in ways.items():
            lines.append(f"{label}:")
            for at, (each, name) in enumerate(zip(self.results, names, strict=True), len(self.operands)):
                emit.store(lines, name, f"%p{at}", each.type, "%i", f"{label}{at}", self.lanes, past)
            lines.append("br label %stored")

    def _seldom(self, body: Body, usual: Sequence[str]) -> list[str]:
        """Asks whether something rare is so in a vector; the names of the results, whether it is or not.

        Then the operands are looked at once more, which nothing has overwritten yet.
        """
        lines, lanes = body.lines, self.lanes
        found = either(lines, body.compute(self.conditions), lanes)
        if lanes:
            symbol = f"llvm.vector.reduce.or.v{lanes}{BIT}"
            self.declared[symbol] = f"declare i1 @{symbol}({in_lanes(BIT, lanes)})"
            lines.append(f"%anywhere = call i1 @{symbol}({in_lanes(BIT, lanes)} {found})")
            found = "%anywhere"
        lines += [f"br i1 {found}, label %rare, label %usual", "rare:"]
        for at, (each, name) in enumerate(zip(self.results, usual, strict=True)):
            self.before.append(f"%room{at} = alloca {in_lanes(STORED.get(each.type, each.type), lanes)}")
            emit.store(lines, name, f"%room{at}", each.type, "0", f"kept{at}", lanes)
        self.before.append(f"%here = alloca [{len(self.operands)} x ptr]")
        for at in range(len(self.operands)):
            lines.append(f"%here{at} = getelementptr ptr, ptr %here, i64 {at}")
            lines.append(f"store ptr %{f'q{at}' if at in self.moving else f'p{at}.first'}, ptr %here{at}")
        lines.append(f"call void @rare(ptr %here, i64 %i, ptr %steps{self._rooms()})")
        mended = [
            emit.load(lines, f"mended{at}", f"%room{at}", each.type, "0", lanes) for at, each in enumerate(self.results)
        ]
        lines += ["br label %usual", "usual:"]
        for at, (each, name) in enumerate(zip(self.results, usual, strict=True)):
            form = in_lanes(each.type, lanes)
            lines.append(f"%found{at} = phi {form} [{name}, %next], [{mended[at]}, %rare]")
        return [f"%found{at}" for at in range(len(usual))]

    def _rooms(self) -> str:
        return "".join(f", ptr %room{at}" for at in range(len(self.results)))

    def _one_by_one(self) -> str:
        """The function that overwrites those elements of a vector of which something rare is so."""
        body = Body("s")
        for at, each in enumerate(self.operands):
            index = "0" if each in self.alike else f"%i{at}"
            if each not in self.alike:
                body.lines.append(f"%i{at} = and i64 %at, %each{at}")
            body.known(each, emit.load(body.lines, f"x{at}", f"%p{at}", each.type, index))
        found = either(body.lines, body.compute(self.conditions), 0)
        body.lines += [f"br i1 {found}, label %so, label %after", "so:"]
        names = body.compute(self.results)
        for at, (each, name) in enumerate(zip(self.results, names, strict=True)):
            emit.store(body.lines, name, f"%room{at}", each.type, "%lane")
        self.declared.update(body.declared)
        return f"""
define internal void @rare(ptr %places, i64 %i, ptr %steps{self._rooms()}) nounwind noinline {{
entry:
  {lines_of(places(len(self.operands)) + self._cuts())}
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


def places(count: int, suffix: str = "") -> list[str]:
    """The lines that find out where operands and results lie."""
    found = []
    for at in range(count):
        found.append(f"%p{at}.at = getelementptr ptr, ptr %places, i64 {at}")
        found.append(f"%p{at}{suffix} = load ptr, ptr %p{at}.at")
    return found


def repeated(lines: list[str], name: str, type: str, lanes: int, at: str = "") -> str:
    """Appends the vector that has one number in all lanes; `at` keeps those at several places apart."""
    if not lanes:
        return name
    form, zeros = in_lanes(type, lanes), f"{in_lanes('i32', lanes)} zeroinitializer"
    lines.append(f"{name}.first{at} = insertelement {form} poison, {type} {name}, i32 0")
    lines.append(f"{name}.all{at} = shufflevector {form} {name}.first{at}, {form} poison, {zeros}")
    return f"{name}.all{at}"


def either(lines: list[str], names: Sequence[str], lanes: int) -> str:
    """Appends whether one of several conditions holds."""
    found, *others = names
    for at, each in enumerate(others):
        lines.append(f"%either{at} = or {in_lanes(BIT, lanes)} {found}, {each}")
        found = f"%either{at}"
    return found


def lines_of(lines: Sequence[str]) -> str:
    return "\n  ".join(lines)
