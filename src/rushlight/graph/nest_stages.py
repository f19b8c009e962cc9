"""A nest as stages over a tile of rows (`kernels/tiles.py`).

Values are computed in levels: a level follows from the reductions of rows in the one before. A level is a formula of
one value per row, then a formula of elements, then reductions. What a later level needs is computed again if it is
cheap, or kept in scratch memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.graph.nest import Likelihood, Nest, Total
from rushlight.graph.nest_space import Strides, contiguous, of_rows
from rushlight.kernels import tiles
from rushlight.kernels.reduce_calls import BLOCK
from rushlight.kernels.vectors import LANES as WHOLE
from rushlight.lower import emit, inner_loop, ir
from rushlight.lower.emit import SIZES, STORED
from rushlight.lower.ir import FLOATS, Untraceable, Value
from rushlight.lower.nontemporal import ahead

CHEAP = 8  # instructions; cheaper values are computed again
SHORT = 64  # elements of a row; the sums in formulas of shorter ones are float64
BARRIERS = ("reduce", "pick")


class Slot(NamedTuple):
    """Where an array of a nest is: an operand, a result, parts of a reduction, or scratch memory.

    `strides` are those in the space; None in scratch memory, whose arrays have a row, or one element per row.
    """

    key: Any
    type: str
    strides: Strides | None
    of_row: bool = False

    @property
    def width(self) -> int:
        return SIZES[STORED.get(self.type, self.type)]


class Stage(NamedTuple):
    """A stage: its kind, the slots it uses, and of a formula the text of its loop."""

    kind: int
    slots: list[Slot]
    text: str = ""
    lanes: int = 0
    operands: int = 0
    ignored: int = 0
    sums: int = 0


class Stages:
    """The stages of a nest that gives some of its values."""

    def __init__(self, nest: Nest, wanted: Sequence[int], *, sums: bool):
        """`sums`: formulas add their values along rows while they compute them."""
        self.nest, self.sums = nest, sums
        self.length = nest.size if nest.split is None else math.prod(nest.space[nest.split :])
        self.slots: dict[Any, Slot] = {}  # by key
        self.known: dict[Value, Slot] = {}  # values that have a slot
        self.stages: list[Stage] = []
        self.declared: dict[str, str] = {}
        self.fixed: set[Value] = set()  # values of constants only
        self.done: set[Value] = set()  # values of rows that have been computed
        self.order: list[Value] = []
        self.ready: dict[Value, int] = {}
        self.of_row: dict[Value, bool] = {}
        self.cost: dict[Value, int] = {}
        self.operands = {value: key for key, value in nest.operands.items()}
        self.results = {number: nest.values[number] for number in wanted if number in nest.values}
        self.sinks = {number: sink for number, sink in nest.sinks.items() if number in wanted}
        for key, value in nest.operands.items():
            self.known[value] = self.slot(key, value.type, key.strides)
        for value in self._goals():
            self._visit(value)
        self.levels = max([self.ready[value] for value in self._goals()])
        self._name_results()
        self.summed = self._summed()
        self.kept = self._kept()
        for level in range(self.levels + 1):
            self._level(level)

    def slot(self, key, type_: str, strides: Strides | None, of_row: bool = False) -> Slot:
        return self.slots.setdefault(key, Slot(key, type_, strides, of_row))

    # ---- what is computed when

    def _goals(self) -> list[Value]:
        sinks = [sink.value for sink in self.sinks.values()]
        return [listed.value for listed in self.results.values()] + sinks

    def _visit(self, goal: Value) -> None:
        pending = [goal]
        while pending:
            value = pending[-1]
            missing = [each for each in value.args if each not in self.ready]
            if value in self.ready or not missing:
                pending.pop()
                if value not in self.ready:
                    self._enter(value)
            else:
                pending += missing

    def _enter(self, value: Value) -> None:
        if value in self.operands:
            strides = self.known[value].strides or ()
            self.of_row[value] = not any(strides[self.nest.split or 0 :])
        else:
            self.of_row[value] = value.op in BARRIERS or all([self.of_row[each] for each in value.args])
        if value.op == "constant" or (value.args and self.fixed.issuperset(value.args)):
            self.fixed.add(value)
        self.ready[value] = max([self.ready[each] for each in value.args], default=0) + (value.op in BARRIERS)
        free = self.of_row[value] or value in self.operands
        heavy = 10 if value.op in ("fdiv", "call") or value.literal == "sqrt" else 1
        self.cost[value] = 0 if free else heavy + sum([self.cost[each] for each in value.args])
        self.order.append(value)

    def _name_results(self) -> None:
        """Gives results their slots; a value that is an operand, or the value of another result, is copied."""
        self.copies: list[tuple[Value, Slot]] = []
        for number, listed in self.results.items():
            width = self.nest.trace.metas[number].dtype.itemsize
            space = self.nest.space
            own = of_rows(space, self.nest.outer, width) if listed.of_row else contiguous(space, width)
            slot = self.slot(number, listed.value.type, own)
            if listed.value in self.known or self.of_row[listed.value] != listed.of_row:
                self.copies.append((listed.value, slot))
            else:
                self.known[listed.value] = slot
        for number, sink in self.sinks.items():
            if type(sink) is Likelihood and sink.value not in self.known:
                width = SIZES[sink.value.type]
                own = of_rows(self.nest.space, self.nest.outer, width)
                self.known[sink.value] = self.slot(("scores", number), sink.value.type, own)

    def _kept(self) -> dict[Value, int]:
        """Returns elements that later levels need and that are not cheap, and what is reduced, with their levels."""
        kept = {}
        for value in self.order:
            if value.op in BARRIERS and value.args[0] not in self.known and value not in self.summed:
                kept[value.args[0]] = self.ready[value.args[0]]
        for number, sink in self.sinks.items():
            value = sink.value
            if value not in self.known and not self.of_row[value] and number not in self.summed:
                kept[value] = self.ready[value]
        for level in range(1, self.levels + 1):
            pending, seen = self._elements(level), set()
            while pending:
                value = pending.pop()
                if value in seen or self.of_row[value] or value in self.known or value in kept:
                    continue
                seen.add(value)
                if self.ready[value] < level and self.cost[value] > CHEAP:
                    kept[value] = self.ready[value]
                else:
                    pending += value.args
        return kept

    def _elements(self, level: int, *, stored: bool = False) -> list[Value]:
        """Returns the elements that a level computes: results, and what is reduced; `stored`: what has a slot."""
        summed = self.summed if stored else {}
        values = [each.value for each in self.results.values()]
        values += [each.args[0] for each in self.order if each.op in BARRIERS and each not in summed]
        values += [x.value for number, x in self.sinks.items() if type(x) is not Likelihood and number not in summed]
        return [each for each in dict.fromkeys(values) if self.ready[each] == level and not self.of_row[each]]

    # ---- stages

    def _level(self, level: int) -> None:
        kept = [value for value, at in self.kept.items() if at == level]
        fused = self._fused(level)
        stored = [*self._elements(level, stored=True), *kept]
        elements = [value for value in dict.fromkeys(stored) if value not in self.operands]
        copies = [(value, slot) for value, slot in self.copies if self.ready[value] == level]
        self._row_formula(level, [*elements, *fused.values()], copies)
        outs = [(value, self._kept_slot(value)) for value in elements]
        outs += [pair for pair in copies if not self._is_of_row(pair[1])]
        self._formula(tiles.FORMULA, outs, [(value, self._sum_slot(key, value)) for key, value in fused.items()])
        for value in self.order:
            if value.op in BARRIERS and self.ready[value] == level + 1 and value not in fused:
                self._reduce(value)
        for number, sink in self.sinks.items():
            if type(sink) is not Likelihood and self.ready[sink.value] == level:
                kind = tiles.TOTAL if type(sink) is Total else tiles.COLUMN_SUM
                if self.of_row[sink.value]:
                    raise Untraceable("a sum of one value per row")
                if number in fused:
                    kind, source = tiles.TOTAL_OF_ROWS, self._sum_slot(number, sink.value)
                else:
                    source = self.known[sink.value]
                self.stages.append(Stage(kind, [source, self.slot(number, sink.value.type, ())]))

    def _fused(self, level: int) -> dict[Any, Value]:
        """Returns the sums that the formula of a level adds while it computes: a reduction or sink -> the values."""
        listed = {key: value for key, value in self.summed.items() if self.ready[value] == level}
        if all([value in self.operands for value in listed.values()]) and not self._elements(level, stored=True):
            return {}
        return listed

    def _summed(self) -> dict[Any, Value]:
        """Returns the sums along rows that formulas may add."""
        if not self.sums or (self.nest.split is not None and self.length > BLOCK):
            return {}
        listed: dict[Any, Value] = {}
        for value in self.order:
            if value.op == "reduce" and value.literal in self._in_parts() and not self.of_row[value.args[0]]:
                listed[value] = value.args[0]
        for number, sink in self.sinks.items():
            if type(sink) is Total and not self.of_row[sink.value]:
                listed[number] = sink.value
        return {key: value for key, value in listed.items() if value.type in FLOATS}

    def _in_parts(self) -> tuple[str, ...]:
        """Returns the sums that are added in parts of a vector: not those in float64, of short rows."""
        return ("line",) if self.length < SHORT else ("line", "sum")

    def _sum_slot(self, key, value: Value) -> Slot:
        """Returns the slot of a sum of each row."""
        if not isinstance(key, Value):
            return self.slot(("total", key), value.type, None, True)
        if key not in self.known:
            self.known[key] = self.slot(("row", key.number), key.type, None, True)
        return self.known[key]

    def _is_of_row(self, slot: Slot) -> bool:
        number = slot.key
        return number in self.results and self.results[number].of_row

    def _kept_slot(self, value: Value) -> Slot:
        """Returns the slot of a value of elements; scratch memory if it has none."""
        if value not in self.known:
            self.known[value] = self.slot(("kept", value.number), value.type, None)
        return self.known[value]

    def _row_formula(self, level: int, elements: list[Value], copies: list) -> None:
        """Computes values of rows that elements are made of, and those that are results."""
        wanted = self._row_values(elements)
        wanted += [x.value for x in self.results.values() if x.of_row and self.ready[x.value] == level]
        scores = [sink.value for sink in self.sinks.values() if type(sink) is Likelihood]
        wanted += [score for score in scores if self.ready[score] == level]
        outs = []
        for value in dict.fromkeys(wanted):
            if value.op in BARRIERS or value in self.operands or value in self.done:
                continue
            if value not in self.known:
                self.known[value] = self.slot(("row", value.number), value.type, None, True)
            self.done.add(value)
            outs.append((value, self.known[value]))
        outs += [pair for pair in copies if self._is_of_row(pair[1])]
        self._formula(tiles.ROW_FORMULA, outs)

    def _row_values(self, elements: list[Value]) -> list[Value]:
        """Returns the values of rows that are operands of elements."""
        listed, pending, seen, asked = [], list(elements), set(), set(elements)
        while pending:
            value = pending.pop()
            if value in seen or value in self.fixed:
                continue
            seen.add(value)
            if self.of_row[value]:
                listed.append(value)
            elif value not in self.known or value in asked:
                pending += value.args
        return sorted(listed, key=lambda value: value.number)

    def _formula(self, kind: int, outs: list[tuple[Value, Slot]], sums: Sequence[tuple[Value, Slot]] = ()) -> None:
        """Appends the stage that computes some values, and sums along rows."""
        if not outs and not sums:
            return
        rebuilt = Rebuilt(self, {value for value, slot in outs if self.known.get(value) is slot})
        results = [rebuilt.of(value) for value, _ in (*outs, *sums)]
        operands, slots = list(rebuilt.leaves), [*rebuilt.leaves.values(), *[slot for _, slot in (*outs, *sums)]]
        alike = {leaf for leaf, slot in rebuilt.leaves.items() if slot.strides is not None and not any(slot.strides)}
        if kind == tiles.ROW_FORMULA:
            alike = set()
        if len(slots) > tiles.MOST:
            raise Untraceable("a formula of that many operands")
        lanes = inner_loop.lanes_of(results)
        if not lanes:
            raise Untraceable("a function of the C library")
        lanes = min(lanes, WHOLE) if sums else lanes
        near = frozenset(
            {at for at, (value, slot) in enumerate(outs) if slot.strides is None or self._read_later(value)}
        )
        text, declared = written(rebuilt.trace, operands, results, alike, lanes, near, len(sums))
        symbol = f"inner_loop{len(self.stages)}"
        text = text.replace("@inner_loop", f"@{symbol}").replace("@rare", f"@rare{len(self.stages)}")
        self.declared.update(declared)
        self.stages.append(Stage(kind, slots, text, lanes, len(operands), sums=len(sums)))

    def _read_later(self, value: Value) -> bool:
        """Whether a result is an operand of a later stage."""
        users = [each for each in self.order if value in set(each.args) and each not in self.summed]
        sinks = {x.value for number, x in self.sinks.items() if type(x) is not Likelihood and number not in self.summed}
        return value in sinks or any([each.op in BARRIERS or self.ready[each] > self.ready[value] for each in users])

    def _reduce(self, value: Value) -> None:
        """Appends the reduction of rows."""
        source = self.known[value.args[0]]
        if self.of_row[value.args[0]]:
            raise Untraceable("a sum of one value per row")
        if value not in self.known:
            self.known[value] = self.slot(("row", value.number), value.type, None, True)
        slots = [source, self.known[value]]
        if value.op == "pick":
            self.stages.append(Stage(tiles.PICK, [*slots, self.known[value.args[1]]], ignored=value.literal))
        else:
            is_sum = value.literal in self._in_parts()
            kind = tiles.ROW_MAX if value.literal == "max" else tiles.ROW_SUM if is_sum else tiles.SHORT_SUM
            self.stages.append(Stage(kind, slots))

    def module(self) -> str:
        """Returns the text of all loops."""
        return "\n".join([*self.declared.values(), *[stage.text for stage in self.stages], emit.NOTES])


WRITTEN: dict[tuple, tuple[str, dict[str, str]]] = {}  # the texts of loops, and what they declare
MOST_WRITTEN = 1000


def written(
    trace: ir.Trace,
    operands: list[Value],
    results: list[Value],
    alike: set[Value],
    lanes: int,
    near: frozenset[int],
    sums: int,
) -> tuple[str, dict[str, str]]:
    """Returns the text of a loop, and what it declares; layers alike have equal loops, which are written once."""
    numbers = [tuple([value.number for value in values]) for values in (operands, results)]
    key = (*trace.values, *numbers, frozenset([value.number for value in alike]), lanes, near, sums, ahead())
    known = WRITTEN.get(key)
    if known is None:
        writer = inner_loop.InnerLoop(operands, results, alike, lanes, near, sums, WHOLE)
        text = writer.text()
        if len(WRITTEN) >= MOST_WRITTEN:
            WRITTEN.clear()
        known = WRITTEN[key] = text, writer.declared
    return known


class Rebuilt:
    """Expressions of one stage: values that have a slot, other than those that it computes, are operands."""

    def __init__(self, stages: Stages, computed: set[Value]):
        self.stages, self.computed = stages, computed
        self.trace = ir.Trace()
        self.leaves: dict[Value, Slot] = {}
        self.made: dict[Value, Value] = {}

    def of(self, goal: Value) -> Value:
        pending = [goal]
        while pending:
            value = pending[-1]
            if value in self.made:
                pending.pop()
                continue
            if value in self.stages.known and value not in self.computed:
                self.made[value] = leaf = self.trace.operand(len(self.leaves), value.type)
                self.leaves[leaf] = self.stages.known[value]
                continue
            if value.op in BARRIERS:
                raise Untraceable("a value that a formula cannot compute")
            missing = [each for each in value.args if each not in self.made]
            pending += missing
            if not missing:
                args = [self.made[each] for each in value.args]
                self.made[value] = self.trace.value(value.op, value.type, *args, literal=value.literal)
        return self.made[goal]
