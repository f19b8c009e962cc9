"""Writes the machine code of a small program: one function, which takes a table of addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.graph.small_groups import Group, Groups, key_of
from rushlight.graph.small_memory import CONSTANT, GIVEN, LOCAL, MADE, TABLE, Buffer, Unsupported, View
from rushlight.graph.small_nests import Formulas, Pointwise, Product, Reduction
from rushlight.graph.small_plan import Plan
from rushlight.lower import ir
from rushlight.lower.emit import SIZES, STORED
from rushlight.lower.ir import Value
from rushlight.lower.small_loops import product, reduction
from rushlight.lower.small_text import TURNS, Chunk, Lines, Place, Text, function_texts, lanes_for, merged

LONG = 24  # steps; the loop of a longer group is not written out
LINES = 30_000  # lines of the longest text


class Writer:
    """Writes the text of a program."""

    def __init__(self, plan: Plan, groups: Groups, offsets: dict[Buffer, int]):
        self.plan, self.groups, self.offsets = plan, groups, offsets
        self.main = Text()
        self.pointers: dict[Buffer, str] = {}
        self.entry: list[str] = []
        self.read: set[int] = set()  # the inputs that are read or written to
        made = {buffer: number for number, buffer in enumerate(plan.made)}
        constants = {buffer: number for number, buffer in enumerate(plan.constants)}
        inputs = len(plan.trace.inputs)
        self.table = {
            GIVEN: lambda buffer: 1 + buffer.number,
            CONSTANT: lambda buffer: 1 + inputs + constants[buffer],
            TABLE: lambda buffer: 1 + inputs + len(constants) + buffer.number,
            MADE: lambda buffer: 1 + inputs + len(constants) + len(plan.tables) + made[buffer],
        }

    def text(self) -> str:
        """Returns the text of the module, which defines `run`."""
        for place, classes in self.plan.checks.items():
            self.check(place, classes)
        for at, group in enumerate(self.groups.groups):
            self.group(at, group)
            if len(self.main.lines) > LINES:
                raise Unsupported("a long program")
        functions, declared = functions_of(self.plan.formulas, self.main.functions)
        lines = "\n  ".join(["%arena = load ptr, ptr %table", *self.entry, *self.main.lines, "ret i64 0"])
        declared.update(self.main.declared)
        run = f"define i64 @run(ptr %table) nounwind {{\nentry:\n  {lines}\n}}\n"
        return "\n".join([*declared.values(), *functions, run])

    def pointer(self, buffer: Buffer) -> str:
        """Returns the name of a buffer's address."""
        if buffer not in self.pointers:
            name = self.pointers[buffer] = f"%p{len(self.pointers)}"
            if buffer.home == LOCAL:
                self.entry.append(f"{name} = getelementptr inbounds i8, ptr %arena, i64 {self.offsets[buffer]}")
            else:
                if buffer.home == GIVEN:
                    self.read.add(buffer.number)
                number = self.table[buffer.home](buffer)
                self.entry.append(f"{name}.at = getelementptr inbounds ptr, ptr %table, i64 {number}")
                self.entry.append(f"{name} = load ptr, ptr {name}.at")
        return self.pointers[buffer]

    def place(self, view: View, strides: Sequence[int], roomy: bool = False) -> Place:
        """Returns the place of a view, with strides for the loop's dimensions."""
        pointer = self.pointer(view.buffer)
        if view.offset:
            by = view.offset * SIZES[STORED.get(view.type, view.type)]
            pointer = self.main.emit(f"getelementptr inbounds i8, ptr {pointer}, i64 {by}")
        return Place(pointer, view.type, tuple(strides), roomy)

    def check(self, place: View, classes: int) -> None:
        """Writes the test that integers name classes: otherwise the program refuses its inputs."""
        text, (_, _, strides) = self.main, key_of(place)
        wrong = "false"

        def turns(sizes: Sequence[int], place: Place, wrong: str) -> str:
            if not sizes:
                number = text.load(place, Chunk(0, 1))
                beyond = text.emit(f"icmp uge i64 {number}, {classes}")  # as unsigned, a negative one is too large too
                return text.emit(f"or i1 {wrong}, {beyond}")

            def turn(index: Any, values: list[str]) -> list[str]:
                return [turns(sizes[1:], text.inner([place], index)[0], values[0])]

            return text.loop(sizes[0], turn, [("i1", wrong)])[0]

        wrong = turns(key_of(place)[0], self.place(place, strides), wrong)
        text.branch(wrong, "ret i64 1")

    def group(self, at: int, group: Group) -> None:
        """Writes a group."""
        nest = group.nests[0]
        if isinstance(nest, Pointwise):
            self.pointwise(at, group)
        elif isinstance(nest, Reduction):
            self.reduction(nest)
        else:
            self.product(nest)

    def pointwise(self, at: int, group: Group) -> None:
        """Writes pointwise nests: their loop loads, computes and stores."""
        trace, space = ir.Trace(), group.space or ()
        current: dict[tuple, Value] = {}
        loads: dict[Value, View] = {}
        stored: dict[tuple, View] = {}
        for nest in group.nests:
            assert isinstance(nest, Pointwise)
            values = []
            for view in nest.reads():
                key = (view.buffer, key_of(view))
                if key not in current:
                    current[key] = trace.operand(len(loads), view.type)
                    loads[current[key]] = view
                values.append(current[key])
            key = (nest.target.buffer, key_of(nest.target))
            current[key] = nest.formula.of(trace, values)
            if self.groups.is_needed(nest.target.buffer, at):
                stored[key] = nest.target
        if not stored:
            return
        views = [*loads.values(), *stored.values()]
        strides = [key_of(view)[2] for view in views]
        leading = strides[len(loads)]
        order = sorted(range(len(space)), key=lambda dim: -leading[dim])
        sizes, moves = merged(space, strides, order)
        lanes = lanes_for([view.type for view in views] + [value.type for value in trace.values.values()])
        operands = []
        for number, (view, each) in enumerate(zip(views, moves, strict=True)):
            is_load, local = number < len(loads), view.buffer.home == LOCAL
            roomy = local and (is_load or (each == [1] and view.offset == 0 and sizes == [view.buffer.size]))
            operands.append(self.place(view, each, roomy))
        wanted = [current[key] for key in stored]

        def chunk(at: list[Place], chunk: Chunk) -> None:
            lines = Lines(self.main, chunk.lanes)
            for value, place in zip(loads, at, strict=False):
                lines.known(value, self.main.load(place, chunk))
            for name, place in zip(lines.compute(wanted), at[len(loads) :], strict=True):
                self.main.store(name, place, chunk)

        self.main.turns = 1 if len(trace.values) > LONG else TURNS
        if sizes:
            self.main.each(sizes[:-1], operands, lambda at: self.main.along(sizes[-1], lanes, at, chunk))
        else:
            chunk(operands, Chunk(0, 1))
        self.main.turns = TURNS

    def reduction(self, nest: Reduction) -> None:
        source, target, kept = nest.source, nest.target, nest.kept
        gone = range(kept, len(source.shape))
        order = sorted(range(kept), key=lambda dim: -source.strides[dim])
        sizes, moves = merged(source.shape[:kept], [source.strides[:kept], target.strides], order)
        rest, ends = merged(
            source.shape[kept:],
            [source.strides[kept:]],
            sorted(range(len(gone)), key=lambda dim: -source.strides[kept + dim]),
        )
        operands = self.place(source, [*moves[0], *ends[0]]), self.place(target, moves[1])
        reduction(self.main, nest.how, *operands, sizes, rest)

    def product(self, nest: Product) -> None:
        left, right, target = [self.place(view, view.strides) for view in (nest.left, nest.right, nest.target)]
        (rows, inner), columns = nest.left.shape, nest.right.shape[1]
        product(self.main, left, right, target, rows, inner, columns)


def functions_of(formulas: Formulas, called: set[tuple[str, int]]) -> tuple[list[str], dict[str, str]]:
    """Returns the functions of long formulas that are called, and the declarations that they need."""
    by_symbol = {each.symbol: each for each in formulas.known.values() if each is not None and each.symbol}
    functions: dict[str, None] = {}
    declared = {}
    for symbol, lanes in sorted(called):
        texts, needed = function_texts(symbol, by_symbol[symbol].operands, by_symbol[symbol].result, lanes)
        functions.update(dict.fromkeys(texts))
        declared.update(needed)
    return list(functions), declared
