"""Products of one line of numbers with as many others as a vector has lanes: a vector of sums for each of them.

At last the sums within the vectors are taken in a tree: each round adds the halves of two vectors and puts the results
side by side, so that one vector is left with all sums in order.
"""

import numpy as np

from rushlight.compiler.kernels.tile_product import DECLARATIONS, FMA, LOAD
from rushlight.compiler.kernels.vectors import LANES, MASK, MEMORY, alternating, vector
from rushlight.compiler.language import compiled_as
from rushlight.compiler.machine_text import Value
from rushlight.compiler.machine_types import int64

SYMBOL = "@dots"


def kernel_text() -> str:
    """The definition of the kernel. Lines beyond the last one are the last one once more."""
    masked = f"i32 4, {MASK} %mask, {MEMORY} zeroinitializer"
    lanes = ", ".join(f"i64 {lane}" for lane in range(LANES))
    zeros = f"<{LANES} x i32> zeroinitializer"
    lines = [
        f"define internal {MEMORY} {SYMBOL}(ptr %a, ptr %b, i64 %apart, i64 %depth, i64 %lines) #1 {{",
        "entry:",
        "  %last = sub i64 %lines, 1",
        *(text for lane in range(LANES) for text in place(lane)),
        "  br label %loop",
        "loop:",
        "  %p = phi i64 [ 0, %entry ], [ %next, %loop ]",
        *(f"  %s{lane} = phi {MEMORY} [ zeroinitializer, %entry ], [ %t{lane}, %loop ]" for lane in range(LANES)),
        "  %rest = sub i64 %depth, %p",
        f"  %one = insertelement <{LANES} x i64> poison, i64 %rest, i32 0",
        f"  %bound = shufflevector <{LANES} x i64> %one, <{LANES} x i64> poison, {zeros}",
        f"  %mask = icmp slt <{LANES} x i64> <{lanes}>, %bound",
        "  %at = getelementptr float, ptr %a, i64 %p",
        f"  %x = call {MEMORY} {LOAD}(ptr %at, {masked})",
    ]
    for lane in range(LANES):
        lines += [
            f"  %q{lane} = getelementptr float, ptr %b{lane}, i64 %p",
            f"  %y{lane} = call {MEMORY} {LOAD}(ptr %q{lane}, {masked})",
            f"  %t{lane} = call {MEMORY} {FMA}({MEMORY} %x, {MEMORY} %y{lane}, {MEMORY} %s{lane})",
        ]
    lines += [
        f"  %next = add i64 %p, {LANES}",
        "  %more = icmp slt i64 %next, %depth",
        "  br i1 %more, label %loop, label %end",
        "end:",
        *tree([f"%t{lane}" for lane in range(LANES)]),
    ]
    return "\n".join([*lines, "}"]) + "\n"


def place(lane: int) -> list[str]:
    """Where a line begins."""
    return [
        f"  %n{lane} = call i64 @llvm.smin.i64(i64 {lane}, i64 %last)",
        f"  %o{lane} = mul i64 %n{lane}, %apart",
        f"  %b{lane} = getelementptr float, ptr %b, i64 %o{lane}",
    ]


def tree(sums: list[str]) -> list[str]:
    """The sums within vectors, and the return of them."""
    lines = []
    while len(sums) > 1:
        half = len(sums) // 2
        pairs = list(zip(sums[:half], sums[half:], strict=True))
        sums = [f"%u{half}.{number}" for number in range(half)]
        for name, (one, other) in zip(sums, pairs, strict=True):
            for part, first in (("l", 0), ("h", LANES // 2)):
                order = ", ".join(f"i32 {each}" for each in alternating(first))
                shuffled = f"shufflevector {MEMORY} {one}, {MEMORY} {other}, <{LANES} x i32> <{order}>"
                lines.append(f"  {name}{part} = {shuffled}")
            lines.append(f"  {name} = fadd {MEMORY} {name}l, {name}h")
    return [*lines, f"  ret {MEMORY} {sums[0]}"]


def _dots(translation, *given: Value) -> Value:
    for name, text in (*DECLARATIONS.items(), (SYMBOL, kernel_text())):
        translation.unit.declare(name, text)
    numbers = ", ".join(f"i64 {translation.converted(each, int64).text}" for each in given[2:])
    return translation.emit(vector, f"call {MEMORY} {SYMBOL}(ptr {given[0].text}, ptr {given[1].text}, {numbers})")


@compiled_as(_dots)
def dots(a, b, apart, depth, lines):
    """The sums of the products of `a` with the lines of `b`, which are `apart`; those beyond the last are the last."""
    starts = [min(lane, lines - 1) * apart for lane in range(LANES)]
    return np.array([a[:depth] @ b[start : start + depth] for start in starts], np.float32)
