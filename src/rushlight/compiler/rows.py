"""Formulas that mix elementwise steps with reductions along the last dimension, as one loop nest over rows.

An operand is a number for each element, for each row, for each place in a row (a weight), or one number. What a formula
computes is ready after so many reductions: a row is gone through once for each level, and what was expensive at one
level and is needed at the next is kept in memory of a row's length, which stays in the cache.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rushlight.compiler import emit, streams
from rushlight.compiler.emit import SIZES, Body, literal
from rushlight.compiler.ir import Value

ELEMENT, ROW, PLACE, NUMBER = "element", "row", "place", "number"
CHEAP = 6  # instructions that are rather done again than kept
START = {"sum": -0.0, "max": float("-inf")}
# A sum may be taken in any order: with many partial sums it is nearer to the truth than in order.
STEP = {
    "sum": "fadd reassoc {type} {total}, {value}",
    "max": "call {type} @llvm.maximum.{short}({type} {total}, {type} {value})",
}
TOTAL = "double"  # the type of a row's total
STRETCH = 1024  # elements that are added up in their own precision, in many parts
WHOLE = 64  # elements that LLVM takes at once at most
AGAIN = ".again"
AHEAD = 1024  # elements between what is computed with and what is asked for; longer rows are not short
LAST = 6  # the note of a loop whose last vectors are not whole
PARTLY = """
!6 = distinct !{!6, !1, !7}
!7 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
"""
SHORT = {"float": "f32", "double": "f64"}


class Nest:
    """Where every value of a formula belongs: whether it is one of a row, and after how many reductions it is ready."""

    def __init__(self, operands: dict[Value, str], results: Sequence[Value]):
        self.operands, self.results = operands, list(results)
        self.order: list[Value] = []
        self.of_row: dict[Value, bool] = {}
        self.ready: dict[Value, int] = {}
        for each in self.results:
            self._visit(each)
        self.levels = max(self.ready[each] for each in self.results)
        self.kept = self._kept()

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
        self.order.append(value)

    def goals(self, level: int) -> list[Value]:
        """What of each element is wanted when a row is gone through: arguments of reductions, and results."""
        found = [each.args[0] for each in self.order if each.op == "reduce" and self.ready[each] == level + 1]
        return found + [each for each in self.results if not self.of_row[each] and self.ready[each] == level]

    def reductions(self, level: int) -> list[Value]:
        return [each for each in self.order if each.op == "reduce" and self.ready[each] == level + 1]

    def cost(self, value: Value) -> int:
        """The instructions that an element's value takes where the values of its row are known."""
        if self.of_row[value] or value in self.operands or value.op == "constant":
            return 0
        heavy = 10 if value.op in ("fdiv", "call") or value.literal == "sqrt" else 1
        return heavy + sum(map(self.cost_shared, value.args))

    def cost_shared(self, value: Value) -> int:
        if value not in self._costs:
            self._costs[value] = self.cost(value)
        return self._costs[value]

    def _kept(self) -> dict[Value, int]:
        """The values that are kept from one level to the next, and the numbers of their rows of memory."""
        self._costs: dict[Value, int] = {}
        found: list[Value] = []
        for level in range(1, self.levels + 1):
            pending, seen = list(self.goals(level)), set()
            while pending:
                value = pending.pop()
                if value in seen or self.of_row[value] or value in self.operands:
                    continue
                seen.add(value)
                if self.ready[value] < level and self.cost_shared(value) > CHEAP:
                    found.append(value)
                else:
                    pending += value.args
        return {value: number for number, value in enumerate(dict.fromkeys(found))}


