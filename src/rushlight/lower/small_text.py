"""Writes the machine code of small programs as LLVM text: loops of few turns, vectors of few lanes, no calls of Python.

A place in memory is a pointer and strides in elements that are known here. A loop that has few turns is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight.lower import llvm
from rushlight.lower.emit import SIZES, STORED, Body, in_lanes, reached
from rushlight.lower.ir import BIT, F32, F64, I64, Value

FEW = 4  # lanes of the short vectors
TURNS = 4  # a loop of at most so many turns is written out


class Place(NamedTuple):
    """Elements in memory: a pointer, their type, strides by dimension, and whether what follows them may be read."""

    pointer: str
    type: str
    strides: tuple[int, ...]
    roomy: bool = False


class Chunk(NamedTuple):
    """A vector of elements along the innermost dimension: lanes (0: a scalar), and how many of them are used."""

    lanes: int
    used: int


def chunks_of(size: int, most: int) -> tuple[int, list[Chunk]]:
    """Returns how many full vectors a row has, and the chunks of its rest."""
    full, rest = divmod(size, most)
    if size <= FEW:
        full, rest = 0, size
    if not rest:
        return full, []
    lanes = 0 if rest == 1 else FEW if rest <= FEW else most
    return full, [Chunk(lanes, rest)]


def merged(
    sizes: Sequence[int], operands: Sequence[Sequence[int]], order: Sequence[int]
) -> tuple[list[int], list[list[int]]]:
    """Returns dimensions in an order, joined where all operands allow it, and the strides of each place."""
    out: list[int] = []
    strides: list[list[int]] = [[] for _ in operands]
    for dim in order:
        if sizes[dim] == 1:
            continue
        if out and all([each[-1] == place[dim] * sizes[dim] for each, place in zip(strides, operands, strict=True)]):
            out[-1] *= sizes[dim]
            for each, place in zip(strides, operands, strict=True):
                each[-1] = place[dim]
        else:
            out.append(sizes[dim])
            for each, place in zip(strides, operands, strict=True):
                each.append(place[dim])
    return out, strides


class Text:
    """The text of a function under construction."""

    def __init__(self, prefix: str = ""):
        self.prefix = prefix
        self.lines: list[str] = []
        self.block = "entry"
        self.count = 0
        self.declared: dict[str, str] = {}
        self.functions: set[tuple[str, int]] = set()  # formulas that are called, with their lanes
        self.turns = TURNS

    def name(self) -> str:
        self.count += 1
        return f"%{self.prefix}.{self.count}"

    def emit(self, text: str) -> str:
        """Appends a line that defines a value; returns its name."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def declare(self, symbol: str, returns: str, *parameters: str) -> str:
        self.declared[symbol] = f"declare {returns} @{symbol}({', '.join(parameters)})"
        return symbol

    # ---- loops

    def loop(
        self, count: int, body: Callable[[Any, list[str]], list[str]], kept: Sequence[tuple[str, str]] = ()
    ) -> list[str]:
        """Appends a loop; `body(index, values)` returns the next values, `kept` has their types and first names.

        The index is a number where the loop is written out, else a name. Returns the last values.
        """
        values = [name for _, name in kept]
        if count <= self.turns or count == 1:
            for at in range(count):
                values = body(at, values)
            return values
        self.count += 1
        number, before = self.count, self.block
        head, index = f"loop{self.prefix}{number}", f"%{self.prefix}.i{number}"
        self.lines += [f"br label %{head}", f"{head}:"]
        self.block, start = head, len(self.lines)
        names = [self.name() for _ in kept]
        last = body(index, names)
        following, more, end = self.name(), self.name(), f"end{self.prefix}{number}"
        self.lines[start:start] = [
            f"{index} = phi i64 [0, %{before}], [{following}, %{self.block}]",
            *[
                f"{name} = phi {type_} [{first}, %{before}], [{each}, %{self.block}]"
                for name, (type_, first), each in zip(names, kept, last, strict=True)
            ],
        ]
        self.lines += [
            f"{following} = add nuw nsw i64 {index}, 1",
            f"{more} = icmp ult i64 {following}, {count}",
            f"br i1 {more}, label %{head}, label %{end}",
            f"{end}:",
        ]
        self.block = end
        return last

    def branch(self, condition: str, end: str) -> None:
        """Appends the end of the function if a condition holds."""
        self.count += 1
        number = f"{self.prefix}{self.count}"
        self.lines += [
            f"br i1 {condition}, label %stop{number}, label %go{number}",
            f"stop{number}:",
            end,
            f"go{number}:",
        ]
        self.block = f"go{number}"

    def moved(self, place: Place, index: Any, step: int, strides: tuple[int, ...]) -> Place:
        """Returns a place `index` times `step` elements further."""
        if step == 0 or index == 0:
            return place._replace(strides=strides)
        size = SIZES[STORED.get(place.type, place.type)]
        if type(index) is int:
            by = str(index * step * size)
        else:
            by = self.emit(f"mul nsw i64 {index}, {step * size}")
        pointer = self.emit(f"getelementptr inbounds i8, ptr {place.pointer}, i64 {by}")
        return place._replace(pointer=pointer, strides=strides)

    def inner(self, operands: Sequence[Place], index: Any) -> list[Place]:
        """Returns operands at an index of their first dimension."""
        return [self.moved(place, index, place.strides[0], place.strides[1:]) for place in operands]

    def each(self, sizes: Sequence[int], operands: Sequence[Place], body: Callable[[list[Place]], None]) -> None:
        """Appends loops over dimensions; the body gets the operands without them."""
        if not sizes:
            body(list(operands))
            return

        def turn(index: Any, _: list[str]) -> list[str]:
            self.each(sizes[1:], self.inner(operands, index), body)
            return []

        self.loop(sizes[0], turn)

    def along(
        self, size: int, most: int, operands: Sequence[Place], body: Callable[[list[Place], Chunk], None]
    ) -> None:
        """Appends a loop over the last dimension in vectors; the body gets the operands and the chunk."""
        full, rest = chunks_of(size, most)

        def turn(index: Any, _: list[str]) -> list[str]:
            moved = [self.moved(place, index, place.strides[0] * most, place.strides) for place in operands]
            body(moved, Chunk(most, most))
            return []

        self.loop(full, turn)
        for chunk in rest:
            body([self.moved(place, full * most, place.strides[0], place.strides) for place in operands], chunk)

    # ---- memory

    def load(self, place: Place, chunk: Chunk, rest: str = "") -> str:
        """Appends the load of a chunk of elements; lanes that are not used are `rest`, or anything."""
        stored = STORED.get(place.type, place.type)
        value = self.load_stored(place, chunk, stored, place.strides[0] if place.strides else 0, rest)
        if place.type != BIT:
            return value
        zero = "zeroinitializer" if chunk.lanes else "0"
        return self.emit(f"icmp ne {in_lanes(stored, chunk.lanes)} {value}, {zero}")

    def load_stored(self, place: Place, chunk: Chunk, stored: str, step: int, rest: str) -> str:
        size, form, pointer = SIZES[stored], in_lanes(stored, chunk.lanes), place.pointer
        if not chunk.lanes:
            return self.emit(f"load {stored}, ptr {pointer}, align {size}")
        is_whole = chunk.used == chunk.lanes
        others = vector_of([rest] * chunk.lanes, stored) if rest else "poison" if is_whole else "zeroinitializer"
        if step == 0:
            value = self.splat(self.emit(f"load {stored}, ptr {pointer}, align {size}"), stored, chunk.lanes)
            used_only = rest and not is_whole
            return self.emit(f"select {mask_of(chunk)}, {form} {value}, {form} {others}") if used_only else value
        if step != 1:
            return self.gathered(place, chunk, stored, step, others)
        if is_whole or (place.roomy and not rest):
            return self.emit(f"load {form}, ptr {pointer}, align {size}")
        name = f"llvm.masked.load.{suffix(stored, chunk.lanes)}.p0"
        symbol = self.declare(name, form, "ptr", "i32 immarg", in_lanes(BIT, chunk.lanes), form)
        return self.emit(f"call {form} @{symbol}(ptr {pointer}, i32 {size}, {mask_of(chunk)}, {form} {others})")

    def gathered(self, place: Place, chunk: Chunk, stored: str, step: int, vector: str) -> str:
        """Appends loads of single elements into the first lanes of a vector."""
        for lane in range(chunk.used):
            pointer = self.moved(place, lane, step, ()).pointer
            one = self.emit(f"load {stored}, ptr {pointer}, align {SIZES[stored]}")
            vector = self.emit(f"insertelement {in_lanes(stored, chunk.lanes)} {vector}, {stored} {one}, i32 {lane}")
        return vector

    def splat(self, name: str, type: str, lanes: int) -> str:
        """Appends the vector with one scalar in all lanes."""
        if not lanes:
            return name
        form = in_lanes(type, lanes)
        first = self.emit(f"insertelement {form} poison, {type} {name}, i32 0")
        return self.emit(f"shufflevector {form} {first}, {form} poison, {in_lanes('i32', lanes)} zeroinitializer")

    def store(self, value: str, place: Place, chunk: Chunk) -> None:
        """Appends the store of the elements of a chunk that are used."""
        stored = STORED.get(place.type, place.type)
        size, form, step = SIZES[stored], in_lanes(stored, chunk.lanes), place.strides[0] if place.strides else 0
        if place.type == BIT:
            value = self.emit(f"zext {in_lanes(BIT, chunk.lanes)} {value} to {form}")
        if not chunk.lanes or (step == 1 and (chunk.used == chunk.lanes or place.roomy)):
            self.lines.append(f"store {form} {value}, ptr {place.pointer}, align {size}")
        elif step == 1:
            name = f"llvm.masked.store.{suffix(stored, chunk.lanes)}.p0"
            symbol = self.declare(name, "void", form, "ptr", "i32 immarg", in_lanes(BIT, chunk.lanes))
            self.lines.append(f"call void @{symbol}({form} {value}, ptr {place.pointer}, i32 {size}, {mask_of(chunk)})")
        else:
            for lane in range(chunk.used):
                one = self.emit(f"extractelement {form} {value}, i32 {lane}")
                at = self.moved(place, lane, step, ()).pointer
                self.lines.append(f"store {stored} {one}, ptr {at}, align {size}")


