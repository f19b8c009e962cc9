"""Sums of rows in an inner loop (`inner_loop.py`): of values that it computes, in the order of `kernels/reduce.py`.

Four groups of `width` accumulators are in memory. The elements of a row go to them in turn; those after the last
whole turn go to the first group. At the end of a row the groups are added in pairs, then the halves of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.lower.emit import SIZES, in_lanes
from rushlight.lower.ir import Value

GROUPS = 4


class RowSums:
    """Writes the sums of some values; `numbers` are those of the pointers to the sums of rows."""

    def __init__(self, values: Sequence[Value], numbers: Sequence[int], lanes: int, width: int):
        if lanes > width:
            raise ValueError(f"{lanes} elements at once for sums in {width} parts")
        self.values, self.numbers, self.lanes, self.width = values, numbers, lanes, width
        self.turn = GROUPS * width

    def entry(self) -> list[str]:
        """Returns the lines before the loops."""
        lines = [f"%turns = and i64 %count, {-self.turn}"]
        for at, value in enumerate(self.values):
            lines.append(f"%sum{at} = alloca [{self.turn} x {value.type}], align 64")
            lines.append(f"%shift{at} = alloca [{2 * self.lanes} x {value.type}], align 64")
            rest, form = f"%shift{at}.rest", in_lanes(value.type, self.lanes)
            lines.append(f"{rest} = getelementptr {value.type}, ptr %shift{at}, i64 {self.lanes}")
            lines.append(f"store {form} zeroinitializer, ptr {rest}, align {SIZES[value.type]}")
        return lines

    def begin(self) -> list[str]:
        """Returns the lines at the begin of a row."""
        lines = []
        for at, value in enumerate(self.values):
            form = in_lanes(value.type, self.width)
            for group in range(GROUPS):
                place = f"%sum{at}.zero{group}"
                lines.append(f"{place} = getelementptr {value.type}, ptr %sum{at}, i64 {group * self.width}")
                lines.append(f"store {form} zeroinitializer, ptr {place}, align {SIZES[value.type]}")
        return lines

    def add(self, names: Sequence[str], block: str) -> list[str]:
        """Returns the lines that add a vector, after a block; the first `%old` elements of it were added before."""
        lines = ["%is.old = icmp ne i64 %old, 0", "br i1 %is.old, label %shifting, label %adding", "shifting:"]
        pairs = list(zip(self.values, names, strict=True))
        for at, (value, name) in enumerate(pairs):
            form, size = in_lanes(value.type, self.lanes), SIZES[value.type]
            lines += [
                f"store {form} {name}, ptr %shift{at}, align {size}",
                f"%shift{at}.at = getelementptr {value.type}, ptr %shift{at}, i64 %old",
                f"%shift{at}.new = load {form}, ptr %shift{at}.at, align {size}",
            ]
        lines += ["br label %adding", "adding:"]
        for at, (value, name) in enumerate(pairs):
            form = in_lanes(value.type, self.lanes)
            lines.append(f"%added{at} = phi {form} [{name}, %{block}], [%shift{at}.new, %shifting]")
        lines += [
            "%new.at = add i64 %i, %old",
            "%in.turn = icmp ult i64 %new.at, %turns",
            f"%turn.at = and i64 %new.at, {self.turn - 1}",
            f"%first.at = and i64 %new.at, {self.width - 1}",
            "%sum.at = select i1 %in.turn, i64 %turn.at, i64 %first.at",
        ]
        for at, value in enumerate(self.values):
            form, size = in_lanes(value.type, self.lanes), SIZES[value.type]
            lines += [
                f"%sum{at}.at = getelementptr {value.type}, ptr %sum{at}, i64 %sum.at",
                f"%sum{at}.before = load {form}, ptr %sum{at}.at, align {size}",
                f"%sum{at}.after = fadd {form} %sum{at}.before, %added{at}",
                f"store {form} %sum{at}.after, ptr %sum{at}.at, align {size}",
            ]
        return lines

    def end(self) -> list[str]:
        """Returns the lines that store the sums of a row."""
        lines = []
        for at, (value, number) in enumerate(zip(self.values, self.numbers, strict=True)):
            form, name = in_lanes(value.type, self.width), f"%all{at}"
            for group in range(GROUPS):
                lines.append(f"{name}.g{group}.at = getelementptr {value.type}, ptr %sum{at}, i64 {group * self.width}")
                lines.append(f"{name}.g{group} = load {form}, ptr {name}.g{group}.at, align {SIZES[value.type]}")
            lines.append(f"{name}.low = fadd {form} {name}.g0, {name}.g1")
            lines.append(f"{name}.high = fadd {form} {name}.g2, {name}.g3")
            lines.append(f"{name}.w{self.width} = fadd {form} {name}.low, {name}.high")
            lanes = self.width
            while lanes > 1:
                form, half = in_lanes(value.type, lanes), lanes // 2
                for part, first in (("a", 0), ("b", half)):
                    order = ", ".join([f"i32 {lane}" for lane in range(first, first + half)])
                    order, whole = f"<{half} x i32> <{order}>", f"{name}.w{lanes}"
                    lines.append(f"{whole}.{part} = shufflevector {form} {whole}, {form} poison, {order}")
                small = in_lanes(value.type, half)
                lines.append(f"{name}.w{half} = fadd {small} {name}.w{lanes}.a, {name}.w{lanes}.b")
                lanes = half
            lines.append(f"{name} = extractelement <1 x {value.type}> {name}.w1, i32 0")
            lines.append(f"store {value.type} {name}, ptr %p{number}, align {SIZES[value.type]}")
        return lines
