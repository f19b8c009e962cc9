"""GPU kernels over rows: the formulas of `row_formulas.py`, one warp per row, or one block for long rows.

Each level of a nest (`row_nest.py`) is one pass over the row, whose elements the threads take in turn; then the lanes
of a warp exchange their sums or maxima, in five steps, and the warps of a block theirs through shared memory. Values
are computed again at each pass: a row is in the processor's cache by then. Sums are of the type of the computation, in
another order than the CPU's.
"""

from __future__ import annotations

from rushlight.lower import elementary as m
from rushlight.lower import emit
from rushlight.lower.emit import Body, literal
from rushlight.lower.ir import Value, reduce, where
from rushlight.lower.nvptx import library
from rushlight.lower.nvptx.elementwise import WHERE
from rushlight.lower.nvptx.target import WARP, KernelText, Threads
from rushlight.lower.row_nest import Nest
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, POSITION, ROW

COLUMN = "column"  # an operand that is the number of an element in its row
BY_WARP = 1024  # the longest row that a warp takes
ROWS_PER_BLOCK = 4  # warps of a block, each with rows of its own
LONG = 512  # threads of a block that takes a row
SLOT = 8  # bytes of shared memory for each warp


class Rows:
    """The kernel of a nest; `whole` says whether a block takes a row."""

    def __init__(self, nest: Nest, whole: bool):
        self.nest, self.whole = nest, whole
        self.numbers = {value: number for number, value in enumerate(nest.operands)}

    @property
    def threads(self) -> int:
        return LONG if self.whole else ROWS_PER_BLOCK * WARP

    def __call__(self, threads: Threads) -> KernelText:
        nest = self.nest
        row = Body("r", library=library.OWN)
        declared: dict[str, str] = {}
        for value, role in nest.operands.items():
            number = self.numbers[value]
            if role == NUMBER:
                row.known(value, f"%x{number}")
            elif role == ROW:
                row.known(value, emit.load(row.lines, f"parameters{number}", f"%p{number}", value.type, "%row"))
        for level in range(nest.levels + 1):
            if nest.goals(level):
                declared.update(self._level(row, level, threads))
        put = self._put(row)
        declared.update(row.declared)
        others, functions = library.provided(declared)
        lines = [*WHERE, *(BLOCKS if self.whole else WARPS), *BEGIN, *row.lines, *put, *END]
        shared = SLOT * WARP if self.whole else 0
        return KernelText(self._parameters(), lines, functions, others, shared, self.threads, waits=True)

    def _parameters(self) -> list[tuple[str, str]]:
        """Returns operands and results in order, the number of rows, and their length."""
        parameters = []
        for number, (value, role) in enumerate(self.nest.operands.items()):
            if role != COLUMN:
                parameters.append((value.type, f"%x{number}") if role == NUMBER else ("ptr", f"%p{number}"))
        parameters += [("ptr", f"%p{len(self.numbers) + number}") for number in range(len(self.nest.results))]
        return [*parameters, ("i64", "%rows"), ("i64", "%length")]

    def _level(self, row: Body, level: int, threads: Threads) -> dict[str, str]:
        """Appends one pass over the row, and its reductions; returns the declarations of its functions."""
        nest, body = self.nest, Body(f"e{level}.", library=library.OWN)
        loads, reductions = nest.loads(level), nest.reductions(level)
        for value, name in zip(loads.of_row, row.compute(loads.of_row), strict=True):
            body.known(value, name)
        used = reached_until_row(nest, nest.goals(level))
        lines = [f"%at{level} = add i64 %start, %i{level}"]
        for value, role in nest.operands.items():
            number = self.numbers[value]
            if role == COLUMN:
                body.known(value, f"%i{level}")
            elif role in (ELEMENT, POSITION) and value in used:
                index = f"%at{level}" if role == ELEMENT else f"%i{level}"
                body.known(value, emit.load(lines, f"x{number}.{level}", f"%p{number}", value.type, index))
        names = body.compute(nest.goals(level))
        lines += body.lines
        for k, value in enumerate(reductions):
            lines += step(value, f"%acc{level}.{k}", names[k])
        for value, name in zip(nest.results_of(level), names[len(reductions) :], strict=True):
            for number in [i for i, each in enumerate(nest.results, len(self.numbers)) if each is value]:
                emit.store(lines, name, f"%p{number}", value.type, f"%at{level}", f"put{number}")
        phis = [
            f"%acc{level}.{k} = phi {value.type} [{start(value)}, %begin{level}], [%acc{level}.{k}.next, %pass{level}]"
            for k, value in enumerate(reductions)
        ]
        row.lines += [
            f"br label %begin{level}",
            f"begin{level}:",
            f"br label %test{level}",
            f"test{level}:",
            f"%i{level} = phi i64 [%column, %begin{level}], [%i{level}.next, %pass{level}]",
            *phis,
            f"%more{level} = icmp ult i64 %i{level}, %length",
            f"br i1 %more{level}, label %pass{level}, label %after{level}",
            f"pass{level}:",
            *lines,
            f"%i{level}.next = add i64 %i{level}, %columns",
            f"br label %test{level}",
            f"after{level}:",
        ]
        for k, value in enumerate(reductions):
            row.known(value, self._combined(row.lines, value, f"%acc{level}.{k}", threads))
        return body.declared

    def _combined(self, lines: list[str], value: Value, name: str, threads: Threads) -> str:
        """Appends the reduction over the threads of a row; returns the name of its result, which all threads have."""
        name = within_warp(lines, value, name, threads)
        if not self.whole:
            return name
        at, type = name[1:], value.type
        lines += [
            f"br i1 %leads, label %give.{at}, label %parameters.{at}",
            f"give.{at}:",
            f"%home.{at} = getelementptr i64, ptr %shared, i64 %warp",
            f"store {type} {name}, ptr %home.{at}",
            f"br label %parameters.{at}",
            f"parameters.{at}:",
            *threads.barrier(f".{at}.parameters"),
            f"%one.{at} = getelementptr i64, ptr %shared, i64 %lane",
            f"%read.{at} = load {type}, ptr %one.{at}",
            f"%part.{at} = select i1 %of.a.warp, {type} %read.{at}, {type} {start(value)}",
        ]
        result = within_warp(lines, value, f"%part.{at}", threads)
        lines += threads.barrier(f".{at}.taken")  # before the next reduction writes there
        return result

    def _put(self, row: Body) -> list[str]:
        """Returns the stores of results with one value per row, by the first thread."""
        nest, lines = self.nest, ["br i1 %is.first, label %put, label %next", "put:"]
        for number, value in enumerate(nest.results, len(self.numbers)):
            if nest.of_row[value]:
                (name,) = row.compute([value])
                emit.store(lines, name, f"%p{number}", value.type, "%row", f"row.put{number}")
        return [*lines, "br label %next"]


