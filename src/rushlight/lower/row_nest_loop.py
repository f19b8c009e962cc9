"""The loop over one row, a vector at a time, in a nest over rows (`row_nest.py`).

It is emitted in vectors, like the inner loops of elementwise formulas. The last vector of a row is usually partial and
masked, since a scalar loop would take as long as the rest. Only loads, stores and reductions exist in both forms; the
branch is predicted until the last vector.

Sums have many partial sums in T, which are added in float64 per stretch: more accurate than sequential ones. The
maximum ignores NaN; a formula that combines it with every element produces NaN anyway.
"""

from __future__ import annotations

from rushlight.lower import emit, inner_loop, llvm
from rushlight.lower.emit import SIZES, Body, in_lanes, literal
from rushlight.lower.ir import BIT, FLOATS, WIDTHS, Untraceable, Value
from rushlight.lower.nontemporal import LINE, PREFETCH

ELEMENT, ROW, POSITION, NUMBER = "element", "row", "place", "number"
TOTAL = "double"  # the type of a row's sum
FAR = 1 << 14  # bytes from what is stored to what is prefetched
STRETCH = 32  # vectors that are summed in their own precision
REGISTERS = 4  # per vector, at most
MOST_LANES = 16 * REGISTERS
WIDENING = ("fpext", "sext", "zext")  # conversions that are part of a load
SHORT = {"half": "f16", "float": "f32", "double": "f64"}  # in the names of intrinsics


class Reduction:
    """The text of a sum or maximum."""

    def __init__(self, value: Value, name: str, lanes: int):
        self.value, self.name, self.type = value, name, value.type
        self.form, self.truth, self.sums = in_lanes(value.type, lanes), in_lanes(BIT, lanes), value.literal == "sum"
        self.start = f"<{', '.join([self.number(self.type)] * lanes)}>"
        self.symbol = f"llvm.vector.reduce.{'fadd' if self.sums else 'fmax'}.v{lanes}{SHORT[self.type]}"

    def number(self, type: str) -> str:
        """Returns the neutral element."""
        return f"{type} {literal(-0.0 if self.sums else float('-inf'), type)}"

    def phis(self, level: int) -> tuple[str, str]:
        """Returns the accumulators per stretch and per vector."""
        name, form, start = self.name, self.form, self.start
        if self.sums:
            first = self.number(TOTAL).split()[1]
            outer = f"phi {TOTAL} [{first}, %row{level}], [{name}.more, %rest{level}]"
        else:
            outer, start = f"phi {form} [{start}, %row{level}], [{name}.next, %rest{level}]", f"{name}.so.far"
        inner = f"phi {form} [{start}, %stretch{level}], [{name}.next, %ended{level}]"
        return f"{name}.so.far = {outer}", f"{name} = {inner}"

    def step(self) -> list[str]:
        """Returns the step that adds a vector."""
        name, form = self.name, self.form
        if self.sums:
            return [f"{name}.next = fadd {form} {name}, {name}.new"]
        return [
            f"{name}.larger = fcmp ogt {form} {name}.new, {name}",
            f"{name}.next = select {self.truth} {name}.larger, {form} {name}.new, {form} {name}",
        ]

    def after_a_stretch(self) -> list[str]:
        """Returns the lines that add a stretch to the sum."""
        if not self.sums:
            return []
        name, first = self.name, self.number(self.type)
        return [
            f"{name}.one = call reassoc {self.type} @{self.symbol}({first}, {self.form} {name}.next)",
            f"{name}.wide = {'bitcast' if self.type == TOTAL else 'fpext'} {self.type} {name}.one to {TOTAL}",
            f"{name}.more = fadd {TOTAL} {name}.so.far, {name}.wide",
        ]

    def after_a_row(self) -> str:
        name = self.name
        if self.sums:
            conversion = "bitcast" if self.type == TOTAL else "fptrunc"
            return f"{name}.all = {conversion} {TOTAL} {name}.more to {self.type}"
        return f"{name}.all = call nnan {self.type} @{self.symbol}({self.form} {name}.next)"

    def declaration(self) -> str:
        return f"declare {self.type} @{self.symbol}({f'{self.type}, ' * self.sums}{self.form})"


