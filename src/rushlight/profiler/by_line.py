"""The report of `python -m rushlight profile`: times by line and by operator, next to what is possible."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable
from typing import NamedTuple

from rushlight.profiler.events import FunctionEvent, time_text
from rushlight.profiler.kernels import kernel_of
from rushlight.profiler.machine import Machine

LINE = re.compile(r"(?P<file>.*)\((?P<number>\d+)\): (?P<function>.*)")
NOWHERE = ("", 0)
WIDTH = 70  # of the text of a line


class Row:
    """All calls of an operator that a line led to, without the calls inside."""

    def __init__(self, name: str):
        self.name = name
        self.time = 0.0  # microseconds
        self.count = self.moved = self.flops = 0

    def add(self, event: FunctionEvent) -> None:
        self.time += event.self_cpu_time_total
        self.count += 1
        if not any([child.category == "cpu_op" for child in event.cpu_children]):
            self.moved += event.moved
            self.flops += event.flops


class Line(NamedTuple):
    """A line of the program with what it led to."""

    file: str
    number: int
    rows: dict[str, Row]

    @property
    def time(self) -> float:
        return sum([row.time for row in self.rows.values()])

    def __str__(self) -> str:
        if not self.number:
            return "outside of any line"
        text = linecache.getline(self.file, self.number).strip()
        text = text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
        return f"{self.file}:{self.number}  {text}"


def lines_of(events: Iterable[FunctionEvent]) -> list[Line]:
    """Returns the lines of the program, the one that took most time first.

    The calls inside a call belong to its line, and a backward function to the line of its operator.
    """
    lines_by_event: dict[int, tuple[str, int]] = {}
    lines: dict[tuple[str, int], Line] = {}
    for event in events:
        parent = event.cpu_parent
        place = NOWHERE if parent is None else lines_by_event[id(parent)]
        if place == NOWHERE and event.stack and (match := LINE.fullmatch(event.stack[0])):
            place = match["file"], int(match["number"])
        lines_by_event[id(event)] = place
        if event.category == "python_function":
            continue
        line = lines.setdefault(place, Line(*place, {}))
        line.rows.setdefault(event.key, Row(event.key)).add(event)
    return sorted(lines.values(), key=lambda line: -line.time)


def report(events: Iterable[FunctionEvent], machine: Machine, wall: float, rows: int) -> str:
    """Returns the lines that took most of `wall` microseconds, with the operators of each."""
    lines = lines_of(events)
    total = sum([line.time for line in lines])
    result = [
        f"{time_text(total)} of {time_text(wall)} in operators, steps and batches ({share(total, wall)}).",
        f"This machine: {machine}.",
        "`limit` is how many times longer the calls took than memory or processor allow.",
        "",
        f"{'time':>10} {'share':>6} {'calls':>8}  {'limit':<16} {'what ran':<44} kernel",
    ]
    for line in lines[:rows]:
        if line.time < total / 1000:
            break
        result += ["", f"{time_text(line.time):>10} {share(line.time, total):>6} {'':>8}  {line}"]
        ordered = sorted(line.rows.values(), key=lambda row: -row.time)
        result += [text_of(row, machine, total) for row in ordered[:6] if row.time >= line.time / 100]
    return "\n".join(result)


def text_of(row: Row, machine: Machine, total: float) -> str:
    """Returns a row with how far its calls are from what the machine allows."""
    least, what = machine.least(row.moved, row.flops)
    limit = f"{row.time / least:.1f}x {what}" if least else ""
    start = f"{time_text(row.time):>10} {share(row.time, total):>6} {row.count:>8}  {limit:<16}"
    return f"{start} {row.name:<44} {kernel_of(row.name)}".rstrip()


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%" if whole else ""