def reached_until_row(nest: Nest, goals: list[Value]) -> set[Value]:
    """Returns the values of one element that the goals depend on."""
    reached_values: set[Value] = set()
    pending = list(goals)
    while pending:
        value = pending.pop()
        if value not in reached_values and not nest.of_row[value]:
            reached_values.add(value)
            pending += value.args
    return reached_values


def start(value: Value) -> str:
    return literal(-0.0 if value.literal == "sum" else float("-inf"), value.type)


def step(value: Value, before: str, new: str, after: str = "") -> list[str]:
    """Returns the lines that add an element; a maximum passes over NaN, which the formulas then meet as an element."""
    after = after or f"{before}.next"
    if value.literal == "sum":
        return [f"{after} = fadd {value.type} {before}, {new}"]
    return [
        f"{after}.larger = fcmp ogt {value.type} {new}, {before}",
        f"{after} = select i1 {after}.larger, {value.type} {new}, {value.type} {before}",
    ]


def within_warp(lines: list[str], value: Value, name: str, threads: Threads) -> str:
    """Appends the reduction over a warp by exchanges, so that all lanes have the same bits."""
    distance = WARP // 2
    while distance:
        other, total = f"{name}.o{distance}", f"{name}.d{distance}"
        lines += threads.exchange(other, name, value.type, str(distance), f".{total[1:]}")
        lines += step(value, name, other, total)
        name, distance = total, distance // 2
    return name


# Who takes which rows: a warp's or a block's first and step; a thread's first column and step.
WARPS = [
    "%lane = and i64 %tid.64, 31",
    "%column = or i64 %lane, 0",
    f"%columns = or i64 {WARP}, 0",
    "%row.first = lshr i64 %first, 5",
    "%row.step = lshr i64 %step, 5",
    "%is.first = icmp eq i64 %lane, 0",
]
BLOCKS = [
    "%lane = and i64 %tid.64, 31",
    "%warp = lshr i64 %tid.64, 5",
    "%warps = lshr i64 %threads.64, 5",
    "%leads = icmp eq i64 %lane, 0",
    "%of.a.warp = icmp ult i64 %lane, %warps",
    "%column = or i64 %tid.64, 0",
    "%columns = or i64 %threads.64, 0",
    "%row.first = or i64 %block.64, 0",
    "%row.step = or i64 %blocks.64, 0",
    "%is.first = icmp eq i64 %tid.64, 0",
]
BEGIN = [
    "br label %test",
    "test:",
    "%row = phi i64 [%row.first, %entry], [%row.next, %next]",
    "%row.more = icmp ult i64 %row, %rows",
    "br i1 %row.more, label %begin, label %done",
    "begin:",
    "%start = mul i64 %row, %length",
]
END = ["next:", "%row.next = add i64 %row, %row.step", "br label %test"]


# ---- cross entropy: the class of each row is an integer


def column_is(column: Value, target: Value) -> Value:
    return column.trace.value("icmp", "i1", column, target, literal="eq")


def below(a: Value, b: Value) -> Value:
    """Returns whether an integer is less than another, both as unsigned: negative ones are larger than all."""
    return a.trace.value("icmp", "i1", a, b, literal="ult")


def cross_entropy(x, target, ignored, classes, column) -> list[Value]:
    """Returns the loss of each row: `log(sum(exp(x))) - x[target]`; 0 for the ignored class, NaN for one that is not
    there.
    """
    shifted = x - reduce("max", x)
    total = m.log(reduce("sum", m.decay(shifted)))
    chosen = reduce("sum", where(column_is(column, target), shifted, 0.0))
    loss = where(below(target, classes), total - chosen, float("nan"))
    return [where(column_is(target, ignored), 0.0, loss)]


def cross_entropy_gradient(g, x, target, ignored, column) -> list[Value]:
    """Returns the softmax less 1 at the target, times the gradient of the row's loss."""
    exponentials = m.decay(x - reduce("max", x))
    softmax = exponentials / reduce("sum", exponentials)
    slope = where(column_is(column, target), softmax - 1.0, softmax)
    return [where(column_is(target, ignored), 0.0, slope * g)]
