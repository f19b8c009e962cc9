"""The loop that goes through a row once, a vector at a time, in a nest over rows (`row_nest.py`).

It is written in vectors, like the hearts of elementwise formulas. A row is seldom of whole ones: of its last vector a
part is switched off, since one by one these elements would take as long as all the rest. Only what reads, what writes
and what is reduced is there twice for that; a branch that goes the same way until the last time takes no time.

Sums are taken in many parts, and in float64 from stretch to stretch, by which they are nearer to the truth than in
order. The largest is that of the elements which are no NaN: who computes with it and with each element meets the NaN.
"""

from __future__ import annotations

from rushlight.lower import emit, inner_loop, llvm
from rushlight.lower.emit import SIZES, Body, in_lanes, literal
from rushlight.lower.ir import BIT, FLOATS, WIDTHS, Untraceable, Value
from rushlight.lower.nontemporal import LINE, PREFETCH

ELEMENT, ROW, PLACE, NUMBER = "element", "row", "place", "number"
TOTAL = "double"  # the type of a row's sum while it is added up
FAR = 1 << 14  # bytes between what is written and what is asked for meanwhile
STRETCH = 32  # vectors that are added up in their own precision
REGISTERS = 4  # that one vector fills at most
MOST_LANES = 16 * REGISTERS
WIDENING = ("fpext", "sext", "zext")  # that are a part of reading
SHORT = {"half": "f16", "float": "f32", "double": "f64"}  # in the names of intrinsics


class Reduction:
    """A sum, or the largest number: the text of the steps to it."""

    def __init__(self, value: Value, name: str, lanes: int):
        self.value, self.name, self.type = value, name, value.type
        self.form, self.truth, self.sums = in_lanes(value.type, lanes), in_lanes(BIT, lanes), value.literal == "sum"
        self.start = f"<{', '.join([self.number(self.type)] * lanes)}>"
        self.symbol = f"llvm.vector.reduce.{'fadd' if self.sums else 'fmax'}.v{lanes}{SHORT[self.type]}"

    def number(self, type: str) -> str:
        """What changes nothing."""
        return f"{type} {literal(-0.0 if self.sums else float('-inf'), type)}"

    def phis(self, level: int) -> tuple[str, str]:
        """What goes on from stretch to stretch, and from vector to vector."""
        name, form, start = self.name, self.form, self.start
        if self.sums:
            first = self.number(TOTAL).split()[1]
            outer = f"phi {TOTAL} [{first}, %row{level}], [{name}.more, %rest{level}]"
        else:
            outer, start = f"phi {form} [{start}, %row{level}], [{name}.next, %rest{level}]", f"{name}.so.far"
        inner = f"phi {form} [{start}, %stretch{level}], [{name}.next, %ended{level}]"
        return f"{name}.so.far = {outer}", f"{name} = {inner}"

    def step(self) -> list[str]:
        """Takes a vector to those before it."""
        name, form = self.name, self.form
        if self.sums:
            return [f"{name}.next = fadd {form} {name}, {name}.new"]
        return [
            f"{name}.larger = fcmp ogt {form} {name}.new, {name}",
            f"{name}.next = select {self.truth} {name}.larger, {form} {name}.new, {form} {name}",
        ]

    def after_a_stretch(self) -> list[str]:
        """The sum so far."""
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
            way = "bitcast" if self.type == TOTAL else "fptrunc"
            return f"{name}.all = {way} {TOTAL} {name}.more to {self.type}"
        return f"{name}.all = call nnan {self.type} @{self.symbol}({self.form} {name}.next)"

    def declaration(self) -> str:
        return f"declare {self.type} @{self.symbol}({f'{self.type}, ' * self.sums}{self.form})"


