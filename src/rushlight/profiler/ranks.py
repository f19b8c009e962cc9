"""The report of several ranks: how the time of each step went, as a table, and one step as a timeline.

A rank is blocked in a call until it has ended. Until the last of the ranks that the call needs has come, it waits;
from then on, the data moves.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rushlight.profiler.event_list import EventList
from rushlight.profiler.nesting import events_of
from rushlight.profiler.timed_code import Kind

__all__ = ["picture_of", "read", "report"]

HEADER = ("step", "rank", "time", "compute", "communication", "waiting", "mostly for")
WHOLE = "program"  # stands where a program makes no steps


class Wait(NamedTuple):
    """A rank waits for another: from `start` to `end`, in nanoseconds."""

    start: int
    end: int
    rank: int
    call: str
    thread: int


class Row(NamedTuple):
    """How the time of a step of a rank went, in nanoseconds."""

    step: str
    rank: int
    total: int
    communication: int  # and waiting for others is not in it
    waiting: int
    mostly_for: int | None  # the rank that was waited for longest

    @property
    def compute(self) -> int:
        """The rest."""
        return self.total - self.communication - self.waiting

    def cells(self) -> list[str]:
        """Returns the cells of the table."""
        times = (self.total, self.compute, self.communication, self.waiting)
        rank = "" if self.mostly_for is None else f"rank {self.mostly_for}"
        return [self.step, str(self.rank), *[f"{time / 1e6:.3f} ms" for time in times], rank]


class Timed:
    """The times of one rank, from its file: steps, calls, and waits for other ranks."""

    def __init__(self, recorded: dict[str, Any], came: dict[tuple, dict[int, int]]) -> None:
        self.rank, self.operators = recorded["rank"], recorded["operators"]
        ends = dict(recorded["steps"])
        self.named = bool(ends)
        starts = {1: recorded["began"]} | {number + 1: end for number, end in ends.items()}
        self.steps = {number: (starts[number], end) for number, end in ends.items() if number in starts}
        if not self.named:
            self.steps = {1: (recorded["began"], recorded["ended"])}
        needs = {(group, sequence): ranks for group, sequence, ranks, _ in recorded["entered"]}
        self.calls = merged([*recorded["calls"], *[each[3:5] for each in recorded["blocked"]]])
        self.waits = [
            wait
            for group, sequence, call, start, end, thread in recorded["blocked"]
            if (wait := waited(came.get((group, sequence), {}), needs.get((group, sequence)), call, start, end, thread))
        ]
        self.waits.sort()

    def row(self, number: int) -> Row:
        """Returns how the time of a step went."""
        begin, end = self.steps[number]
        waits = clipped(self.waits, begin, end)
        by_rank: Counter[int] = Counter()
        for wait in waits:
            by_rank[wait.rank] += wait.end - wait.start
        waiting = total([(wait.start, wait.end) for wait in waits])
        inside = total(clipped(self.calls, begin, end))
        longest = by_rank.most_common(1)
        step = str(number) if self.named else WHOLE
        return Row(step, self.rank, end - begin, inside - waiting, waiting, longest[0][0] if longest else None)

    def notes(self, begin: int, end: int) -> list[tuple]:
        """Returns the operators between two times and the waits for others, as the recorder notes them."""
        operators = [
            (Kind(name, category), start, stop, thread, None)
            for name, category, start, stop, thread in self.operators
            if begin <= start and stop <= end
        ]
        # First: of two notes of one interval, the later is outside.
        waits = [
            (Kind(f"waiting for rank {wait.rank} in {wait.call}", "waiting"), wait.start, wait.end, wait.thread, None)
            for wait in clipped(self.waits, begin, end)
        ]
        return operators and [*waits, *operators]


def waited(
    came: dict[int, int], needs: Sequence[int] | None, call: str, start: int, end: int, thread: int
) -> Wait | None:
    """Returns for whom a rank that was blocked in a call has waited. `came` has when each rank came to it."""
    others = {rank: time for rank, time in came.items() if needs is None or rank in needs}
    if not others:
        return None
    last = max(others, key=lambda rank: others[rank])
    return Wait(start, min(others[last], end), last, call, thread) if others[last] > start else None


def merged(intervals: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    """Returns intervals in order, of which those that overlap are one."""
    result: list[tuple[int, int]] = []
    for start, end in sorted((start, end) for start, end in intervals):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


def total(intervals: Iterable[Sequence[int]]) -> int:
    """Returns how long intervals take together."""
    return sum(end - start for start, end in merged(intervals))


def clipped(intervals: Sequence[Any], begin: int, end: int) -> list[Any]:
    """Returns the parts of intervals, which are in order, between two times."""
    first = bisect_left(intervals, (begin,))
    first -= first > 0 and intervals[first - 1][1] > begin
    result = []
    for each in intervals[first:]:
        if each[0] >= end:
            break
        part = max(each[0], begin), min(each[1], end)
        result.append(each._replace(start=part[0], end=part[1]) if isinstance(each, Wait) else part)
    return result


def read(folder: str) -> list[dict[str, Any]]:
    """Returns what the ranks have written to a folder."""
    result = []
    for name in os.listdir(folder):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                result.append(json.load(file))
    return result


def later(recorded: dict[str, Any], shift: int) -> dict[str, Any]:
    """Returns what a rank on another machine has written, with its times by the clock of the first machine."""
    moved: dict[str, Any] = {"rank": recorded["rank"]}
    for name in ("began", "ended"):
        moved[name] = recorded[name] + shift
    moved["steps"] = [[number, time + shift] for number, time in recorded["steps"]]
    moved["entered"] = [[*rest, time + shift] for *rest, time in recorded["entered"]]
    moved["calls"] = [[start + shift, end + shift] for start, end in recorded["calls"]]
    for name in ("blocked", "operators"):
        moved[name] = [[*rest, start + shift, end + shift, thread] for *rest, start, end, thread in recorded[name]]
    return moved


def timed(recorded: Iterable[dict[str, Any]]) -> list[Timed]:
    """Returns the times of ranks, by rank."""
    ranks = sorted(recorded, key=lambda each: each["rank"])
    came: dict[tuple, dict[int, int]] = {}
    for each in ranks:
        for group, sequence, _, time in each["entered"]:
            came.setdefault((group, sequence), {})[each["rank"]] = time
    return [Timed(each, came) for each in ranks]


def report(ranks: Sequence[Timed], most: int) -> str:
    """Returns the table: the last `most` steps, and the mean of all but the first, which has the program's start."""
    numbers = sorted(set().union(*[each.steps for each in ranks]))
    rows = [each.row(number) for number in numbers[-most:] for each in ranks if number in each.steps]
    if len(numbers) > 2:
        rows += [mean for each in ranks if (mean := mean_of(each))]
    cells = [list(HEADER), *[row.cells() for row in rows]]
    widths = [max(len(line[k]) for line in cells) for k in range(len(HEADER))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join([title(ranks, numbers[-1], most), *lines])


def title(ranks: Sequence[Timed], count: int, most: int) -> str:
    """Returns what the table shows."""
    if not any(each.named for each in ranks):
        return f"{len(ranks)} ranks, whose program makes no steps of an optimizer:"
    return f"{len(ranks)} ranks, " + (f"the last {most} of {count} steps:" if count > most else f"{count} steps:")


def mean_of(rank: Timed) -> Row | None:
    """Returns the mean of all steps but the first."""
    rows = [rank.row(number) for number in rank.steps if number > 1]
    if not rows:
        return None
    by_rank: Counter[int] = Counter()
    for row in rows:
        if row.mostly_for is not None:
            by_rank[row.mostly_for] += row.waiting
    time, communication, waiting = (
        sum(values) // len(rows) for values in zip(*[row[2:5] for row in rows], strict=True)
    )
    longest = by_rank.most_common(1)
    return Row("mean", rank.rank, time, communication, waiting, longest[0][0] if longest else None)


def picture_of(ranks: Sequence[Timed]) -> tuple[str, EventList, dict[int, str]] | None:
    """Returns the last step that all ranks have made, as (name, events, names of the bands); None if it is not kept."""
    number = max(set(ranks[0].steps).intersection(*[each.steps for each in ranks]), default=0)
    if not number:
        return None
    notes: list[tuple] = []
    bands: dict[int, str] = {}
    for each in ranks:
        mine = each.notes(*each.steps[number])
        if not mine:
            return None
        threads = list(dict.fromkeys(thread for *_, thread, _ in mine))
        numbers = {thread: len(bands) + k for k, thread in enumerate(threads, 1)}
        notes += [(*times, numbers[thread], None) for *times, thread, _ in mine]
        for k, thread in enumerate(threads, 1):
            bands[numbers[thread]] = f"rank {each.rank}" + (f", thread {k}" if k > 1 else "")
    notes.sort(key=lambda note: note[3])  # the threads of events are numbered in this order
    name = f"step {number}" if ranks[0].named else "the program"
    return name, events_of(notes, min(each.steps[number][0] for each in ranks), {}), bands
