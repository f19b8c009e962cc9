"""The functions that NumPy calls for a ufunc: any strides, and large arrays spread over the threads.

`loop(args, dims, steps, data)` is what NumPy calls, without the GIL. A large run it hands to the pool, whose entry is
the first word of `data`: so the object code knows no addresses and may be kept on disk. The pool calls `loop.stretch(
context, begin, end)`: it works at once if all memory is contiguous, otherwise in blocks, which are gathered into memory
of their own, some pages wide, and scattered from there. So the heart of a kernel sees contiguous memory only, and is
written once; a second time for results that are to be written past the caches (`streams.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.compiler import emit, streams
from rushlight.compiler.emit import STORED
from rushlight.compiler.ir import FLOATS, Value
from rushlight.compiler.sizes import GRAIN, SHARED

BLOCK = 1024
SIZES = {"float": 4, "double": 8, "half": 2, "i8": 1, "i16": 2, "i32": 4, "i64": 8}

# Kernels compute both sides of a choice and compare with NaN: the flags that this raises are nobody's news. Those that
# were up before stay up.
FLAGS = {
    "x86_64": (
        "declare void @llvm.x86.sse.stmxcsr(ptr)\ndeclare void @llvm.x86.sse.ldmxcsr(ptr)",
        "call void @llvm.x86.sse.stmxcsr(ptr %flags)",
        "call void @llvm.x86.sse.ldmxcsr(ptr %flags)",
    ),
}
ELSEWHERE = ("declare i32 @feclearexcept(i32)", "", "call i32 @feclearexcept(i32 31)")


def ufunc_loop(
    name: str, operands: Sequence[Value], results: Sequence[Value], alike: set[Value], architecture: str
) -> tuple[str, dict[str, str]]:
    """One loop, `name`, for one list of types, and what it declares; operands in `alike` are one number for all."""
    declared: dict[str, str] = {}
    text = emit.heart(f"{name}.heart", operands, results, alike, declared)
    types = [STORED.get(each.type, each.type) for each in (*operands, *results)]
    single = {number for number, each in enumerate(operands) if each in alike}
    in_blocks = bool(emit.rare(results))  # what is rare is asked for in each block anew
    streaming = not in_blocks and len({each.type for each in results}) == 1 and results[0].type in FLOATS
    if streaming:
        past = f"{name}{streams.PAST}"
        text += emit.heart(past, operands, results, alike, declared, streams.LINE)
        text += past_caches(name, types, len(operands), single)
    way = (
        chosen_way(name, types, len(operands), single) if streaming else f"  %way = bitcast ptr @{name}.stretch to ptr"
    )
    return text + stretch(name, types, len(operands), single, in_blocks) + entry(name, architecture, way), declared


def entry(name: str, architecture: str, way: str) -> str:
    """What NumPy calls; `way` finds the function that does the work."""
    _, before, after = FLAGS.get(architecture, ELSEWHERE)
    return f"""
define void @{name}(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
  %flags = alloca i32
  {before}
  %context = alloca [2 x ptr]
  store ptr %args, ptr %context
  %second = getelementptr ptr, ptr %context, i64 1
  store ptr %steps, ptr %second
  %count = load i64, ptr %dims
  %pool = load ptr, ptr %data
  %large = icmp sge i64 %count, {SHARED}
  %there = icmp ne ptr %pool, null
  %shared = and i1 %large, %there
{way}
  br i1 %shared, label %together, label %alone
together:
  call void %pool(ptr %way, ptr %context, i64 %count, i64 {GRAIN})
  br label %end
alone:
  call void %way(ptr %context, i64 0, i64 %count)
  br label %end
end:
  {after}
  ret void
}}
"""


def chosen_way(name: str, types: Sequence[str], operands: int, single: set[int]) -> str:
    """Past the caches go results of many elements if all memory is contiguous and the results begin with a line."""
    text = f"  %fit = icmp sgt i64 %count, {streams.LARGEST_KEPT}\n"
    fit = "%fit"
    for number, type in enumerate(types):
        text += position(number, type, number in single)
        text += f"  %fit{number} = and i1 {fit}, %whole{number}\n"
        fit = f"%fit{number}"
        if number >= operands:
            text += f"""  %place{number} = ptrtoint ptr %base{number} to i64
  %off{number} = and i64 %place{number}, {streams.LINE - 1}
  %on{number} = icmp eq i64 %off{number}, 0
  %line{number} = and i1 {fit}, %on{number}
"""
            fit = f"%line{number}"
    return f"{text}  %way = select i1 {fit}, ptr @{name}.stream, ptr @{name}.stretch"


def past_caches(name: str, types: Sequence[str], operands: int, single: set[int]) -> str:
    """`stretch` of contiguous memory, past the caches but for what lies before the first whole line."""
    size = SIZES[types[-1]]
    found, first, then = "", [], []
    for number, type in enumerate(types):
        found += position(number, type, number in single)
        for word, index in (("first", "%begin"), ("then", "%middle")):
            at = "0" if number in single else index
            found += f"  %{word}{number} = getelementptr {type}, ptr %base{number}, i64 {at}\n"
        first.append(f"ptr %first{number}")
        then.append(f"ptr %then{number}")
    line = streams.LINE // size
    return f"""
