"""GPU kernels of elementwise formulas: one thread per element, or per few contiguous ones.

`CONTIGUOUS` arrays have one shape, no gaps, and begin at multiples of 16 bytes: short formulas load up to 16 bytes at
once. Other arrays are strided by one to three dimensions; a repeated one has the stride 0. The grid has a bounded size
and goes on to further elements (a grid-stride loop). An operand may be a result: each element is read before it is
written, by the same thread.

The formula is a function of the module, `@element`. Its rare alternatives are a branch; what the CPU's kernels leave to
the C library is in `library.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.lower import emit
from rushlight.lower.emit import SIZES, STORED, Body, reached
from rushlight.lower.inner_loop import any_of
from rushlight.lower.ir import BIT, Value
from rushlight.lower.nvptx import library
from rushlight.lower.nvptx.target import KernelText, Threads

CONTIGUOUS = 0  # the layout; others are a number of dimensions
MOST_DIMS = 3
SHORT = 60  # steps; longer formulas compute more than they load, and would be long text several times
LOADED = 16  # bytes at once

# Where a kernel finds an operand: an array, an array of one element, or a parameter.
EACH, ONE, NUMBER = "each", "one", "number"


class Elementwise:
    """The kernel of a formula: `operands` with their kinds, and `results`."""

    def __init__(self, operands: Sequence[Value], kinds: Sequence[str], results: Sequence[Value], layout: int):
        self.operands, self.kinds, self.results, self.layout = list(operands), list(kinds), list(results), layout
        self.moving = [i for i, place in enumerate(self.kinds) if place == EACH]
        self.moving += range(len(self.operands), len(self.operands) + len(self.results))
        self.values = [*self.operands, *self.results]
        self.short = len(reached(self.results, usual=True)) < SHORT

    @property
    def width(self) -> int:
        """The elements that a thread loads at once."""
        if self.layout != CONTIGUOUS or not self.short:
            return 1
        return min(4, LOADED // max(SIZES[stored(self.values[i].type)] for i in self.moving))

    def __call__(self, threads: Threads) -> KernelText:
        functions, declared = self._element()
        write = self._contiguous if self.layout == CONTIGUOUS else self._strided
        return KernelText(self._parameters(), [*WHERE, *self._ones(), *write()], functions, declared)

    def _parameters(self) -> list[tuple[str, str]]:
        """Returns operands and results in order, the number of elements, then inner sizes and strides in bytes."""
        numbers = [place == NUMBER for place in self.kinds] + [False] * len(self.results)
        parameters = [
            (self.values[i].type, f"%x{i}") if number else ("ptr", f"%p{i}") for i, number in enumerate(numbers)
        ]
        if self.layout == CONTIGUOUS:
            return [*parameters, ("i64", "%count")]
        sizes = [("i32", f"%size{dim}") for dim in range(1, self.layout)]
        strides = [("i64", f"%s{i}.{dim}") for i in self.moving for dim in range(self.layout)]
        return [*parameters, ("i32", "%count"), *sizes, *strides]

    def _ones(self) -> list[str]:
        """Returns the loads of operands with one element."""
        lines: list[str] = []
        for i, place in enumerate(self.kinds):
            if place == ONE:
                emit.load(lines, f"x{i}", f"%p{i}", self.operands[i].type, "0")
        return lines

    def _one_name(self, i: int) -> str:
        return f"%x{i}" if self.kinds[i] == NUMBER or self.operands[i].type == BIT else f"%x{i}.raw"

    def _element(self) -> tuple[str, list[str]]:
        """Returns the text of `@element`, and the declarations that it needs."""
        body = Body("v", usual=True, library=library.OWN)
        parameters = [f"{x.type} %o{i}" for i, x in enumerate(self.operands)]
        for i, operand in enumerate(self.operands):
            body.known(operand, f"%o{i}")
        names = body.compute(self.results)
        rare = sorted((x for x in reached(self.results, usual=True) if x.op == "rarely"), key=lambda x: x.number)
        lines = body.lines
        if rare:
            names = self._rare(body, rare, names)
        declared, functions = library.provided(body.declared)
        kind = "alwaysinline" if self.short else "noinline"
        text = f"""
