"""A nest over rows (`row_nest.py`) for short ones: as many at a time as a vector has lanes, each in a lane of its own.

A row of ten numbers fills no vector, and the steps from its end to the next one, such as a logarithm, are taken for one
number at a time. Side by side a vector is whole, whatever the length, nothing is summed across its lanes, and what
there is once for a row is computed for all of them in one go. Elements are turned on the way in and out, lane by lane.

Beyond the last row lanes repeat that one: they write what it writes. So no row knows how many there are beside it.
"""

from __future__ import annotations

from rushlight.lower import emit, inner_loop, llvm
from rushlight.lower.emit import SIZES, Body, in_lanes, literal
from rushlight.lower.ir import FLOATS, WIDTHS, Untraceable, Value
from rushlight.lower.nontemporal import LINE
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, PLACE, ROW, TOTAL

LONGEST = 48  # elements, from where on what is turned costs more than what is cut off
WHOLE = 32  # of which every register is full
SYMBOL = "rows.short"


def is_short(length: int) -> bool:
    """Whether rows of that length are quicker side by side."""
    return length < LONGEST and length % WHOLE != 0


class Writer:
    """The text of a function (places, begin, end), as `rows.Writer` writes it for long rows."""

    def __init__(self, nest):
        if any([each.op == "call" for each in nest.order]):
            raise Untraceable("a function of the C library, of one number")
        self.nest, self.lanes = nest, llvm.host().lanes * 32 // max([WIDTHS[each.type] for each in floats(nest.order)])
        self.places = {each: number for number, each in enumerate(nest.operands)}
        self.elements = [each for each, kind in nest.operands.items() if kind == ELEMENT]
        self.row = Body("r", lanes=self.lanes)  # what is computed once for each row
        self.declared = {"llvm.smin.i64": "declare i64 @llvm.smin.i64(i64, i64)"}

    def text(self) -> str:
        nest, lanes, count = self.nest, self.lanes, len(self.places) + len(self.nest.results)
        entry = inner_loop.places(count)
        entry += [f"%turned{self.places[each]} = {self._room(each)}" for each in self.elements]
        entry += [f"%kept{each.number} = {self._room(each)}" for each in nest.kept]
        for each in self._operands(NUMBER):
            at = self.places[each]
            single = emit.load(entry, f"given{at}", f"%p{at}", each.type, "0")
            self.row.known(each, inner_loop.repeated(entry, single, each.type, lanes))
        self._rows()
        for level in range(nest.levels + 1):
            if nest.goals(level):
                self.row.lines += self._loop(level)
        for number, each in enumerate(nest.results, len(self.places)):
            if nest.of_row[each]:
                (found,) = self.row.compute([each])
                self._scattered(self.row.lines, found, each.type, f"result{number}", number, "%row{}")
        self.declared.update(self.row.declared)
        return f"""
define void @{SYMBOL}(ptr %places, i64 %begin, i64 %end) nounwind {{
entry:
  %length.at = getelementptr ptr, ptr %places, i64 {count}
  %length = load i64, ptr %length.at
  {inner_loop.lines_of(entry)}
  %last = sub i64 %end, 1
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %rows, label %done
rows:
  %row = phi i64 [%begin, %entry], [%row.next, %next]
  {inner_loop.lines_of(self.row.lines)}
  br label %next
next:
  %row.next = add nuw nsw i64 %row, {lanes}
  %row.more = icmp slt i64 %row.next, %end
  br i1 %row.more, label %rows, label %done
done:
  ret void
}}
"""

    def _operands(self, kind: str) -> list[Value]:
        return [each for each, given in self.nest.operands.items() if given == kind]

    def _room(self, value: Value) -> str:
        return f"alloca {in_lanes(value.type, self.lanes)}, i64 %length, align {LINE}"

    def _rows(self) -> None:
        """Which row each lane has; the numbers of these, and their elements turned into vectors."""
        lines = self.row.lines
        for lane in range(self.lanes):
            lines += [
                f"%far{lane} = add nuw nsw i64 %row, {lane}",
                f"%row{lane} = call i64 @llvm.smin.i64(i64 %far{lane}, i64 %last)",
                f"%start{lane} = mul nuw nsw i64 %row{lane}, %length",
            ]
        for each in self._operands(ROW):
            self.row.known(each, self._gathered(lines, each, "%row{}"))
        inside: list[str] = []
        for each in self.elements:
            name = self._gathered(inside, each, "%at{}")
            emit.store(inside, name, f"%turned{self.places[each]}", each.type, "%turn.to", lanes=self.lanes)
        lines += self._counted("turn", self._ats("%turn") + inside if self.elements else [])

    def _ats(self, place: str) -> list[str]:
        """Where the element at that place of each lane's row lies."""
        return [
            f"%turn.to = mul nuw nsw i64 {place}, {self.lanes}",
            *[f"%at{lane} = add nuw nsw i64 %start{lane}, {place}" for lane in range(self.lanes)],
        ]

    @staticmethod
    def _counted(name: str, inside: list[str], phis: tuple[str, ...] = ()) -> list[str]:
        """A loop over the places of a row."""
        return [
            *(f"br label %{name}.begin", f"{name}.begin:", f"br label %{name}.on", f"{name}.on:"),
            f"%{name} = phi i64 [0, %{name}.begin], [%{name}.next, %{name}.on]",
            *(*phis, *inside),
            f"%{name}.next = add nuw nsw i64 %{name}, 1",
            f"%{name}.more = icmp ult i64 %{name}.next, %length",
            f"br i1 %{name}.more, label %{name}.on, label %{name}.end",
            f"{name}.end:",
        ]

    def _gathered(self, lines: list[str], value: Value, index: str) -> str:
        """One element for each lane."""
        number = self.places[value]
        name, found = f"%g{number}", "poison"
        for lane in range(self.lanes):
            single = emit.load(lines, f"g{number}.{lane}", f"%p{number}", value.type, index.format(lane))
            lines.append(f"{name}.in{lane} = insertelement {self.row.form(value.type)} {found}, "
                         f"{value.type} {single}, i32 {lane}")  # fmt: skip
            found = f"{name}.in{lane}"
        return found

    def _scattered(self, lines: list[str], vector: str, type: str, name: str, number: int, index: str) -> None:
        """Writes one element of each lane."""
        for lane in range(self.lanes):
            lines.append(f"%{name}.{lane} = extractelement {self.row.form(type)} {vector}, i32 {lane}")
            emit.store(lines, f"%{name}.{lane}", f"%p{number}", type, index.format(lane), f"{name}.{lane}")

    def _loop(self, level: int) -> list[str]:
        """One way through the rows. Sums are taken in float64; the largest is that of what is no NaN."""
        nest, lanes, name = self.nest, self.lanes, f"level{level}"
        body, index, asked = Body(f"e{level}.", lanes=lanes), f"%{name}", nest.asked(level)
        at = f"{index}.at"
        body.lines.append(f"{at} = mul nuw nsw i64 {index}, {lanes}")
        self.row.compute(asked.of_row)
        for each in asked.of_row:
            body.known(each, self.row.names[each])
        for each in asked.read:
            self._read(body, each.args[0] if nest.widens(each) else each, level, at)
        kept, results = nest.kept_of(level), set(nest.results_of(level))
        body.compute([*nest.goals(level), *kept])
        for each in kept:
            place = f"%kept{each.number}"
            emit.store(body.lines, body.names[each], place, each.type, at, f"k{level}.{each.number}", lanes)
        if results:
            starts = range(lanes)
            body.lines += [f"%to{level}.{lane} = add nuw nsw i64 %start{lane}, {index}" for lane in starts]
        for number, each in enumerate(nest.results, len(self.places)):
            if each in results:
                out, to = f"out{level}.{number}", f"%to{level}.{{}}"
                self._scattered(body.lines, body.names[each], each.type, out, number, to)
        phis, ends = self._reduced(level, body)
        self.declared.update(body.declared)
        return [*self._counted(name, body.lines, tuple(phis)), *ends]

    def _read(self, body: Body, value: Value, level: int, at: str) -> None:
        name, number = f"x{level}.{value.number}", self.places.get(value)
        if self.nest.operands.get(value) == PLACE:
            single = emit.load(body.lines, name, f"%p{number}", value.type, f"%level{level}")
            body.known(value, inner_loop.repeated(body.lines, single, value.type, self.lanes))
            return
        room = f"%kept{value.number}" if number is None else f"%turned{number}"
        body.known(value, emit.load(body.lines, name, room, value.type, at, self.lanes))

    def _reduced(self, level: int, body: Body) -> tuple[list[str], list[str]]:
        """What goes on from place to place for the reductions of a level, and what becomes of it at the end."""
        phis, ends = [], []
        for number, each in enumerate(self.nest.reductions(level)):
            name, new, sums = f"%t{level}.{number}", body.names[each.args[0]], each.literal == "sum"
            own, kind = body.form(each.type), TOTAL if sums else each.type
            form, start = body.form(kind), literal(-0.0 if sums else float("-inf"), kind)
            begun = f"<{', '.join([f'{kind} {start}'] * self.lanes)}>"
            phis.append(f"{name} = phi {form} [{begun}, %level{level}.begin], [{name}.next, %level{level}.on]")
            found = f"{name}.next"
            if sums:
                body.lines.append(f"{name}.wide = {'bitcast' if own == form else 'fpext'} {own} {new} to {form}")
                body.lines.append(f"{found} = fadd {form} {name}, {name}.wide")
                ends.append(f"{name}.all = {'bitcast' if own == form else 'fptrunc'} {form} {found} to {own}")
                found = f"{name}.all"
            else:
                body.lines.append(f"{name}.larger = fcmp ogt {form} {new}, {name}")
                truth = body.form("i1")
                body.lines.append(f"{found} = select {truth} {name}.larger, {form} {new}, {form} {name}")
            self.row.known(each, found)
        return phis, ends


def floats(values) -> list[Value]:
    """Those that are computed with: a small float is widened first."""
    return [each for each in values if each.type in FLOATS and SIZES[each.type] > 2]


def module(nest) -> str:
    """The text of a module with the function SYMBOL."""
    writer = Writer(nest)
    text = writer.text()
    return "\n".join([*writer.declared.values(), text])