define internal void @{name}.stream(ptr %context, i64 %begin, i64 %end) minsize optsize {{
  %args = load ptr, ptr %context
  %context.steps = getelementptr ptr, ptr %context, i64 1
  %steps = load ptr, ptr %context.steps
  %up = add i64 %begin, {line - 1}
  %even = and i64 %up, {-line}
  %short = icmp slt i64 %end, %even
  %middle = select i1 %short, i64 %end, i64 %even
  %lead = sub i64 %middle, %begin
  %count = sub i64 %end, %middle
{found}  call void @{name}.heart({", ".join(first)}, i64 %lead)
  call void @{name}{streams.PAST}({", ".join(then)}, i64 %count)
  fence seq_cst
  ret void
}}
"""


def stretch(name: str, types: Sequence[str], operands: int, single: set[int], in_blocks: bool) -> str:
    """The elements from `begin` to `end`: of each operand and result a base, a step, and a block of its own."""
    numbers = range(len(types))
    found = "".join(
        f"{position(number, type, number in single)}  %block{number} = alloca [{BLOCK} x {type}], align 64\n"
        for number, type in enumerate(types)
    )
    contiguous = "true"
    tests = ""
    for number in numbers:
        tests += f"  %all{number} = and i1 {contiguous}, %whole{number}\n"
        contiguous = f"%all{number}"
    inputs = "".join(moved(number, types[number], gather=True) for number in range(operands))
    outputs = "".join(moved(number, types[number], gather=False) for number in range(operands, len(types)))
    places = "".join(
        f"  %place{number} = select i1 %whole{number}, ptr %here{number}, ptr %block{number}\n" for number in numbers
    )
    here = "".join(
        f"  %offset{number} = mul i64 %at, {0 if number in single else f'%step{number}'}\n"
        f"  %here{number} = getelementptr i8, ptr %base{number}, i64 %offset{number}\n"
        for number in numbers
    )
    given = ", ".join(f"ptr %place{number}" for number in numbers)
    return f"""
define internal void @{name}.stretch(ptr %context, i64 %begin, i64 %end) minsize optsize {{
entry:
  %args = load ptr, ptr %context
  %context.steps = getelementptr ptr, ptr %context, i64 1
  %steps = load ptr, ptr %context.steps
{found}{tests}  %rest.all = sub i64 %end, %begin
  %width = select i1 {contiguous}, i64 {BLOCK if in_blocks else "%rest.all"}, i64 {BLOCK}
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %next, label %done
next:
  %at = phi i64 [%begin, %entry], [%following, %stored]
  %rest = sub i64 %end, %at
  %short = icmp slt i64 %rest, %width
  %count = select i1 %short, i64 %rest, i64 %width
{here}  br label %gather0
{inputs}gather{operands}:
{places}  call void @{name}.heart({given}, i64 %count)
  br label %scatter{operands}
{outputs}scatter{len(types)}:
  br label %stored
stored:
  %following = add i64 %at, %count
  %more = icmp slt i64 %following, %end
  br i1 %more, label %next, label %done
done:
  ret void
}}
"""


def position(number: int, type: str, single: bool) -> str:
    """Where an operand begins, and whether its elements stand one behind the other."""
    whole = "icmp eq i64 0, 0" if single else f"icmp eq i64 %step{number}, {SIZES[type]}"
    return f"""  %base{number}.at = getelementptr ptr, ptr %args, i64 {number}
  %base{number} = load ptr, ptr %base{number}.at
  %step{number}.at = getelementptr i64, ptr %steps, i64 {number}
  %step{number} = load i64, ptr %step{number}.at
  %whole{number} = {whole}
"""


def moved(number: int, type: str, *, gather: bool) -> str:
    """Into the block before the work, or out of it after; one number for all is put there once."""
    word = "gather" if gather else "scatter"
    p = f"{word}{number}"
    far = (
        f"  %{p}.shift = mul i64 %{p}.i, %step{number}\n"
        f"  %{p}.far = getelementptr i8, ptr %here{number}, i64 %{p}.shift\n"
    )
    near = f"  %{p}.near = getelementptr {type}, ptr %block{number}, i64 %{p}.i\n"
    source, target = (f"%{p}.far", f"%{p}.near") if gather else (f"%{p}.near", f"%{p}.far")
    kept = ""
    if gather:
        kept = f"""  %{p}.same = icmp eq i64 %step{number}, 0
  %{p}.later = icmp ne i64 %at, %begin
  %{p}.kept = and i1 %{p}.same, %{p}.later
  %{p}.skip = or i1 %whole{number}, %{p}.kept
"""
    else:
        kept = f"  %{p}.skip = or i1 %whole{number}, false\n"
    return f"""{p}:
{kept}  br i1 %{p}.skip, label %{word}{number + 1}, label %{p}.loop
{p}.loop:
  %{p}.i = phi i64 [0, %{p}], [%{p}.next, %{p}.loop]
{far}{near}  %{p}.value = load {type}, ptr {source}
  store {type} %{p}.value, ptr {target}
  %{p}.next = add nuw nsw i64 %{p}.i, 1
  %{p}.more = icmp slt i64 %{p}.next, %count
  br i1 %{p}.more, label %{p}.loop, label %{word}{number + 1}, !llvm.loop !3
"""


def module(parts: Sequence[tuple[str, dict[str, str]]], architecture: str) -> str:
    """Several loops as one module."""
    declared: dict[str, str] = {}
    for _, each in parts:
        declared.update(each)
    flags = FLAGS.get(architecture, ELSEWHERE)[0]
    return "\n".join([flags, *declared.values(), *(text for text, _ in parts), emit.INDEPENDENT])