class Loop:
    """Writes the loop of one level; `row` gets the reductions.

    Block `level` begins a vector, which is loaded by `all` or `part`; `body` computes; results are stored by `past`
    (non-temporal), `near` or, if partial, `cut`; `ended` updates the reductions.
    """

    def __init__(self, nest, level: int, row: Body, places: dict[Value, int]):
        self.nest, self.level, self.row, self.places = nest, level, row, places
        self.loads, self.kept = nest.loads(level), nest.kept_of(level)
        level_results = set(nest.results_of(level))
        self.results = [x for x in enumerate(nest.results, len(places)) if x[1] in level_results]
        self.lanes = self._lanes()
        self.body = Body(f"e{level}.", lanes=self.lanes)
        self.declared, self.truth = self.body.declared, in_lanes(BIT, self.lanes)
        self.reductions = [
            Reduction(x, f"%t{level}.{number}", self.lanes) for number, x in enumerate(nest.reductions(level))
        ]

    def _lanes(self) -> int:
        """Returns the elements per step: two registers, or more for loops without steps, to hide latency."""
        steps = self.loads.steps
        if any(v.op == "call" for v in steps):
            raise Untraceable("a function of the C library, of each element of a row")
        types = [v.type for v in (*steps, *self.nest.goals(self.level)) if v.type in FLOATS]
        registers = 2 if steps else REGISTERS
        return llvm.host().lanes * 32 // max(map(WIDTHS.__getitem__, types)) * registers

    def text(self) -> list[str]:
        """Returns the lines of the loop; afterwards the row has the reductions."""
        level, lanes, body = self.level, self.lanes, self.body
        row_values: list[str] = []
        for value in self.loads.of_row:
            (name,) = self.row.compute([value])
            body.known(value, inner_loop.splat(row_values, name, value.type, lanes, f".{level}"))
        read = self._read()
        body.compute([*self.nest.goals(level), *self.kept])
        for value in self.kept:
            buffer = f"%kept{value.number}"
            emit.store(
                body.lines, body.names[value], buffer, value.type, f"%i{level}", f"k{level}.{value.number}", lanes
            )
        for value in self.reductions:
            self.row.known(value.value, f"{value.name}.all")
            self.declared[value.symbol] = value.declaration()
        return [*row_values, *self._begun(), *read, *body.lines, *self._written(), *self._ended()]

    def _begun(self) -> list[str]:
        """Returns the lines up to the start of a vector. Without sums a row is one stretch."""
        level, phis = self.level, [reduction.phis(self.level) for reduction in self.reductions]
        sums = any(reduction.sums for reduction in self.reductions)
        return [
            f"br label %row{level}",
            f"row{level}:",
            f"br label %stretch{level}",
            f"stretch{level}:",
            f"%b{level} = phi i64 [0, %row{level}], [%far{level}, %rest{level}]",
            *[outer for outer, _ in phis],
            f"%far{level} = add nuw nsw i64 %b{level}, {STRETCH * self.lanes}",
            f"%short{level} = {f'icmp uge i64 %far{level}, %length' if sums else 'or i1 true, true'}",
            f"%e{level} = select i1 %short{level}, i64 %length, i64 %far{level}",
            f"br label %level{level}",
            f"level{level}:",
            f"%i{level} = phi i64 [%b{level}, %stretch{level}], [%i{level}.next, %ended{level}]",
            *[inner for _, inner in phis],
            f"%left{level} = sub i64 %length, %i{level}",
            f"%whole{level} = icmp uge i64 %left{level}, {self.lanes}",
        ]

    def _ended(self) -> list[str]:
        """Returns the lines after a vector."""
        level = self.level
        return [
            f"%i{level}.next = add nuw nsw i64 %i{level}, {self.lanes}",
            f"%more{level} = icmp ult i64 %i{level}.next, %e{level}",
            f"br i1 %more{level}, label %level{level}, label %rest{level}",
            f"rest{level}:",
            *[line for reduction in self.reductions for line in reduction.after_a_stretch()],
            f"br i1 %short{level}, label %after{level}, label %stretch{level}",
            f"after{level}:",
            *[reduction.after_a_row() for reduction in self.reductions],
        ]

    # ---- code in several variants

    def _read(self) -> list[str]:
        """Returns the loads of a pass."""
        level = self.level
        addresses: list[str] = []
        whole: list[str] = []
        body: list[str] = []
        part = self._mask("some")
        for value in self.loads.read:
            name, raw = f"%x{level}.{value.number}", value.args[0] if value.op in WIDENING else value
            addresses.append(f"{name}.at = getelementptr {raw.type}, ptr {self._place(raw)}, i64 %i{level}")
            variants = self._loads(value, raw, f"{name}.whole", whole), self._loads(value, raw, f"{name}.part", part)
            form = self.body.form(value.type)
            body.append(f"{name} = phi {form} [{variants[0]}, %all{level}], [{variants[1]}, %part{level}]")
            self.body.known(value, name)
        return [
            *addresses,
            f"br i1 %whole{level}, label %all{level}, label %part{level}",
            *(f"all{level}:", *whole, f"br label %body{level}"),
            *(f"part{level}:", *part, f"br label %body{level}"),
            *(f"body{level}:", *body),
        ]

    def _loads(self, value: Value, raw: Value, name: str, lines: list[str]) -> str:
        """Appends one variant of a load, with zeros past the end: leftover memory may hold denormals.

        Conversion is part of the load, one instruction; if both variants were equal LLVM would move it out.
        """
        form, wide, size = self.body.form(raw.type), self.body.form(value.type), SIZES[raw.type]
        base, _, variant = name.rpartition(".")
        if variant == "whole":
            lines.append(f"{name} = load {form}, ptr {base}.at, align {size}")
        else:
            symbol = self._masked("load", raw.type, "{form} {symbol}(ptr, i32, {truth}, {form})")
            mask = f"{self.truth} %some{self.level}.mask"
            lines.append(f"{name} = call {form} {symbol}(ptr {base}.at, i32 {size}, {mask}, {form} zeroinitializer)")
        if raw is value:
            return name
        lines.append(f"{name}.wide = {value.op} {form} {name} to {wide}")
        if variant == "whole":
            return f"{name}.wide"
        lines.append(f"{name}.alike = select {mask}, {wide} {name}.wide, {wide} zeroinitializer")
        return f"{name}.alike"

    def _place(self, value: Value) -> str:
        if value not in self.places:
            return f"%kept{value.number}"
        return f"%{'p' if self.nest.operands[value] == POSITION else 'line'}{self.places[value]}"

    def _written(self) -> list[str]:
        """Returns the stores of results and the updates of reductions."""
        level, variants = self.level, ("past", "near") if self.results else ("body",)
        lines = [
            f"%to{number} = getelementptr {item.type}, ptr %line{number}, i64 %i{level}"
            for number, item in self.results
        ]
        if self.results:
            lines += [
                f"br i1 %whole{level}, label %both{level}, label %cut{level}",
                f"both{level}:",
                f"br i1 %past, label %past{level}, label %near{level}",
                *(f"past{level}:", *self._prefetch_far(), *self._stores("past"), f"br label %ended{level}"),
                *(f"near{level}:", *self._stores("near"), f"br label %ended{level}"),
            ]
        else:
            lines += [f"br i1 %whole{level}, label %ended{level}, label %cut{level}"]
        lines += [f"cut{level}:", *self._mask("kept"), *self._stores("cut")]
        phis = []
        for item in self.reductions:
            name = self.body.names[item.value.args[0]]
            operands = f"{self.truth} %kept{level}.mask, {item.form} {name}, {item.form} {item.start}"
            lines.append(f"{item.name}.cut = select {operands}")
            entries = [f"[{name}, %{variant}{level}]" for variant in variants]
            phis.append(f"{item.name}.new = phi {item.form} {', '.join(entries)}, [{item.name}.cut, %cut{level}]")
        steps = [line for item in self.reductions for line in item.step()]
        return [*lines, f"br label %ended{level}", f"ended{level}:", *phis, *steps]

    def _stores(self, variant: str) -> list[str]:
        lines = []
        for number, result in self.results:
            form, size, target = self.body.form(result.type), SIZES[result.type], f"ptr %to{number}"
            value, line = f"{form} {self.body.names[result]}", min(self.lanes * size, LINE)
            if variant == "cut":
                symbol = self._masked("store", result.type, "void {symbol}({form}, ptr, i32, {truth})")
                lines.append(f"call void {symbol}({value}, {target}, i32 {size}, {self.truth} %kept{self.level}.mask)")
            else:
                hints = f"{line}, !nontemporal !0" if variant == "past" else size
                lines.append(f"store {value}, {target}, align {hints}")
        return lines

    def _prefetch_far(self) -> list[str]:
        """Returns prefetches of several operands: during non-temporal stores the hardware does not prefetch well.

        A single operand is prefetched before the row.
        """
        elements = [value for value, role in self.nest.operands.items() if role == ELEMENT]
        if len(elements) < 2:
            return []
        self.declared["llvm.prefetch"] = PREFETCH
        lines = []
        for value in elements:
            line, size = f"%line{self.places[value]}", SIZES[value.type]
            for byte in range(0, self.lanes * size, LINE):
                name = f"%far{self.level}.{self.places[value]}.{byte}"
                lines += [
                    f"{name}.place = getelementptr {value.type}, ptr {line}, i64 %i{self.level}",
                    f"{name} = getelementptr i8, ptr {name}.place, i64 {FAR + byte}",
                    f"call void @llvm.prefetch.p0(ptr {name}, i32 0, i32 2, i32 1)",
                ]
        return lines

    def _masked(self, what: str, type: str, declaration: str) -> str:
        """Returns the intrinsic for a masked load or store."""
        form, symbol = self.body.form(type), f"@llvm.masked.{what}.v{self.lanes}{SHORT.get(type, type)}.p0"
        self.declared[symbol] = f"declare {declaration.format(form=form, symbol=symbol, truth=self.truth)}"
        return symbol

    def _mask(self, name: str) -> list[str]:
        """Returns the mask of the remaining elements."""
        name, word = f"%{name}{self.level}", f"i{self.lanes}"
        return [
            f"{name}.left = {'bitcast' if word == 'i64' else 'trunc'} i64 %left{self.level} to {word}",
            f"{name}.beyond = shl {word} -1, {name}.left",
            f"{name}.bits = xor {word} {name}.beyond, -1",
            f"{name}.mask = bitcast {word} {name}.bits to {self.truth}",
        ]
