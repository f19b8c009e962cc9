"""A nest over short rows (`row_nest.py`): as many rows at a time as a vector has lanes, one row per lane.

A short row fills no vector, and steps once per row, such as a logarithm, would be scalar. With one row per lane,
vectors are full for any length, no reduction crosses lanes, and values per row are vectors. Elements are transposed on
load and store, lane by lane. Lanes past the last row repeat it and store the same values, so no row depends on how many
there are.
"""

from __future__ import annotations

from rushlight.lower import emit, inner_loop, llvm
from rushlight.lower.emit import SIZES, Body, in_lanes, literal
from rushlight.lower.ir import FLOATS, WIDTHS, Untraceable, Value
from rushlight.lower.nontemporal import LINE
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, POSITION, ROW, TOTAL

LONGEST = 48  # elements; from this length on transposing costs more than masking
WHOLE = 32  # multiples of this length fill every register
SYMBOL = "rows.short"


def is_short(length: int) -> bool:
    """Returns whether rows of that length are faster as lanes."""
    return length < LONGEST and length % WHOLE != 0


class Writer:
    """Writes the function (places, begin, end), as `row_nest.Writer` does for long rows."""

    def __init__(self, nest):
        if any([x.op == "call" for x in nest.order]):
            raise Untraceable("a function of the C library, of one number")
        self.nest, self.lanes = nest, llvm.host().lanes * 32 // max([WIDTHS[x.type] for x in floats(nest.order)])
        self.places = {x: number for number, x in enumerate(nest.operands)}
        self.elements = [x for x, role in nest.operands.items() if role == ELEMENT]
        self.row = Body("r", lanes=self.lanes)  # computed once per row
        self.declared = {"llvm.smin.i64": "declare i64 @llvm.smin.i64(i64, i64)"}

    def text(self) -> str:
        nest, lanes, count = self.nest, self.lanes, len(self.places) + len(self.nest.results)
        entry = inner_loop.pointers(count)
        entry += [f"%transposed{self.places[value]} = {self._buffer(value)}" for value in self.elements]
        entry += [f"%kept{value.number} = {self._buffer(value)}" for value in nest.kept]
        for value in self._operands(NUMBER):
            index = self.places[value]
            single = emit.load(entry, f"given{index}", f"%p{index}", value.type, "0")
            self.row.known(value, inner_loop.splat(entry, single, value.type, lanes))
        self._rows()
        for level in range(nest.levels + 1):
            if nest.goals(level):
                self.row.lines += self._loop(level)
        for number, value in enumerate(nest.results, len(self.places)):
            if nest.of_row[value]:
                (name,) = self.row.compute([value])
                self._scatter(self.row.lines, name, value.type, f"result{number}", number, "%row{}")
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

    def _operands(self, wanted_role: str) -> list[Value]:
        return [value for value, role in self.nest.operands.items() if role == wanted_role]

    def _buffer(self, value: Value) -> str:
        return f"alloca {in_lanes(value.type, self.lanes)}, i64 %length, align {LINE}"

    def _rows(self) -> None:
        """Appends each lane's row, the values of these rows, and their elements transposed to vectors."""
        lines = self.row.lines
        for lane in range(self.lanes):
            lines += [
                f"%far{lane} = add nuw nsw i64 %row, {lane}",
                f"%row{lane} = call i64 @llvm.smin.i64(i64 %far{lane}, i64 %last)",
                f"%start{lane} = mul nuw nsw i64 %row{lane}, %length",
            ]
        for value in self._operands(ROW):
            self.row.known(value, self._gather(lines, value, "%row{}"))
        inside: list[str] = []
        for value in self.elements:
            name = self._gather(inside, value, "%at{}")
            emit.store(inside, name, f"%transposed{self.places[value]}", value.type, "%transposed.at", lanes=self.lanes)
        lines += self._position_loop("position", self._ats("%position") + inside if self.elements else [])

    def _ats(self, position: str) -> list[str]:
        """Returns the offsets of each lane's element at one position of the row."""
        return [
            f"%transposed.at = mul nuw nsw i64 {position}, {self.lanes}",
            *[f"%at{lane} = add nuw nsw i64 %start{lane}, {position}" for lane in range(self.lanes)],
        ]

    @staticmethod
    def _position_loop(name: str, body: list[str], phis: tuple[str, ...] = ()) -> list[str]:
        """Returns a loop over the positions of a row."""
        return [
            *(f"br label %{name}.begin", f"{name}.begin:", f"br label %{name}.on", f"{name}.on:"),
            f"%{name} = phi i64 [0, %{name}.begin], [%{name}.next, %{name}.on]",
            *(*phis, *body),
            f"%{name}.next = add nuw nsw i64 %{name}, 1",
            f"%{name}.more = icmp ult i64 %{name}.next, %length",
            f"br i1 %{name}.more, label %{name}.on, label %{name}.end",
            f"{name}.end:",
        ]

    def _gather(self, lines: list[str], value: Value, index: str) -> str:
        """Appends a gather of one element per lane."""
        number = self.places[value]
        name, vector = f"%g{number}", "poison"
        for lane in range(self.lanes):
            single = emit.load(lines, f"g{number}.{lane}", f"%p{number}", value.type, index.format(lane))
            lines.append(f"{name}.in{lane} = insertelement {self.row.form(value.type)} {vector}, "
                         f"{value.type} {single}, i32 {lane}")  # fmt: skip
            vector = f"{name}.in{lane}"
        return vector

    def _scatter(self, lines: list[str], vector: str, type: str, name: str, number: int, index: str) -> None:
        """Appends a scatter of one element per lane."""
        for lane in range(self.lanes):
            lines.append(f"%{name}.{lane} = extractelement {self.row.form(type)} {vector}, i32 {lane}")
            emit.store(lines, f"%{name}.{lane}", f"%p{number}", type, index.format(lane), f"{name}.{lane}")

    def _loop(self, level: int) -> list[str]:
        """Returns one pass over the rows. Sums are float64; the maximum ignores NaN."""
        nest, lanes, name = self.nest, self.lanes, f"level{level}"
        body, index, loads = Body(f"e{level}.", lanes=lanes), f"%{name}", nest.loads(level)
        at = f"{index}.at"
        body.lines.append(f"{at} = mul nuw nsw i64 {index}, {lanes}")
        self.row.compute(loads.of_row)
        for value in loads.of_row:
            body.known(value, self.row.names[value])
        for value in loads.read:
            self._read(body, value.args[0] if nest.widens(value) else value, level, at)
        kept, results = nest.kept_of(level), set(nest.results_of(level))
        body.compute([*nest.goals(level), *kept])
        for value in kept:
            buffer = f"%kept{value.number}"
            emit.store(body.lines, body.names[value], buffer, value.type, at, f"k{level}.{value.number}", lanes)
        if results:
            starts = range(lanes)
            body.lines += [f"%to{level}.{lane} = add nuw nsw i64 %start{lane}, {index}" for lane in starts]
        for number, value in enumerate(nest.results, len(self.places)):
            if value in results:
                out, to = f"out{level}.{number}", f"%to{level}.{{}}"
                self._scatter(body.lines, body.names[value], value.type, out, number, to)
        phis, ends = self._reduced(level, body)
        self.declared.update(body.declared)
        return [*self._position_loop(name, body.lines, tuple(phis)), *ends]

    def _read(self, body: Body, value: Value, level: int, at: str) -> None:
        name, number = f"x{level}.{value.number}", self.places.get(value)
        if self.nest.operands.get(value) == POSITION:
            single = emit.load(body.lines, name, f"%p{number}", value.type, f"%level{level}")
            body.known(value, inner_loop.splat(body.lines, single, value.type, self.lanes))
            return
        buffer = f"%kept{value.number}" if number is None else f"%transposed{number}"
        body.known(value, emit.load(body.lines, name, buffer, value.type, at, self.lanes))

    def _reduced(self, level: int, body: Body) -> tuple[list[str], list[str]]:
        """Returns the accumulators of a level's reductions, and the lines after its loop."""
        phis, ends = [], []
        for number, reduction in enumerate(self.nest.reductions(level)):
            name, new, sums = f"%t{level}.{number}", body.names[reduction.args[0]], reduction.literal == "sum"
            own, type_ = body.form(reduction.type), TOTAL if sums else reduction.type
            form, start = body.form(type_), literal(-0.0 if sums else float("-inf"), type_)
            initial = f"<{', '.join([f'{type_} {start}'] * self.lanes)}>"
            phis.append(f"{name} = phi {form} [{initial}, %level{level}.begin], [{name}.next, %level{level}.on]")
            name_of_result = f"{name}.next"
            if sums:
                body.lines.append(f"{name}.wide = {'bitcast' if own == form else 'fpext'} {own} {new} to {form}")
                body.lines.append(f"{name_of_result} = fadd {form} {name}, {name}.wide")
                ends.append(f"{name}.all = {'bitcast' if own == form else 'fptrunc'} {form} {name_of_result} to {own}")
                name_of_result = f"{name}.all"
            else:
                body.lines.append(f"{name}.larger = fcmp ogt {form} {new}, {name}")
                truth = body.form("i1")
                body.lines.append(f"{name_of_result} = select {truth} {name}.larger, {form} {new}, {form} {name}")
            self.row.known(reduction, name_of_result)
        return phis, ends


def floats(values) -> list[Value]:
    """Returns the values of a computation's type: half precision is widened first."""
    return [v for v in values if v.type in FLOATS and SIZES[v.type] > 2]


def module(nest) -> str:
    """Returns the text of a module with the function SYMBOL."""
    writer = Writer(nest)
    text = writer.text()
    return "\n".join([*writer.declared.values(), text])