define internal {self._returned()} @element({", ".join(parameters)}) nounwind {kind} {{
entry:
  {joined(lines)}
  {joined(self._return(names))}
}}
"""
        return functions + text, declared

    def _rare(self, body: Body, rare: Sequence[Value], usual: Sequence[str]) -> list[str]:
        """Appends the branch to the rare alternatives; returns the results in either case."""
        lines = body.lines
        condition = any_of(lines, body.compute([x.args[0] for x in rare]), 0)
        lines += [f"br i1 {condition}, label %rare, label %usual", "rare:"]
        every = Body("r", library=library.OWN)
        for i, operand in enumerate(self.operands):
            every.known(operand, f"%o{i}")
        names = every.compute(self.results)
        lines += [*every.lines, "br label %usual", "usual:"]
        body.declared.update(every.declared)
        for i, result in enumerate(self.results):
            lines.append(f"%merged{i} = phi {result.type} [{usual[i]}, %entry], [{names[i]}, %rare]")
        return [f"%merged{i}" for i in range(len(self.results))]

    def _returned(self) -> str:
        types = [x.type for x in self.results]
        return types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"

    def _return(self, names: Sequence[str]) -> list[str]:
        form, value, lines = self._returned(), "poison", []
        if len(names) == 1:
            return [f"ret {form} {names[0]}"]
        for i, name in enumerate(names):
            lines.append(f"%all{i} = insertvalue {form} {value}, {self.results[i].type} {name}, {i}")
            value = f"%all{i}"
        return [*lines, f"ret {form} {value}"]

    def _called(self, names: dict[int, str], at: str) -> tuple[list[str], list[str]]:
        """Returns the call of `@element` for moving operands by these names, and the names of its results."""
        parameters = [f"{x.type} {names.get(i) or self._one_name(i)}" for i, x in enumerate(self.operands)]
        lines = [f"%e{at} = call {self._returned()} @element({', '.join(parameters)})"]
        if len(self.results) == 1:
            return lines, [f"%e{at}"]
        results = [f"%e{at}.{i}" for i in range(len(self.results))]
        return lines + [f"{x} = extractvalue {self._returned()} %e{at}, {i}" for i, x in enumerate(results)], results

    def _single(self, at: str, index: dict[int, str] | str) -> list[str]:
        """Returns the lines for one element: at an index, or at offsets in bytes."""
        lines: list[str] = []
        names: dict[int, str] = {}
        for i in self.moving:
            pointer, place = f"%p{i}", index
            if not isinstance(place, str):
                lines.append(f"%q{i}{at} = getelementptr i8, ptr %p{i}, i64 {place[i]}")
                pointer, place = f"%q{i}{at}", "0"
            if i < len(self.operands):
                names[i] = emit.load(lines, f"x{i}{at}", pointer, self.operands[i].type, place)
            elif i == len(self.operands):
                called, results = self._called(names, at)
                lines += called
            if i >= len(self.operands):
                result = i - len(self.operands)
                emit.store(lines, results[result], pointer, self.values[i].type, place, f"to{i}{at}")
        return lines

    def _contiguous(self) -> list[str]:
        width = self.width
        body = self._single(".s", "%i") if width == 1 else self._several(width)
        whole = width.bit_length() - 1
        rest = (
            ["br label %done"]
            if width == 1
            else [
                f"%begun = shl i64 %whole, {whole}",
                "%rest.i = add i64 %begun, %first",
                "%rest.any = icmp ult i64 %rest.i, %count",
                "br i1 %rest.any, label %single, label %done",
                "single:",
                *self._single(".r", "%rest.i"),
                "br label %done",
            ]
        )
        return [
            f"%whole = lshr i64 %count, {whole}",
            "br label %test",
            "test:",
            "%i = phi i64 [%first, %entry], [%i.next, %loop]",
            "%more = icmp ult i64 %i, %whole",
            "br i1 %more, label %loop, label %rest",
            "loop:",
            *body,
            "%i.next = add i64 %i, %step",
            "br label %test",
            "rest:",
            *rest,
        ]

    def _several(self, width: int) -> list[str]:
        """Returns the lines for `width` contiguous elements, number %i of these."""
        lines: list[str] = []
        names: list[dict[int, str]] = [{} for _ in range(width)]
        for i in [i for i in self.moving if i < len(self.operands)]:
            type = self.operands[i].type
            form = f"<{width} x {stored(type)}>"
            lines.append(f"%at{i} = getelementptr {form}, ptr %p{i}, i64 %i")
            lines.append(f"%all{i} = load {form}, ptr %at{i}, align {width * SIZES[stored(type)]}")
            for lane in range(width):
                name = f"%x{i}.{lane}"
                lines.append(f"{name} = extractelement {form} %all{i}, i32 {lane}")
                if type == BIT:
                    lines.append(f"{name}.true = icmp ne i8 {name}, 0")
                names[lane][i] = f"{name}.true" if type == BIT else name
        by_lane = []
        for lane in range(width):
            called, results = self._called(names[lane], f".l{lane}")
            lines += called
            by_lane.append(results)
        for number, result in enumerate(self.results):
            lines += self._stored(number, result.type, [each[number] for each in by_lane])
        return lines

    def _stored(self, number: int, type: str, names: Sequence[str]) -> list[str]:
        form, value, lines = f"<{len(names)} x {stored(type)}>", "poison", []
        to = f"%to{number + len(self.operands)}"
        for lane, name in enumerate(names):
            if type == BIT:
                lines.append(f"{to}.byte{lane} = zext i1 {name} to i8")
                name = f"{to}.byte{lane}"
            lines.append(f"{to}.l{lane} = insertelement {form} {value}, {stored(type)} {name}, i32 {lane}")
            value = f"{to}.l{lane}"
        size = len(names) * SIZES[stored(type)]
        return [
            *lines,
            f"{to} = getelementptr {form}, ptr %p{number + len(self.operands)}, i64 %i",
            f"store {form} {value}, ptr {to}, align {size}",
        ]

    def _strided(self) -> list[str]:
        """Returns the loop over elements by their number, which is divided into indices of the dimensions."""
        rank, lines, rest = self.layout, [], "%n"
        indices = []
        for dim in range(rank - 1, 0, -1):
            lines.append(f"%whole{dim} = udiv i32 {rest}, %size{dim}")
            lines.append(f"%back{dim} = mul i32 %whole{dim}, %size{dim}")
            lines.append(f"%index{dim} = sub i32 {rest}, %back{dim}")
            indices.append((dim, f"%index{dim}"))
            rest = f"%whole{dim}"
        indices.append((0, rest))
        wide = []
        for dim, name in indices:
            lines.append(f"%wide{dim} = zext i32 {name} to i64")
            wide.append((dim, f"%wide{dim}"))
        offsets = {}
        for i in self.moving:
            total = "0"
            for dim, name in wide:
                lines.append(f"%part{i}.{dim} = mul i64 {name}, %s{i}.{dim}")
                lines.append(f"%offset{i}.{dim} = add i64 {total}, %part{i}.{dim}")
                total = f"%offset{i}.{dim}"
            offsets[i] = total
        return [
            "%whole = zext i32 %count to i64",
            "br label %test",
            "test:",
            "%i = phi i64 [%first, %entry], [%i.next, %loop]",
            "%more = icmp ult i64 %i, %whole",
            "br i1 %more, label %loop, label %done",
            "loop:",
            "%n = trunc i64 %i to i32",
            *lines,
            *self._single(".s", offsets),
            "%i.next = add i64 %i, %step",
            "br label %test",
        ]


# The number of a thread in the grid, and the number of threads.
WHERE = [
    "%tid.64 = zext i32 %tid to i64",
    "%block.64 = zext i32 %block to i64",
    "%threads.64 = zext i32 %threads to i64",
    "%blocks.64 = zext i32 %blocks to i64",
    "%before = mul i64 %block.64, %threads.64",
    "%first = add i64 %before, %tid.64",
    "%step = mul i64 %threads.64, %blocks.64",
]


def stored(type: str) -> str:
    return STORED.get(type, type)


def joined(lines: Sequence[str]) -> str:
    return "\n  ".join(lines)