class Writer:
    """The text of the function that works on rows."""

    def __init__(self, name: str, nest: Nest):
        self.name, self.nest, self.past = name, nest, name.endswith(streams.PAST)
        self.places = {each: number for number, each in enumerate(nest.operands)}
        self.row = Body("r")  # what is computed once for each row
        self.declared: dict[str, str] = {}

    def text(self) -> str:
        """`name(context, begin, end)`: the context holds operands, results, and the length of a row."""
        nest, count = self.nest, len(self.places) + len(self.nest.results)
        head = [line for n in range(count) for line in self._base(n)]
        # What is kept of a row must not go past the caches, which stores that are aligned would.
        alignment = 16 if self.past else streams.LINE
        head += [f"%kept{n} = alloca {each.type}, i64 %length, align {alignment}" for each, n in nest.kept.items()]
        self._operands()
        for level in range(nest.levels + 1):
            self._compute_rows(level)
            if nest.goals(level):
                if level == 1:
                    self._ahead()
                self._loop(level)
        for number, each in enumerate(nest.results, len(self.places)):
            if nest.of_row[each]:
                (found,) = self.row.compute([each])
                emit.store(self.row.lines, found, f"%base{number}", each.type, "%row", f"result{number}")
        self.declared.update(self.row.declared)
        self.declared["llvm.maximum"] = "\n".join(
            f"declare {type} @llvm.maximum.{short}({type}, {type})" for type, short in SHORT.items()
        )
        return f"""
define void @{self.name}(ptr %context, i64 %begin, i64 %end) {{
entry:
  %length.at = getelementptr ptr, ptr %context, i64 {count}
  %length = load i64, ptr %length.at
  {self._lines(head)}
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %rows, label %done
rows:
  %row = phi i64 [%begin, %entry], [%row.next, %end{nest.levels}]
  %start = mul i64 %row, %length
  {self._lines(self.row.lines)}
  br label %end{nest.levels}
end{nest.levels}:
  %row.next = add nuw nsw i64 %row, 1
  %row.more = icmp slt i64 %row.next, %end
  br i1 %row.more, label %rows, label %done
done:
  ret void
}}
"""

    @staticmethod
    def _lines(lines: Sequence[str]) -> str:
        return "\n  ".join(lines)

    def _base(self, number: int) -> list[str]:
        return [
            f"%slot{number} = getelementptr ptr, ptr %context, i64 {number}",
            f"%base{number} = load ptr, ptr %slot{number}",
        ]

    def _operands(self) -> None:
        """Numbers of a row are loaded when it begins; elements have their own pointer in each row."""
        lines = self.row.lines
        for value, kind in self.nest.operands.items():
            number = self.places[value]
            if kind in (ROW, NUMBER):
                at = "%row" if kind == ROW else "0"
                self.row.known(value, emit.load(lines, f"given{number}", f"%base{number}", value.type, at))
            elif kind == ELEMENT:
                lines.append(f"%line{number} = getelementptr {value.type}, ptr %base{number}, i64 %start")
        for number, value in enumerate(self.nest.results, len(self.places)):
            if not self.nest.of_row[value]:
                lines.append(f"%line{number} = getelementptr {value.type}, ptr %base{number}, i64 %start")
                if self.past:
                    self.declared["llvm.assume"] = "declare void @llvm.assume(i1)"
                    lines.append(f'call void @llvm.assume(i1 true) ["align"(ptr %line{number}, i64 {streams.LINE})]')

    def _compute_rows(self, level: int) -> None:
        wanted = [each for each in self.nest.order if self.nest.of_row[each] and self.nest.ready[each] == level]
        self.row.compute([each for each in wanted if each.op not in ("reduce", "operand", "constant")])

    def _ahead(self) -> None:
        """Asks for elements of the next rows: while one is computed with, nothing would be read otherwise.

        The processor reads ahead by itself in long rows, and where several arrays are read there is no time left.
        """
        elements = [each for each, kind in self.nest.operands.items() if kind == ELEMENT]
        if len(elements) != 1:
            return
        (value,) = elements
        self.declared["llvm.prefetch"] = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
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
            f"%asked.next = add nuw nsw i64 %asked.at, {streams.LINE // SIZES[value.type]}",
            "%asked.more = icmp ult i64 %asked.next, %length",
            "br i1 %asked.more, label %ask, label %asked",
            "asked:",
        ]

    def _loop(self, level: int) -> None:
        """Goes through the row once."""
        nest, body = self.nest, Body(f"e{level}.")
        body.names.update(self.row.names)
        goals, reductions = nest.goals(level), nest.reductions(level)
        kept = [value for value in nest.kept if nest.ready[value] == level]
        for value in self._needed([*goals, *kept], level):
            body.known(value, self._loaded(value, body.lines, level))
        body.compute([*goals, *kept])
        self._stored(level, body, kept)
        partial = [self._partial(level, number, each, body) for number, each in enumerate(reductions)]
        self._nested(level, reductions, partial, body.lines)
        for number, each in enumerate(reductions):
            self.row.known(each, f"%t{level}.{number}.all")
        self.declared.update(body.declared)

    def _nested(self, level: int, reductions: Sequence[Value], partial: Sequence[str], inside: Sequence[str]) -> None:
        """A loop over the stretches of a row, in it one over whole vectors and one over the elements that are left.

        A row is seldom of whole vectors: what is left goes through vectors of which a part is switched off, since one
        by one it would take as long as all the rest.
        """
        sums = list(zip(reductions, partial, strict=True))
        before = {name: literal(START[each.literal], each.type) for each, name in sums}
        types = {name: each.type for each, name in sums}
        self.row.lines += [
            f"br label %row{level}",
            f"row{level}:",
            f"br label %stretch{level}",
            f"stretch{level}:",
            f"%b{level} = phi i64 [0, %row{level}], [%far{level}, %rest{level}]",
            *(
                f"{name}.total = phi {TOTAL} [{literal(START[each.literal], TOTAL)}, %row{level}], "
                f"[{name}.more, %rest{level}]"
                for each, name in sums
            ),
            f"%far{level} = add nuw nsw i64 %b{level}, {STRETCH}",
            f"%short{level} = icmp ult i64 %far{level}, %length",
            f"%e{level} = select i1 %short{level}, i64 %far{level}, i64 %length",
            f"%whole{level} = and i64 %e{level}, {-WHOLE}",
            f"%any{level} = icmp ult i64 %b{level}, %whole{level}",
            f"br i1 %any{level}, label %level{level}, label %middle{level}",
            *looped(f"level{level}", f"stretch{level}", f"%b{level}", before, types, inside, level),
            f"%level{level}.more = icmp ult i64 %i{level}.next, %whole{level}",
            f"br i1 %level{level}.more, label %level{level}, label %middle{level}, !llvm.loop !0",
            f"middle{level}:",
            *(
                f"{name}.so.far = phi {type} [{before[name]}, %stretch{level}], [{name}.next, %level{level}]"
                for name, type in types.items()
            ),
            f"%left{level} = icmp ult i64 %whole{level}, %e{level}",
            f"br i1 %left{level}, label %last{level}, label %rest{level}",
            *again(
                [
                    *looped(
                        f"last{level}",
                        f"middle{level}",
                        f"%whole{level}",
                        {name: f"{name}.so.far" for name in types},
                        types,
                        inside,
                        level,
                    ),
                    f"%last{level}.more = icmp ult i64 %i{level}.next, %e{level}",
                    f"br i1 %last{level}.more, label %last{level}, label %rest{level}, !llvm.loop !{LAST}",
                ]
            ),
            f"rest{level}:",
            *(
                f"{name}.stretch = phi {type} [{name}.so.far, %middle{level}], [{name}.next{AGAIN}, %last{level}]"
                for name, type in types.items()
            ),
            *(line for each, name in sums for line in self._added(each, name)),
            f"%more{level} = icmp ult i64 %e{level}, %length",
            f"br i1 %more{level}, label %stretch{level}, label %after{level}",
            f"after{level}:",
            *(f"{name}.all = {narrowed(each.type, f'{name}.more')}" for each, name in sums),
        ]

    @staticmethod
    def _added(value: Value, name: str) -> list[str]:
        """What a stretch adds to a row's total, which is kept in float64."""
        type = TOTAL
        step = STEP[value.literal].format(type=type, short=SHORT[type], total=f"{name}.total", value=f"{name}.wide")
        return [f"{name}.wide = {widened(value.type, f'{name}.stretch')}", f"{name}.more = {step}"]

    def _needed(self, goals: Sequence[Value], level: int) -> list[Value]:
        """Operands and kept values that the goals follow from at this level."""
        found: list[Value] = []
        seen: set[Value] = set()
        pending = list(goals)
        while pending:
            value = pending.pop()
            if value in seen or self.nest.of_row[value]:
                continue
            seen.add(value)
            if value in self.nest.operands or (value in self.nest.kept and self.nest.ready[value] < level):
                found.append(value)
            else:
                pending += value.args
        return found

    def _loaded(self, value: Value, lines: list[str], level: int) -> str:
        if value in self.nest.operands:
            number = self.places[value]
            pointer = f"%line{number}" if self.nest.operands[value] == ELEMENT else f"%base{number}"
        else:
            pointer = f"%kept{self.nest.kept[value]}"
        return emit.load(lines, f"x{level}.{pointer[1:]}", pointer, value.type, f"%i{level}")

    def _stored(self, level: int, body: Body, kept: Sequence[Value]) -> None:
        index = f"%i{level}"
        for value in kept:
            emit.store(
                body.lines, body.names[value], f"%kept{self.nest.kept[value]}", value.type, index, f"k{value.number}"
            )
        for number, value in enumerate(self.nest.results, len(self.places)):
            if not self.nest.of_row[value] and self.nest.ready[value] == level:
                emit.store(body.lines, body.names[value], f"%line{number}", value.type, index, f"result{number}")

    @staticmethod
    def _partial(level: int, number: int, value: Value, body: Body) -> str:
        """The name of a stretch's reduction; appends the step that an element takes to it."""
        name = f"%t{level}.{number}"
        step = STEP[value.literal].format(
            type=value.type, short=SHORT[value.type], total=name, value=body.names[value.args[0]]
        )
        body.lines.append(f"{name}.next = {step}")
        return name


