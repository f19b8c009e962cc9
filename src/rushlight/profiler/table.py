"""The table of a profile, in the layout of PyTorch's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.profiler.events import UNITS, time_text

WIDTH = 12  # of columns of numbers
SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))
OPERATIONS = ((1e15, "PFLOPs"), (1e12, "TFLOPs"), (1e9, "GFLOPs"), (1e6, "MFLOPs"), (1e3, "KFLOPs"), (1.0, "FLOPs"))


def table(
    events: Sequence[Any],
    sort_by: str | None,
    row_limit: int,
    max_src_column_width: int,
    max_name_column_width: int,
    max_shapes_column_width: int,
    header: str | None,
    top_level_events_only: bool,
    time_unit: str | None,
    *,
    memory: bool,
    flops: bool,
) -> str:
    """Returns events as a table; see `EventList.table`."""
    if not events:
        return ""
    total = sum([event.self_cpu_time_total for event in events])
    rows = [event for event in events if not (top_level_events_only and getattr(event, "cpu_parent", None) is not None)]
    if sort_by is not None:
        rows = sorted(rows, key=lambda event: getattr(event, sort_by), reverse=True)
    scale, unit = scale_of([event.flops for event in events]) if flops else (1.0, "")
    columns = [
        ("Name", width_of([event.key for event in events], max_name_column_width), lambda event: event.key),
        *times(total, time_unit),
    ]
    if memory:
        columns.append(("CPU Mem", WIDTH, lambda event: memory_text(event.cpu_memory_usage)))
        columns.append(("Self CPU Mem", WIDTH, lambda event: memory_text(event.self_cpu_memory_usage)))
    columns.append(("# of Calls", WIDTH, lambda event: str(event.count)))
    if shapes := [str(event.input_shapes) for event in events if event.input_shapes]:
        columns.append(
            ("Input Shapes", width_of(shapes, max_shapes_column_width), lambda event: str(event.input_shapes or []))
        )
    if flops:
        columns.append((f"Total {unit}", WIDTH, lambda event: f"{event.flops / scale:8.3f}" if event.flops else "--"))
    body = [[cut(text(event), width) for _, width, text in columns] for event in rows]
    sources = [event.stack for event in rows]
    body = body[:row_limit] if row_limit >= 0 else body
    if any(sources):
        width = width_of([line for stack in sources for line in stack], max_src_column_width)
        columns.append(("Source Location", width, lambda event: ""))
        body = [line for row, stack in zip(body, sources, strict=False) for line in with_source(row, stack, width)]
    return written(columns, body, header) + f"Self CPU time total: {in_unit(total, time_unit)}\n"


def times(total: float, unit: str | None) -> list[tuple]:
    """The columns of times."""
    return [
        ("Self CPU %", WIDTH, lambda event: share(event.self_cpu_time_total, total)),
        ("Self CPU", WIDTH, lambda event: in_unit(event.self_cpu_time_total, unit)),
        ("CPU total %", WIDTH, lambda event: share(event.cpu_time_total, total)),
        ("CPU total", WIDTH, lambda event: in_unit(event.cpu_time_total, unit)),
        ("CPU time avg", WIDTH, lambda event: in_unit(event.cpu_time, unit)),
    ]


def with_source(row: list[str], stack: list[str], width: int) -> list[list[str]]:
    """Returns a row with its first line of the source, and a row for each other line."""
    lines = [cut(line, width, end=False) for line in stack] or [""]
    blank = [""] * len(row)
    return [[*row, lines[0]], *[[*blank, line] for line in lines[1:]]]


def written(columns: list[tuple], body: list[list[str]], header: str | None) -> str:
    """Returns titles and rows between rules."""
    rule = "  ".join(["-" * width for _, width, _ in columns]) + "  "
    lines = [header] if header else []
    lines += [rule, aligned([title for title, _, _ in columns], columns), rule]
    lines += [aligned(row, columns) for row in body]
    return "\n".join([*lines, rule, ""])


def aligned(cells: list[str], columns: list[tuple]) -> str:
    return "  ".join([cell.rjust(width) for cell, (_, width, _) in zip(cells, columns, strict=True)]) + "  "


def width_of(texts: Sequence[str], most: int) -> int:
    """Returns the width of a column of texts; at most `most`, unless that is not positive."""
    needed = max([len(text) for text in texts], default=0) + 4
    return needed if most <= 0 else min(needed, most)


def cut(text: str, width: int, *, end: bool = True) -> str:
    """Returns a text of at most a width: without its end, or without its beginning."""
    if len(text) <= width:
        return text
    return f"{text[: width - 3]}..." if end else f"...{text[3 - width :]}"


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


def in_unit(microseconds: float, unit: str | None) -> str:
    """Returns a time in a unit, else in one that fits."""
    if unit is None:
        return time_text(microseconds)
    size = dict((name, size) for size, name in UNITS)[unit]
    return f"{microseconds / size:.3f}{unit}"


def memory_text(count: int) -> str:
    """Returns a number of bytes with its unit.

    >>> memory_text(1536)
    '1.50 KB'
    """
    for size, unit in SIZES:
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


def scale_of(counts: Sequence[int]) -> tuple[float, str]:
    """Returns the unit in which the smallest number of operations is at least 1."""
    least = min([count for count in counts if count], default=1)
    return next(pair for pair in OPERATIONS if least >= pair[0])
