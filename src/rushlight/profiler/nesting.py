"""From the notes of calls to events that are nested as the calls were.

A call is noted when it ends, so those inside come before it. Calls of one thread are one inside another or one after
another, so their times say which.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.core.origin import Place
from rushlight.profiler.details import Details, Shape
from rushlight.profiler.event_list import EventList
from rushlight.profiler.events import ENGINE, FunctionEvent
from rushlight.profiler.flops import flops_of
from rushlight.profiler.observed import BACKWARD

NOTHING = Details()


def events_of(notes: Iterable[tuple], origin: int, settings: dict[str, Any]) -> EventList:
    """Returns the events of notes, in the order in which they began; `origin` is the time that becomes 0."""
    by_thread: dict[int, list[tuple]] = {}
    for number, (kind, start, end, thread, details) in enumerate(notes):
        by_thread.setdefault(thread, []).append((start, -end, -number, kind, Details(*details) if details else NOTHING))
    events: list[FunctionEvent] = []
    for number, calls in enumerate(by_thread.values(), 1):
        calls.sort(key=lambda call: call[:3])
        nest(calls, number, origin, events, settings.get("with_flops", False))
    add_up(events)
    events.sort(key=lambda event: event.time_range.start)  # stable: a call comes before those inside
    for number, event in enumerate(events):
        event.id = number
    return EventList(events, threads=list(by_thread), origin=origin, **settings)


def nest(calls: list[tuple], thread: int, origin: int, events: list[FunctionEvent], with_flops: bool) -> None:
    """Appends the events of one thread, each with those inside."""
    open_: list[FunctionEvent] = []
    for start, end, _, kind, details in calls:
        start, end = (start - origin) / 1e3, (-end - origin) / 1e3
        while open_ and open_[-1].time_range.end <= start and open_[-1].time_range.end < end:
            open_.pop()
        parent = open_[-1] if open_ else None
        if parent is not None and parent.name == kind.name and kind.category == parent.category == "cpu_op":
            continue  # an operator that ran itself again on another path is one call
        for event in shown(kind, thread, start, end, details, with_flops):
            if open_:
                open_[-1].append_cpu_child(event)
            open_.append(event)
            events.append(event)


def add_up(events: list[FunctionEvent]) -> None:
    """Sets the memory of events: of a call all that came into being inside, and of itself what no call inside made.

    The result of a call is often that of a call inside, which is the same memory, as its operations are the same.
    """
    for event in reversed(events):
        inside = sum([child.cpu_memory_usage for child in event.cpu_children])
        event.self_cpu_memory_usage = max(0, event.cpu_memory_usage - inside)
        event.cpu_memory_usage = max(event.cpu_memory_usage, inside)
        if any([child.flops for child in event.cpu_children]):
            event.flops = 0


def shown(
    kind: Any, thread: int, start: float, end: float, details: Details, with_flops: bool
) -> Iterator[FunctionEvent]:
    """Returns the events of a note: two, one in the other, for a node of a backward pass, as in PyTorch."""
    common: dict[str, Any] = {
        "stack": [line_of(place) for place in details.lines if not place[0].co_filename.startswith("<frozen")],
        "input_shapes": [sizes_of(each) for each in details.arguments],
        "input_dtypes": [dtype_of(each) for each in details.arguments],
        "concrete_inputs": [value_of(each) for each in details.arguments],
        "cpu_memory_usage": details.new,
        "moved": details.moved,
    }
    if kind.category == BACKWARD:
        plain: dict[str, Any] = {"stack": common["stack"], "cpu_memory_usage": details.new}
        yield FunctionEvent(0, ENGINE + kind.name, thread, start, end, **plain)
        yield FunctionEvent(0, kind.name, thread, start, end, **plain)
        return
    flops = flops_of(kind.name, details.arguments, details.names) if with_flops else 0
    yield FunctionEvent(0, kind.name, thread, start, end, category=kind.category, flops=flops, **common)


def line_of(place: tuple) -> str:
    """Returns a line of the program as PyTorch writes it: `train.py(12): step`."""
    line = Place(*place)
    return f"{os.path.relpath(line.file) if is_near(line.file) else line.file}({line.line}): {line.function}"


def is_near(file: str) -> bool:
    """Whether a file is below the current folder."""
    return os.path.isabs(file) and file.startswith(os.getcwd() + os.sep)


def sizes_of(argument: Any) -> list:
    """Returns the sizes of a tensor, a list of them for a list of tensors, and an empty list for anything else."""
    if isinstance(argument, Shape):
        return list(argument.sizes)
    if isinstance(argument, tuple) and any([isinstance(each, Shape) for each in argument]):
        return [sizes_of(each) for each in argument]
    return []


def dtype_of(argument: Any) -> str:
    """Returns the name of a tensor's dtype, of C; `Scalar`, `ScalarList` or `TensorList` for other arguments."""
    if isinstance(argument, Shape):
        return NAMES.get(str(argument.dtype), str(argument.dtype))
    if isinstance(argument, tuple):
        return "TensorList" if any([isinstance(each, Shape) for each in argument]) else "ScalarList"
    return "Scalar" if isinstance(argument, (int, float, complex)) else ""


NAMES = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int", "uint8": "unsigned char"}


def value_of(argument: Any) -> Any:
    """Returns an argument that is no tensor, None for a tensor."""
    if isinstance(argument, Shape):
        return None
    if isinstance(argument, tuple):
        return None if any([isinstance(each, Shape) for each in argument]) else list(argument)
    return argument
