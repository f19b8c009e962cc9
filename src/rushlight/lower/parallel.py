"""`parallel_for`: a loop of restricted Python whose pieces are done by all threads of the pool."""

from __future__ import annotations

from rushlight.lower.language import Imported, compiled_as
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import bind, function, int64, pointer, resolved, void
from rushlight.lower.pool import entry

PARALLEL_FOR = function(function(pointer(void), int64, int64), pointer(void), int64, int64)
ENTRY = Imported("rushlight_parallel_for", pointer(PARALLEL_FOR), entry)


def _parallel_for(translation, body, size, grain, *given) -> Value:
    """Puts the arguments into a record on the stack, and `body` behind a function that takes them out again."""
    target = translation.static(body)
    size, grain = (translation.converted(translation.value(each), int64) for each in (size, grain))
    values = [translation.value(each) for each in given]
    bound: dict = {}
    for declared, value in zip(target.declared.values(), values, strict=False):
        if value.literal is None:
            bind(declared, value.type, bound)
    declared = [resolved(each, bound).loaded for each in target.declared.values()][: len(values)]
    values = [translation.converted(value, kind) for value, kind in zip(values, declared, strict=True)]
    record = "{ " + ", ".join(each.type.register for each in values) + " }"
    place = translation.name()
    translation.slots.append(f"{place} = alloca {record}")
    for at, each in enumerate(values):
        field = translation.emit(int64, f"getelementptr {record}, ptr {place}, i32 0, i32 {at}").text
        translation.line(f"store {each.type.register} {each.text}, ptr {field}")
    symbol = _unpacking(translation.unit, translation.unit.define(target, bound), record, values)
    run = translation.load(PARALLEL_FOR, ENTRY.as_value(translation).text)
    body, context, *_ = PARALLEL_FOR.parameters
    return translation.called(run, [Value(body, f"@{symbol}"), Value(context, place), size, grain])


def _unpacking(unit, inner: str, record: str, values) -> str:
    """A function (context, begin, end) that calls `inner` with what is in the record, then begin and end."""
    symbol = inner[:-1] + '.over"'
    lines, inside = [], []
    for at, each in enumerate(values):
        lines.append(f"  %p{at} = getelementptr {record}, ptr %context, i32 0, i32 {at}")
        lines.append(f"  %v{at} = load {each.type.register}, ptr %p{at}")
        inside.append(f"{each.type.register} %v{at}")
    arguments = ", ".join((*inside, "i64 %begin", "i64 %end"))
    lines.append(f"  call void @{inner}({arguments})\n  ret void")
    heading = f"define internal void @{symbol}(ptr %context, i64 %begin, i64 %end) #0"
    unit.definitions[symbol] = heading + " {\n" + "\n".join(lines) + "\n}\n"
    return symbol


@compiled_as(_parallel_for, reads=False)
def parallel_for(body, size, grain, *given):
    """Runs `body(*given, begin, end)` over [0, size) in pieces of at least `grain`, by all threads of the pool."""
    body(*given, 0, size)