class Loop:
    """Writes the loop of one level: a part of a nest that computes numbers of the row in `row`.

    A block `level` begins a vector, of which `all` or a `part` is read; `body` computes with it; what comes of it is
    written `past` the caches, `near` or, of a part, `cut`; by `ended` it has been taken to what is reduced.
    """

    def __init__(self, nest, level: int, row: Body, places: dict[Value, int]):
        self.nest, self.level, self.row, self.places = nest, level, row, places
        self.asked, self.kept = nest.asked(level), nest.kept_of(level)
        wanted = set(nest.results_of(level))
        self.results = [each for each in enumerate(nest.results, len(places)) if each[1] in wanted]
        self.lanes = self._lanes()
        self.body = Body(f"e{level}.", lanes=self.lanes)
        self.declared, self.truth = self.body.declared, in_lanes(BIT, self.lanes)
        self.reductions = [
            Reduction(each, f"%t{level}.{number}", self.lanes) for number, each in enumerate(nest.reductions(level))
        ]

    def _lanes(self) -> int:
        """As many as fill two registers, or more where there are no steps: one does not wait for the other."""
        steps = self.asked.steps
        if any(each.op == "call" for each in steps):
            raise Untraceable("a function of the C library, of each element of a row")
        types = [each.type for each in (*steps, *self.nest.goals(self.level)) if each.type in FLOATS]
        registers = 2 if steps else REGISTERS
        return llvm.host().lanes * 32 // max(map(WIDTHS.__getitem__, types)) * registers

    def text(self) -> list[str]:
        """Its lines. Afterwards the row knows what has been reduced."""
        level, lanes, body = self.level, self.lanes, self.body
        given: list[str] = []
        for each in self.asked.of_row:
            (name,) = self.row.compute([each])
            body.known(each, inner_loop.repeated(given, name, each.type, lanes, f".{level}"))
        read = self._read()
        body.compute([*self.nest.goals(level), *self.kept])
        for each in self.kept:
            place = f"%kept{each.number}"
            emit.store(body.lines, body.names[each], place, each.type, f"%i{level}", f"k{level}.{each.number}", lanes)
        for each in self.reductions:
            self.row.known(each.value, f"{each.name}.all")
            self.declared[each.symbol] = each.declaration()
        return [*given, *self._begun(), *read, *body.lines, *self._written(), *self._ended()]

    def _begun(self) -> list[str]:
        """Up to where a vector begins. Without sums a row is one stretch."""
        level, phis = self.level, [each.phis(self.level) for each in self.reductions]
        sums = any(each.sums for each in self.reductions)
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
        """From where a vector is done."""
        level = self.level
        return [
            f"%i{level}.next = add nuw nsw i64 %i{level}, {self.lanes}",
            f"%more{level} = icmp ult i64 %i{level}.next, %e{level}",
            f"br i1 %more{level}, label %level{level}, label %rest{level}",
            f"rest{level}:",
            *[line for each in self.reductions for line in each.after_a_stretch()],
            f"br i1 %short{level}, label %after{level}, label %stretch{level}",
            f"after{level}:",
            *[each.after_a_row() for each in self.reductions],
        ]

    # ---- what there are several ways for

    def _read(self) -> list[str]:
        """Reads what is asked for of each element."""
        level = self.level
        places: list[str] = []
        whole: list[str] = []
        body: list[str] = []
        part = self._mask("some")
        for each in self.asked.read:
            name, raw = f"%x{level}.{each.number}", each.args[0] if each.op in WIDENING else each
            places.append(f"{name}.at = getelementptr {raw.type}, ptr {self._place(raw)}, i64 %i{level}")
            ways = self._loads(each, raw, f"{name}.whole", whole), self._loads(each, raw, f"{name}.part", part)
            form = self.body.form(each.type)
            body.append(f"{name} = phi {form} [{ways[0]}, %all{level}], [{ways[1]}, %part{level}]")
            self.body.known(each, name)
        return [
            *places,
            f"br i1 %whole{level}, label %all{level}, label %part{level}",
            *(f"all{level}:", *whole, f"br label %body{level}"),
            *(f"part{level}:", *part, f"br label %body{level}"),
            *(f"body{level}:", *body),
        ]

    def _loads(self, value: Value, raw: Value, name: str, lines: list[str]) -> str:
        """One of both ways to read a vector, zeros where it ends: numbers that nobody wrote may take very long.

        It is widened where it is read, which the processor does in one step; LLVM would move that behind both ways if
        they did the same.
        """
        form, wide, size = self.body.form(raw.type), self.body.form(value.type), SIZES[raw.type]
        at, _, way = name.rpartition(".")
        if way == "whole":
            lines.append(f"{name} = load {form}, ptr {at}.at, align {size}")
        else:
            symbol = self._masked("load", raw.type, "{form} {symbol}(ptr, i32, {truth}, {form})")
            mask = f"{self.truth} %some{self.level}.mask"
            lines.append(f"{name} = call {form} {symbol}(ptr {at}.at, i32 {size}, {mask}, {form} zeroinitializer)")
        if raw is value:
            return name
        lines.append(f"{name}.wide = {value.op} {form} {name} to {wide}")
        if way == "whole":
            return f"{name}.wide"
        lines.append(f"{name}.alike = select {mask}, {wide} {name}.wide, {wide} zeroinitializer")
        return f"{name}.alike"

    def _place(self, value: Value) -> str:
        if value not in self.places:
            return f"%kept{value.number}"
        return f"%{'p' if self.nest.operands[value] == PLACE else 'line'}{self.places[value]}"

    def _written(self) -> list[str]:
        """Stores results, and takes what is reduced to what was before."""
        level, ways = self.level, ("past", "near") if self.results else ("body",)
        lines = [
            f"%to{number} = getelementptr {each.type}, ptr %line{number}, i64 %i{level}"
            for number, each in self.results
        ]
        if self.results:
            lines += [
                f"br i1 %whole{level}, label %both{level}, label %cut{level}",
                f"both{level}:",
                f"br i1 %past, label %past{level}, label %near{level}",
                *(f"past{level}:", *self._asked_far(), *self._stores("past"), f"br label %ended{level}"),
                *(f"near{level}:", *self._stores("near"), f"br label %ended{level}"),
            ]
        else:
            lines += [f"br i1 %whole{level}, label %ended{level}, label %cut{level}"]
        lines += [f"cut{level}:", *self._mask("kept"), *self._stores("cut")]
        phis = []
        for each in self.reductions:
            name = self.body.names[each.value.args[0]]
            found = f"{self.truth} %kept{level}.mask, {each.form} {name}, {each.form} {each.start}"
            lines.append(f"{each.name}.cut = select {found}")
            entries = [f"[{name}, %{way}{level}]" for way in ways]
            phis.append(f"{each.name}.new = phi {each.form} {', '.join(entries)}, [{each.name}.cut, %cut{level}]")
        steps = [line for each in self.reductions for line in each.step()]
        return [*lines, f"br label %ended{level}", f"ended{level}:", *phis, *steps]

    def _stores(self, way: str) -> list[str]:
        lines = []
        for number, each in self.results:
            form, size, at = self.body.form(each.type), SIZES[each.type], f"ptr %to{number}"
            value, line = f"{form} {self.body.names[each]}", min(self.lanes * size, LINE)
            if way == "cut":
                symbol = self._masked("store", each.type, "void {symbol}({form}, ptr, i32, {truth})")
                lines.append(f"call void {symbol}({value}, {at}, i32 {size}, {self.truth} %kept{self.level}.mask)")
            else:
                said = f"{line}, !nontemporal !0" if way == "past" else size
                lines.append(f"store {value}, {at}, align {said}")
        return lines

    def _asked_far(self) -> list[str]:
        """Asks for rows to come of several operands: while results go past the caches, processors do not foresee them.

        One operand alone is asked for before the row is gone through.
        """
        elements = [each for each, kind in self.nest.operands.items() if kind == ELEMENT]
        if len(elements) < 2:
            return []
        self.declared["llvm.prefetch"] = PREFETCH
        lines = []
        for each in elements:
            line, size = f"%line{self.places[each]}", SIZES[each.type]
            for at in range(0, self.lanes * size, LINE):
                name = f"%far{self.level}.{self.places[each]}.{at}"
                lines += [
                    f"{name}.place = getelementptr {each.type}, ptr {line}, i64 %i{self.level}",
                    f"{name} = getelementptr i8, ptr {name}.place, i64 {FAR + at}",
                    f"call void @llvm.prefetch.p0(ptr {name}, i32 0, i32 2, i32 1)",
                ]
        return lines

    def _masked(self, what: str, type: str, declaration: str) -> str:
        """The function that reads or writes a part of a vector."""
        form, symbol = self.body.form(type), f"@llvm.masked.{what}.v{self.lanes}{SHORT.get(type, type)}.p0"
        self.declared[symbol] = f"declare {declaration.format(form=form, symbol=symbol, truth=self.truth)}"
        return symbol

    def _mask(self, name: str) -> list[str]:
        """The lanes of the elements that are left, where these are fewer."""
        name, word = f"%{name}{self.level}", f"i{self.lanes}"
        return [
            f"{name}.left = {'bitcast' if word == 'i64' else 'trunc'} i64 %left{self.level} to {word}",
            f"{name}.beyond = shl {word} -1, {name}.left",
            f"{name}.bits = xor {word} {name}.beyond, -1",
            f"{name}.mask = bitcast {word} {name}.bits to {self.truth}",
        ]
