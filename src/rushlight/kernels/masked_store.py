"""Stores the first lanes of a vector in pieces, for machines with slow masked stores.

AVX-512 has masks. A masked store of AVX2 takes 4 ns on Zen 3, twelve times as long as a full store; ARM and plain SSE
have none, and LLVM stores lane by lane. So a full vector is one store; otherwise half a vector if there are as many
lanes, half of the rest, and so on: as many stores as the count has set bits.
"""

from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import Type, int64


def store_first(translation, address: str, vector_type: Type, value: str, last: Value) -> None:
    """Emits the store of the lanes before `last`."""
    translation.unit.declare(symbol(vector_type), text(vector_type))
    count = translation.converted(last, int64).text
    translation.lines += stored_first(translation.label(), vector_type, address, value, count)


def stored_first(label: str, vector_type: Type, address: str, value: str, count: str) -> list[str]:
    """Returns the lines of the store; `label` prefixes their names."""
    return [
        f"  %{label}.full = icmp sge i64 {count}, {vector_type.lanes}",
        f"  br i1 %{label}.full, label %{label}.whole, label %{label}.pieces",
        f"{label}.whole:",
        f"  store {vector_type.memory} {value}, ptr {address}, align {vector_type.size}",
        f"  br label %{label}.end",
        f"{label}.pieces:",
        f"  call void {symbol(vector_type)}(ptr {address}, {vector_type.memory} {value}, i64 {count})",
        f"  br label %{label}.end",
        f"{label}.end:",
    ]


def symbol(vector_type: Type) -> str:
    return f"@store_first.{vector_type.lanes}.{vector_type.single.memory}"


def text(vector_type: Type) -> str:
    """Returns the function that stores fewer lanes than a vector has; none if the count is not positive."""
    single, lanes, phis = vector_type.single.memory, vector_type.lanes, []
    lines = [
        f"define private void {symbol(vector_type)}(ptr %at{lanes}, {vector_type.memory} %value{lanes}, i64 %count)",
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
            *phis,
            f"  %low{half} = shufflevector {both}, <{half} x i32> <{low}>",
            f"  %bit{half} = and i64 %count, {half}",
            f"  %is{half} = icmp ne i64 %bit{half}, 0",
            f"  br i1 %is{half}, label %write{half}, label %{'from1' if half == 1 else f'from{half}'}",
            f"write{half}:",
            f"  store {part} %low{half}, ptr %at{lanes}, align {vector_type.size}",
            f"  %high{half} = shufflevector {both}, <{half} x i32> <{high}>",
            f"  %next{half} = getelementptr {single}, ptr %at{lanes}, i64 {half}",
            f"  br label %from{half}",
        ]
        phis = [
            f"  %at{half} = phi ptr [ %at{lanes}, %from{lanes} ], [ %next{half}, %write{half} ]",
            f"  %value{half} = phi {part} [ %low{half}, %from{lanes} ], [ %high{half}, %write{half} ]",
        ]
        lanes = half
    return "\n".join([*lines, "from1:", "  ret void", "}"]) + "\n"
