"""Dot products of one row with as many other rows as a vector has lanes (float32; the rows also in half precision).

Each row has a vector accumulator. At the end these are reduced as a tree: each round adds halves of two vectors and
interleaves the results, so that one vector holds all sums in order.
"""

from functools import partial

import numpy as np

from rushlight.kernels.gemm_tile import DECLARATIONS, FMA, LOAD
from rushlight.kernels.vectors import LANES, MASK, MEMORY, alternating, vector
from rushlight.lower.language import compiled_as
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import int64

SYMBOL = "@dots"
WIDE = f"<{LANES} x i32>"
SHORT = {"half": "f16", "i16": "i16"}  # half precision types in memory, and in the names of intrinsics


def kernel_text() -> str:
    """Returns the LLVM definition of the kernel; rows past the last repeat it."""
    masked = f"i32 4, {MASK} %mask, {MEMORY} zeroinitializer"
    lanes = ", ".join(f"i64 {lane}" for lane in range(LANES))
    zeros = f"<{LANES} x i32> zeroinitializer"
    lines = [
        f"define private {MEMORY} {SYMBOL}(ptr %a, ptr %b, i64 %apart, i64 %depth, i64 %lines) #1 {{",
        "entry:",
        "  %last = sub i64 %lines, 1",
        *(text for lane in range(LANES) for text in row_start(lane)),
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


def half_kernel_text(form: str) -> str:
    """Returns the kernel for rows in half precision, which are widened; only the rest is read with a mask."""
    lanes = ", ".join(f"i64 {lane}" for lane in range(LANES))
    zeros = f"<{LANES} x i32> zeroinitializer"
    read = f"declare <{LANES} x {form}> @llvm.masked.load.v{LANES}{SHORT[form]}.p0"
    name = read.split()[-1]
    lines = [
        f"{read}(ptr, i32, {MASK}, <{LANES} x {form}>)",
        f"define private {MEMORY} {SYMBOL}.{form}(ptr %a, ptr %b, i64 %apart, i64 %depth, i64 %lines) #1 {{",
        "entry:",
        "  %last = sub i64 %lines, 1",
        *(
            text.replace("getelementptr float", f"getelementptr {form}")
            for lane in range(LANES)
            for text in row_start(lane)
        ),
        f"  %whole = and i64 %depth, {-LANES}",
        "  %some = icmp sgt i64 %whole, 0",
        "  br i1 %some, label %loop, label %rest",
        "loop:",
        "  %p = phi i64 [ 0, %entry ], [ %next, %loop ]",
        *(f"  %s{lane} = phi {MEMORY} [ zeroinitializer, %entry ], [ %t{lane}, %loop ]" for lane in range(LANES)),
        "  %at = getelementptr float, ptr %a, i64 %p",
        f"  %x = load {MEMORY}, ptr %at, align 4",
        *(
            line
            for lane in range(LANES)
            for line in product_of(lane, form, "p", "x", "s", "t", f"load <{LANES} x {form}>, ptr {{}}, align 2")
        ),
        f"  %next = add i64 %p, {LANES}",
        "  %more = icmp slt i64 %next, %whole",
        "  br i1 %more, label %loop, label %rest",
        "rest:",
        *(f"  %r{lane} = phi {MEMORY} [ zeroinitializer, %entry ], [ %t{lane}, %loop ]" for lane in range(LANES)),
        "  %left = sub i64 %depth, %whole",
        "  %cuts = icmp sgt i64 %left, 0",
        "  br i1 %cuts, label %cut, label %end",
        "cut:",
        f"  %one = insertelement <{LANES} x i64> poison, i64 %left, i32 0",
        f"  %bound = shufflevector <{LANES} x i64> %one, <{LANES} x i64> poison, {zeros}",
        f"  %mask = icmp slt <{LANES} x i64> <{lanes}>, %bound",
        "  %behind = getelementptr float, ptr %a, i64 %whole",
        f"  %z = call {MEMORY} {LOAD}(ptr %behind, i32 4, {MASK} %mask, {MEMORY} zeroinitializer)",
    ]
    masked = f"call <{LANES} x {form}> {name}(ptr {{}}, i32 2, {MASK} %mask, <{LANES} x {form}> zeroinitializer)"
    for lane in range(LANES):
        lines += product_of(lane, form, "whole", "z", "r", "c", masked)
    lines += [
        "  br label %end",
        "end:",
        *(f"  %e{lane} = phi {MEMORY} [ %r{lane}, %rest ], [ %c{lane}, %cut ]" for lane in range(LANES)),
        *tree([f"%e{lane}" for lane in range(LANES)]),
    ]
    return "\n".join([*lines, "}"]) + "\n"


def product_of(lane: int, form: str, at: str, x: str, sum: str, out: str, read: str) -> list[str]:
    """Returns the code that adds the product with widened elements of a row (loaded by `read`) to its sum."""
    name = f"%{out}{lane}"
    widened = [f"  {name}.wide = fpext <{LANES} x half> {name}.half to {MEMORY}"]
    if form == "i16":  # bfloat16 is the upper half of float32
        widened = [
            f"  {name}.long = zext <{LANES} x i16> {name}.half to {WIDE}",
            f"  {name}.up = shl {WIDE} {name}.long, splat (i32 16)",
            f"  {name}.wide = bitcast {WIDE} {name}.up to {MEMORY}",
        ]
    return [
        f"  {name}.at = getelementptr {form}, ptr %b{lane}, i64 %{at}",
        f"  {name}.half = {read.format(f'{name}.at')}",
        *widened,
        f"  {name} = call {MEMORY} {FMA}({MEMORY} %{x}, {MEMORY} {name}.wide, {MEMORY} %{sum}{lane})",
    ]


def row_start(lane: int) -> list[str]:
    """Returns the code that computes the start of a row."""
    return [
        f"  %n{lane} = call i64 @llvm.smin.i64(i64 {lane}, i64 %last)",
        f"  %o{lane} = mul i64 %n{lane}, %apart",
        f"  %b{lane} = getelementptr float, ptr %b, i64 %o{lane}",
    ]


def tree(sums: list[str]) -> list[str]:
    """Returns the code that reduces vectors to one vector of their sums and returns it."""
    lines = []
    while len(sums) > 1:
        half = len(sums) // 2
        pairs = list(zip(sums[:half], sums[half:], strict=True))
        sums = [f"%u{half}.{number}" for number in range(half)]
        for name, (a, b) in zip(sums, pairs, strict=True):
            for part, first in (("l", 0), ("h", LANES // 2)):
                order = ", ".join(f"i32 {lane}" for lane in alternating(first))
                shuffled = f"shufflevector {MEMORY} {a}, {MEMORY} {b}, <{LANES} x i32> <{order}>"
                lines.append(f"  {name}{part} = {shuffled}")
            lines.append(f"  {name} = fadd {MEMORY} {name}l, {name}h")
    return [*lines, f"  ret {MEMORY} {sums[0]}"]


def _dots(translation, *args: Value) -> Value:
    form = args[1].type.element.memory
    symbol, text = (SYMBOL, kernel_text) if form == "float" else (f"{SYMBOL}.{form}", partial(half_kernel_text, form))
    for name, item in (*DECLARATIONS.items(), (symbol, text())):
        translation.unit.declare(name, item)
    numbers = ", ".join(f"i64 {translation.converted(item, int64).text}" for item in args[2:])
    return translation.emit(vector, f"call {MEMORY} {symbol}(ptr {args[0].text}, ptr {args[1].text}, {numbers})")


@compiled_as(_dots)
def dots(a, b, apart, depth, lines):
    """Returns the dot products of `a` with the rows of `b`, of stride `apart`; rows past the last repeat it."""
    starts = [min(lane, lines - 1) * apart for lane in range(LANES)]
    return np.array([a[:depth] @ b[start : start + depth].astype(np.float32) for start in starts], np.float32)
