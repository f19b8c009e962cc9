"""Formulas of elementwise steps and reductions along the last dimension, as one loop nest over rows.

An operand is elementwise, one value per row, one per position in a row (a weight), or a scalar. A value's level is the
number of reductions before it: each level is one pass over the row (`row_nest_loop.py`). Values that are expensive at
one level and used at the next are kept in a buffer of a row's length, which stays in cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rushlight.lower import emit, inner_loop
from rushlight.lower.emit import SIZES, Body
from rushlight.lower.ir import FLOATS, Value
from rushlight.lower.nontemporal import LINE, PREFETCH
from rushlight.lower.row_nest_loop import ELEMENT, MOST_LANES, NUMBER, POSITION, ROW, WIDENING, Loop

SYMBOLS = "rows", "rows.past"
GIVEN = "ptr %places, i64 %begin, i64 %end"
CHEAP = 6  # instructions; cheaper values are recomputed instead of kept
AHEAD = 1024  # elements to prefetch ahead; longer rows are left to the hardware


class Loads(NamedTuple):
    """The needs of one pass over a row: values of the row, loads per element, and steps."""

    of_row: list[Value]
    read: list[Value]
    steps: list[Value]


class Nest:
    """Each value of a formula with its level, and whether it is one per row."""

    def __init__(self, operands: dict[Value, str], results: Sequence[Value], keeps: bool = True):
        self.operands, self.results = operands, list(results)
        self.order: list[Value] = []
        self.of_row: dict[Value, bool] = {}
        self.ready: dict[Value, int] = {}
        self.cost: dict[Value, int] = {}  # instructions per element, given the values of its row
        for value in self.results:
            self._visit(value)
        self.levels = max(self.ready[value] for value in self.results)
        self.kept = self._kept() if keeps else {}

    def _visit(self, value: Value) -> None:
        if value in self.ready:
            return
        for arg in value.args:
            self._visit(arg)
        reduces = value.op == "reduce"
        self.of_row[value] = (
            reduces
            or self.operands.get(value) in (ROW, NUMBER)
            or (value not in self.operands and all(self.of_row[arg] for arg in value.args))
        )
        self.ready[value] = max((self.ready[arg] for arg in value.args), default=0) + reduces
        free = self.of_row[value] or value in self.operands
        heavy = 10 if value.op in ("fdiv", "call") or value.literal == "sqrt" else 1
        self.cost[value] = 0 if free else heavy + sum([self.cost[arg] for arg in value.args])
        self.order.append(value)

    def goals(self, level: int) -> list[Value]:
        """Returns the elementwise values a pass must compute: arguments of reductions, and results."""
        return [v.args[0] for v in self.reductions(level)] + self.results_of(level)

    def reductions(self, level: int) -> list[Value]:
        return [v for v in self.order if v.op == "reduce" and self.ready[v] == level + 1]

    def results_of(self, level: int) -> list[Value]:
        return [v for v in self.results if not self.of_row[v] and self.ready[v] == level]

    def kept_of(self, level: int) -> list[Value]:
        return [v for v, first in self.kept.items() if first == level]

    def widens(self, value: Value) -> bool:
        """Returns whether a value is an operand's conversion on load."""
        return value.op in WIDENING and value.args[0] in self.operands

    def loads(self, level: int) -> Loads:
        """Returns the needs of one pass."""
        loads = Loads([], [], [])
        pending, seen = [*self.goals(level), *self.kept_of(level)], set()
        while pending:
            value = pending.pop()
            if value in seen or value.op == "constant":
                continue
            seen.add(value)
            if self.of_row[value]:
                loads.of_row.append(value)
            elif value in self.operands or self.kept.get(value, level) < level or self.widens(value):
                loads.read.append(value)
            else:
                loads.steps.append(value)
                pending += value.args
        return loads

    def _kept(self) -> dict[Value, int]:
        """Returns the values kept for later passes, with the level that computes them.

        That includes values only used later: computing them overlaps with loads.
        """
        kept: dict[Value, int] = {}
        for level in range(1, self.levels + 1):
            pending, seen = list(self.goals(level)), set()
            while pending:
                value = pending.pop()
                if value in seen or self.of_row[value] or value in self.operands:
                    continue
                seen.add(value)
                if self.ready[value] < level and self.cost[value] > CHEAP and value.type in FLOATS:
                    kept[value] = self.ready[value]
                else:
                    pending += value.args
        return kept