def looped(
    label: str, entry: str, begin: str, starts: dict[str, str], types: dict[str, str], inside: Sequence[str], level: int
) -> list[str]:
    """The beginning of a loop over elements, up to the question whether there are more."""
    return [
        f"{label}:",
        f"%i{level} = phi i64 [{begin}, %{entry}], [%i{level}.next, %{label}]",
        *(f"{name} = phi {types[name]} [{start}, %{entry}], [{name}.next, %{label}]" for name, start in starts.items()),
        *inside,
        f"%i{level}.next = add nuw nsw i64 %i{level}, 1",
    ]


def again(lines: Sequence[str]) -> list[str]:
    """The same lines with other names for what they define."""
    defined = {name for line in lines for name in re.findall(r"^(%[\w.]+) =", line)}
    return [re.sub(r"%[\w.]+", lambda found: found[0] + AGAIN * (found[0] in defined), line) for line in lines]


def widened(type: str, name: str) -> str:
    """To float64."""
    return f"fpext float {name} to double" if type == "float" else f"fadd double {name}, -0.0"


def narrowed(type: str, name: str) -> str:
    """From float64 to the type of the elements."""
    return f"fptrunc double {name} to float" if type == "float" else f"fadd double {name}, -0.0"


def module(name: str, operands: dict[Value, str], results: Sequence[Value]) -> str:
    """The text of a module with one function over rows; by its name, results are written past the caches."""
    writer = Writer(name, Nest(operands, results))
    text = writer.text()
    return "\n".join([*writer.declared.values(), text, emit.INDEPENDENT, PARTLY])
