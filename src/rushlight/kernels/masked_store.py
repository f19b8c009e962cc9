"""The first lanes of a vector, written in pieces: for machines on which a store that masks lanes takes far longer.

AVX-512 has masks. Of AVX2's masked store a Zen 3 does one in 4 ns, twelve times as long as a whole one takes; ARM and
plain SSE have none, and LLVM asks for lane after lane. So a whole vector is stored as one, and of fewer lanes half of
the vector if there are as many, half of what is left, and so on: as many stores as the count has bits.
"""

from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import Type, int64


def store_first(translation, place: str, kind: Type, given: str, last: Value) -> None:
    """Writes the lanes before the last."""
    translation.unit.declare(symbol(kind), text(kind))
    count = translation.converted(last, int64).text
    translation.lines += stored_first(translation.label(), kind, place, given, count)


def stored_first(label: str, kind: Type, place: str, given: str, count: str) -> list[str]:
    """The lines that do it; `label` begins the names of their own."""
    return [
        f"  %{label}.full = icmp sge i64 {count}, {kind.lanes}",
        f"  br i1 %{label}.full, label %{label}.whole, label %{label}.pieces",
        f"{label}.whole:",
        f"  store {kind.memory} {given}, ptr {place}, align {kind.size}",
        f"  br label %{label}.end",
        f"{label}.pieces:",
        f"  call void {symbol(kind)}(ptr {place}, {kind.memory} {given}, i64 {count})",
        f"  br label %{label}.end",
        f"{label}.end:",
    ]


def symbol(kind: Type) -> str:
    return f"@store_first.{kind.lanes}.{kind.single.memory}"


def text(kind: Type) -> str:
    """The function that writes fewer lanes than there are, or none if the count is not positive."""
    single, lanes, met = kind.single.memory, kind.lanes, []
    lines = [
        f"define internal void {symbol(kind)}(ptr %at{lanes}, {kind.memory} %value{lanes}, i64 %count)",
        "nounwind noinline {",
        "entry:",
        "  %some = icmp sgt i64 %count, 0",
        f"  br i1 %some, label %from{lanes}, label %from1",
    ]
    while lanes > 1:
        half = lanes // 2
        part, both = f"<{half} x {single}>", f"<{lanes} x {single}> %value{lanes}, <{lanes} x {single}> poison"
        low, high = (", ".join(f"i32 {lane}" for lane in range(first, first + half)) for first in (0, half))
        lines += [
            f"from{lanes}:",
            *met,
            f"  %low{half} = shufflevector {both}, <{half} x i32> <{low}>",
            f"  %bit{half} = and i64 %count, {half}",
            f"  %is{half} = icmp ne i64 %bit{half}, 0",
            f"  br i1 %is{half}, label %write{half}, label %{'from1' if half == 1 else f'from{half}'}",
            f"write{half}:",
            f"  store {part} %low{half}, ptr %at{lanes}, align {kind.size}",
            f"  %high{half} = shufflevector {both}, <{half} x i32> <{high}>",
            f"  %next{half} = getelementptr {single}, ptr %at{lanes}, i64 {half}",
            f"  br label %from{half}",
        ]
        met = [
            f"  %at{half} = phi ptr [ %at{lanes}, %from{lanes} ], [ %next{half}, %write{half} ]",
            f"  %value{half} = phi {part} [ %low{half}, %from{lanes} ], [ %high{half}, %write{half} ]",
        ]
        lanes = half
    return "\n".join([*lines, "from1:", "  ret void", "}"]) + "\n"
