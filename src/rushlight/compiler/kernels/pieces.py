"""The first lanes of a vector, written in pieces: for machines on which a store that masks lanes takes far longer.

AVX-512 has masks. Of AVX2's masked store a Zen 3 does one in 4 ns, twelve times as long as a whole one takes; ARM and
plain SSE have none, and LLVM asks for lane after lane. So a whole vector is stored as one, and of fewer lanes half of
the vector if there are as many, half of what is left, and so on: as many stores as the count has bits.
"""

from rushlight.compiler.machine_text import Value
from rushlight.compiler.machine_types import Type, boolean, int64


def store_first(translation, place: str, kind: Type, given: str, last: Value) -> None:
    """Writes the lanes before the last."""
    count, name = translation.converted(last, int64).text, f"@store_first.{kind.lanes}.{kind.single.memory}"
    translation.unit.declare(name, text(name, kind))
    whole, pieces, end = translation.label(), translation.label(), translation.label()
    translation.branch(translation.emit(boolean, f"icmp sge i64 {count}, {kind.lanes}"), whole, pieces)
    translation.line(f"{whole}:")
    translation.line(f"store {kind.memory} {given}, ptr {place}, align {kind.size}")
    translation.line(f"br label %{end}")
    translation.line(f"{pieces}:")
    translation.line(f"call void {name}(ptr {place}, {kind.memory} {given}, i64 {count})")
    translation.place(end)


def text(name: str, kind: Type) -> str:
    """A function that writes fewer lanes than there are, or none if the count is not positive."""
    single, lanes, met = kind.single.memory, kind.lanes, []
    lines = [
        f"define internal void {name}(ptr %at{lanes}, {kind.memory} %value{lanes}, i64 %count) #1 {{",
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
