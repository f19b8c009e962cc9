"""`parallel_for`: a loop of restricted Python whose pieces run on all threads of the pool."""

from __future__ import annotations

from rushlight.lower.language import Imported, compiled_as
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import bind, function, int64, pointer, substitute, void
from rushlight.lower.pool import entry

PARALLEL_FOR = function(function(pointer(void), int64, int64), pointer(void), int64, int64)
ENTRY = Imported("rushlight_parallel_for", pointer(PARALLEL_FOR), entry)


def _parallel_for(translation, body, size, grain, *args) -> Value:
    """Emits a record of the arguments on the stack, and a function that unpacks them and calls `body`."""
    target = translation.static(body)
    size, grain = (translation.converted(translation.value(x), int64) for x in (size, grain))
    values = [translation.value(x) for x in args]
    bound: dict = {}
    for declared, value in zip(target.declared.values(), values, strict=False):
        if value.literal is None:
            bind(declared, value.type, bound)
    declared = [substitute(x, bound).loaded for x in target.declared.values()][: len(values)]
    values = [translation.converted(value, type_) for value, type_ in zip(values, declared, strict=True)]
    record = "{ " + ", ".join(x.type.register for x in values) + " }"
    record_address = translation.name()
    translation.slots.append(f"{record_address} = alloca {record}")
    for i, x in enumerate(values):
        field = translation.emit(int64, f"getelementptr {record}, ptr {record_address}, i32 0, i32 {i}").text
        translation.line(f"store {x.type.register} {x.text}, ptr {field}")
    symbol = _unpacking(translation.unit, translation.unit.define(target, bound), record, values)
    run = translation.load(PARALLEL_FOR, ENTRY.as_value(translation).text)
    body, context, *_ = PARALLEL_FOR.parameters
    return translation.called(run, [Value(body, f"@{symbol}"), Value(context, record_address), size, grain])


def _unpacking(unit, inner: str, record: str, values) -> str:
    """Emits a function (context, begin, end) that calls `inner` with the record's fields, then begin and end."""
    symbol = inner[:-1] + '.over"'
    lines, arguments_in_order = [], []
    for i, x in enumerate(values):
        lines.append(f"  %p{i} = getelementptr {record}, ptr %context, i32 0, i32 {i}")
        lines.append(f"  %v{i} = load {x.type.register}, ptr %p{i}")
        arguments_in_order.append(f"{x.type.register} %v{i}")
    arguments = ", ".join((*arguments_in_order, "i64 %begin", "i64 %end"))
    lines.append(f"  call void @{inner}({arguments})\n  ret void")
    heading = f"define private void @{symbol}(ptr %context, i64 %begin, i64 %end) #0"
    unit.definitions[symbol] = heading + " {\n" + "\n".join(lines) + "\n}\n"
    return symbol


@compiled_as(_parallel_for, reads=False)
def parallel_for(body, size, grain, *args):
    """Runs `body(*args, begin, end)` over [0, size) in pieces of at least `grain`, on all threads of the pool."""
    body(*args, 0, size)