def suffix(type: str, lanes: int) -> str:
    """Returns the suffix of an intrinsic's name."""
    short = {F32: "f32", F64: "f64"}.get(type, type)
    return f"v{lanes}{short}" if lanes else short


def vector_of(items: Sequence[str], type: str) -> str:
    return f"<{', '.join([f'{type} {item}' for item in items])}>"


def mask_of(chunk: Chunk) -> str:
    """Returns the mask of the lanes that are used."""
    bits = ["true" if lane < chunk.used else "false" for lane in range(chunk.lanes)]
    return f"{in_lanes(BIT, chunk.lanes)} {vector_of(bits, BIT)}"


def lanes_for(types: Sequence[str]) -> int:
    """Returns the lanes of a full vector of the widest of some types."""
    return max(FEW, llvm.host().lanes // (2 if F64 in types or I64 in types else 1))


# ---- formulas


class Lines(Body):
    """Computes expressions in a function's text, where long formulas are functions."""

    def __init__(self, text: Text, lanes: int):
        text.count += 1
        super().__init__(f"{text.prefix}.v{text.count}.", lanes=lanes)
        self.text, self.lines, self.declared = text, text.lines, text.declared

    def _instruction(self, value: Value) -> str:
        if value.op != "function":
            return super()._instruction(value)
        lanes = self.lanes or FEW
        self.text.functions.add((value.literal, lanes))
        names = [self.names[each] for each in value.args]
        if not self.lanes:
            names = [self.text.splat(name, each.type, lanes) for name, each in zip(names, value.args, strict=True)]
        arguments = [f"{in_lanes(each.type, lanes)} {name}" for name, each in zip(names, value.args, strict=True)]
        call = f"call {in_lanes(value.type, lanes)} @{value.literal}x{lanes}({', '.join(arguments)})"
        return call if self.lanes else f"extractelement {in_lanes(value.type, lanes)} {self.text.emit(call)}, i32 0"


def function_texts(
    symbol: str, operands: Sequence[Value], result: Value, lanes: int
) -> tuple[list[str], dict[str, str]]:
    """Returns the functions of a long formula for vectors and for scalars, and the declarations that they need.

    Where the condition of a rare alternative holds for a lane, or the formula calls the C library, lanes are computed
    one by one.
    """
    usual = Body("u", usual=True, lanes=lanes)
    for number, operand in enumerate(operands):
        usual.known(operand, f"%a{number}")
    steps = reached([result], usual=True)
    if any([step.op == "call" for step in steps]):
        scalar, declared = scalar_function(symbol, operands, result)
        lines = one_by_one(symbol, operands, result, lanes)
        return [scalar, vector_function(symbol, operands, result, lanes, lines)], declared
    conditions = sorted({step.args[0] for step in steps if step.op == "rarely"}, key=lambda each: each.number)
    name, *tests = usual.compute([result, *conditions])
    lines, scalar, declared = usual.lines, "", usual.declared
    if tests:
        bits, either = in_lanes(BIT, lanes), tests[0]
        for number, test in enumerate(tests[1:]):
            lines.append(f"%either{number} = or {bits} {either}, {test}")
            either = f"%either{number}"
        reduce_or = f"llvm.vector.reduce.or.v{lanes}i1"
        scalar, declared = scalar_function(symbol, operands, result)
        declared = {**usual.declared, **declared, reduce_or: f"declare i1 @{reduce_or}({bits})"}
        lines.append(f"%rare = call i1 @{reduce_or}({bits} {either})")
        lines += ["br i1 %rare, label %anywhere, label %nowhere", "anywhere:"]
        lines += [*one_by_one(symbol, operands, result, lanes), "nowhere:"]
    lines.append(f"ret {in_lanes(result.type, lanes)} {name}")
    return [scalar, vector_function(symbol, operands, result, lanes, lines)], declared


def vector_function(symbol: str, operands: Sequence[Value], result: Value, lanes: int, lines: Sequence[str]) -> str:
    parameters = ", ".join([f"{in_lanes(each.type, lanes)} %a{number}" for number, each in enumerate(operands)])
    body = "\n  ".join(lines)
    head = f"define private {in_lanes(result.type, lanes)} @{symbol}x{lanes}({parameters}) nounwind noinline"
    return f"{head} {{\nentry:\n  {body}\n}}\n"


def scalar_function(symbol: str, operands: Sequence[Value], result: Value) -> tuple[str, dict[str, str]]:
    """Returns the function of a formula for scalars, with its rare alternatives, and its declarations."""
    body = Body("s")
    for number, operand in enumerate(operands):
        body.known(operand, f"%a{number}")
    (name,) = body.compute([result])
    return vector_function(symbol, operands, result, 0, [*body.lines, f"ret {result.type} {name}"]), body.declared


def one_by_one(symbol: str, operands: Sequence[Value], result: Value, lanes: int) -> list[str]:
    """Returns the lines that compute all lanes by the scalar function, and return them."""
    form, lines, value = in_lanes(result.type, lanes), [], "poison"
    for lane in range(lanes):
        arguments = []
        for number, operand in enumerate(operands):
            lines.append(f"%l{lane}.{number} = extractelement {in_lanes(operand.type, lanes)} %a{number}, i32 {lane}")
            arguments.append(f"{operand.type} %l{lane}.{number}")
        lines.append(f"%l{lane} = call {result.type} @{symbol}x0({', '.join(arguments)})")
        lines.append(f"%m{lane} = insertelement {form} {value}, {result.type} %l{lane}, i32 {lane}")
        value = f"%m{lane}"
    return [*lines, f"ret {form} {value}"]