class Writer:
    """Writes the text of the functions over rows."""

    def __init__(self, nest: Nest):
        self.nest = nest
        self.places = {value: number for number, value in enumerate(nest.operands)}
        self.row = Body("r")  # computed once per row
        self.declared: dict[str, str] = {}

    def text(self) -> str:
        """Returns `rows(places, begin, end)`: pointers to operands and results, then the length of a row.

        The second function stores results past the caches.
        """
        nest, count = self.nest, len(self.places) + len(self.nest.results)
        self._operands()
        for level in range(nest.levels + 1):
            if nest.goals(level):
                if level == 1:
                    self._ahead()
                loop = Loop(nest, level, self.row, self.places)
                self.row.lines += loop.text()
                self.declared.update(loop.declared)
        for number, value in enumerate(nest.results, len(self.places)):
            if nest.of_row[value]:
                (name,) = self.row.compute([value])
                emit.store(self.row.lines, name, f"%p{number}", value.type, "%row", f"result{number}")
        self.declared.update(self.row.declared)
        return f"""
define private void @nest({GIVEN}, i1 %past) nounwind {{
entry:
  %length.at = getelementptr ptr, ptr %places, i64 {count}
  %length = load i64, ptr %length.at
  {inner_loop.lines_of(inner_loop.pointers(count))}
  %room = add i64 %length, {MOST_LANES}
  {inner_loop.lines_of([f"%kept{value.number} = alloca {value.type}, i64 %room, align {LINE}" for value in nest.kept])}
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %rows, label %done
rows:
  %row = phi i64 [%begin, %entry], [%row.next, %next]
  %start = mul i64 %row, %length
  {inner_loop.lines_of(self.row.lines)}
  br label %next
next:
  %row.next = add nuw nsw i64 %row, 1
  %row.more = icmp slt i64 %row.next, %end
  br i1 %row.more, label %rows, label %done
done:
  ret void
}}
define void @{SYMBOLS[0]}({GIVEN}) nounwind {{
  tail call void @nest({GIVEN}, i1 false)
  ret void
}}
define void @{SYMBOLS[1]}({GIVEN}) nounwind {{
  tail call void @nest({GIVEN}, i1 true)
  ret void
}}
"""

    def _operands(self) -> None:
        """Loads the row's values at its start; elementwise operands get a pointer per row."""
        results = [(each, POSITION if self.nest.of_row[each] else ELEMENT) for each in self.nest.results]
        for number, (value, role) in enumerate([*self.nest.operands.items(), *results]):
            if role in (ROW, NUMBER):
                index = "%row" if role == ROW else "0"
                self.row.known(value, emit.load(self.row.lines, f"given{number}", f"%p{number}", value.type, index))
            elif role == ELEMENT:
                self.row.lines.append(f"%line{number} = getelementptr {value.type}, ptr %p{number}, i64 %start")

    def _ahead(self) -> None:
        """Prefetches the next rows: computing on one row leaves memory idle otherwise.

        In long rows the hardware prefetches, and with several operands there is no time left.
        """
        elements = [v for v, role in self.nest.operands.items() if role == ELEMENT]
        if len(elements) != 1:
            return
        (value,) = elements
        self.declared["llvm.prefetch"] = PREFETCH
        self.row.lines += [
            f"%near = getelementptr {value.type}, ptr %line{self.places[value]}, i64 {AHEAD}",
            f"%short = icmp ule i64 %length, {AHEAD}",
            "br i1 %short, label %begun, label %asked",
            "begun:",
            "br label %ask",
            "ask:",
            "%asked.at = phi i64 [0, %begun], [%asked.next, %ask]",
            f"%ahead = getelementptr {value.type}, ptr %near, i64 %asked.at",
            "call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 2, i32 1)",  # to be read, into the second cache
            f"%asked.next = add nuw nsw i64 %asked.at, {LINE // SIZES[value.type]}",
            "%asked.more = icmp ult i64 %asked.next, %length",
            "br i1 %asked.more, label %ask, label %asked",
            "asked:",
        ]


def module(nest: Nest) -> str:
    """Returns the text of a module with the functions SYMBOLS."""
    writer = Writer(nest)
    text = writer.text()
    return "\n".join([*writer.declared.values(), text, emit.NOTES])
