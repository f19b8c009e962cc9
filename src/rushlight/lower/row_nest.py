"""Formulas that mix elementwise steps with reductions along the last dimension, as one loop nest over rows.

An operand is a number for each element, for each row, for each place in a row (a weight), or one number. What a formula
computes is ready after so many reductions: a row is gone through once for each level (`row_nest_loop.py`), and what was
expensive at one level and is needed at the next is kept in memory of a row's length, which stays in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rushlight.lower import emit, inner_loop
from rushlight.lower.emit import SIZES, Body
from rushlight.lower.ir import FLOATS, Value
from rushlight.lower.nontemporal import LINE, PREFETCH
from rushlight.lower.row_nest_loop import ELEMENT, MOST_LANES, NUMBER, PLACE, ROW, WIDENING, Loop

SYMBOLS = "rows", "rows.past"
GIVEN = "ptr %places, i64 %begin, i64 %end"
CHEAP = 6  # instructions that are rather done again than kept
AHEAD = 1024  # elements between what is computed with and what is asked for; longer rows are not short


class Asked(NamedTuple):
    """What is asked for when a row is gone through: numbers of the row, what is read of each element, and steps."""

    of_row: list[Value]
    read: list[Value]
    steps: list[Value]


class Nest:
    """Where every value of a formula belongs: whether it is one of a row, and after how many reductions it is ready."""

    def __init__(self, operands: dict[Value, str], results: Sequence[Value], keeps: bool = True):
        self.operands, self.results = operands, list(results)
        self.order: list[Value] = []
        self.of_row: dict[Value, bool] = {}
        self.ready: dict[Value, int] = {}
        self.cost: dict[Value, int] = {}  # instructions for an element, where the numbers of its row are known
        for each in self.results:
            self._visit(each)
        self.levels = max(self.ready[each] for each in self.results)
        self.kept = self._kept() if keeps else {}

    def _visit(self, value: Value) -> None:
        if value in self.ready:
            return
        for each in value.args:
            self._visit(each)
        reduces = value.op == "reduce"
        self.of_row[value] = (
            reduces
            or self.operands.get(value) in (ROW, NUMBER)
            or (value not in self.operands and all(self.of_row[each] for each in value.args))
        )
        self.ready[value] = max((self.ready[each] for each in value.args), default=0) + reduces
        given = self.of_row[value] or value in self.operands
        heavy = 10 if value.op in ("fdiv", "call") or value.literal == "sqrt" else 1
        self.cost[value] = 0 if given else heavy + sum([self.cost[each] for each in value.args])
        self.order.append(value)

    def goals(self, level: int) -> list[Value]:
        """What of each element is wanted when a row is gone through: arguments of reductions, and results."""
        return [each.args[0] for each in self.reductions(level)] + self.results_of(level)

    def reductions(self, level: int) -> list[Value]:
        return [each for each in self.order if each.op == "reduce" and self.ready[each] == level + 1]

    def results_of(self, level: int) -> list[Value]:
        return [each for each in self.results if not self.of_row[each] and self.ready[each] == level]

    def kept_of(self, level: int) -> list[Value]:
        return [each for each, first in self.kept.items() if first == level]

    def widens(self, value: Value) -> bool:
        """Whether that is how an operand is read."""
        return value.op in WIDENING and value.args[0] in self.operands

    def asked(self, level: int) -> Asked:
        """What follows from what, when a row is gone through."""
        found = Asked([], [], [])
        pending, seen = [*self.goals(level), *self.kept_of(level)], set()
        while pending:
            value = pending.pop()
            if value in seen or value.op == "constant":
                continue
            seen.add(value)
            if self.of_row[value]:
                found.of_row.append(value)
            elif value in self.operands or self.kept.get(value, level) < level or self.widens(value):
                found.read.append(value)
            else:
                found.steps.append(value)
                pending += value.args
        return found

    def _kept(self) -> dict[Value, int]:
        """The values that are kept from the level where they are ready to another, and that level.

        Also what only a later level needs: while it is computed, nothing is waited for that is read.
        """
        found: dict[Value, int] = {}
        for level in range(1, self.levels + 1):
            pending, seen = list(self.goals(level)), set()
            while pending:
                value = pending.pop()
                if value in seen or self.of_row[value] or value in self.operands:
                    continue
                seen.add(value)
                if self.ready[value] < level and self.cost[value] > CHEAP and value.type in FLOATS:
                    found[value] = self.ready[value]
                else:
                    pending += value.args
        return found


class Writer:
    """The text of the functions that work on rows."""

    def __init__(self, nest: Nest):
        self.nest = nest
        self.places = {each: number for number, each in enumerate(nest.operands)}
        self.row = Body("r")  # what is computed once for each row
        self.declared: dict[str, str] = {}

    def text(self) -> str:
        """`rows(places, begin, end)`: there are the places of operands and results, and the length of a row.

        The second function does the same, and writes results past the caches.
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
        for number, each in enumerate(nest.results, len(self.places)):
            if nest.of_row[each]:
                (found,) = self.row.compute([each])
                emit.store(self.row.lines, found, f"%p{number}", each.type, "%row", f"result{number}")
        self.declared.update(self.row.declared)
        return f"""
define internal void @nest({GIVEN}, i1 %past) nounwind {{
entry:
  %length.at = getelementptr ptr, ptr %places, i64 {count}
  %length = load i64, ptr %length.at
  {inner_loop.lines_of(inner_loop.places(count))}
  %room = add i64 %length, {MOST_LANES}
  {inner_loop.lines_of([f"%kept{each.number} = alloca {each.type}, i64 %room, align {LINE}" for each in nest.kept])}
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
        """Numbers of a row are loaded when it begins; elements have their own pointer in each row."""
        results = [(each, PLACE if self.nest.of_row[each] else ELEMENT) for each in self.nest.results]
        for number, (value, kind) in enumerate([*self.nest.operands.items(), *results]):
            if kind in (ROW, NUMBER):
                at = "%row" if kind == ROW else "0"
                self.row.known(value, emit.load(self.row.lines, f"given{number}", f"%p{number}", value.type, at))
            elif kind == ELEMENT:
                self.row.lines.append(f"%line{number} = getelementptr {value.type}, ptr %p{number}, i64 %start")

    def _ahead(self) -> None:
        """Asks for elements of the next rows: while one is computed with, nothing would be read otherwise.

        The processor reads ahead by itself in long rows, and where several arrays are read there is no time left.
        """
        elements = [each for each, kind in self.nest.operands.items() if kind == ELEMENT]
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
    """The text of a module with the functions over rows, SYMBOLS."""
    writer = Writer(nest)
    text = writer.text()
    return "\n".join([*writer.declared.values(), text, emit.NOTES])
