"""What compiled functions did, in numbers and words."""

from __future__ import annotations

import linecache
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.capture import logs, words
from rushlight.capture.front import REPLAYS
from rushlight.capture.paths import Checker, Guard

COUNTS = {"graphs": 0, "graph_breaks": 0, "recompiles": 0, "recorded": 0}
COUNTERS: defaultdict[str, Counter] = defaultdict(Counter)  # under PyTorch's names; `reset` leaves them


class Break(NamedTuple):
    """Why a run was not closed: the function, the line, what was met and what to write instead."""

    function: str
    filename: str
    line: int
    what: str
    cure: str

    @property
    def source(self) -> str:
        """The text of the line."""
        return linecache.getline(self.filename, self.line).strip()

    def __str__(self):
        lines = [f"break in {self.function}, {self.filename}:{self.line}: {self.what}"]
        lines += [f"    {text}" for text in (self.source, self.cure) if text]
        return "\n".join(lines)


class Recompile(NamedTuple):
    """Why a call needed another program: the first guard that failed, and both values.

    `guard` is None if the number of arguments, the grad mode or the like was another one.
    """

    function: str
    filename: str
    line: int
    guard: Guard | None
    place: str
    wanted: str
    actual: str

    def __str__(self):
        where = f"another program for {self.function}, {self.filename}:{self.line}"
        return f"{where}: {self.place} {self.wanted}, and was {self.actual}" if self.guard else where


BREAKS: list[Break] = []
RECOMPILES: list[Recompile] = []


def report() -> dict[str, int]:
    """Returns counts since the last reset: programs made, runs that were not closed, programs made because an earlier
    one did not fit, calls that ran no Python of the function, calls that were watched."""
    return {**COUNTS, "replays": int(REPLAYS[0])}


def reset() -> None:
    """Forgets what was counted."""
    for name in COUNTS:
        COUNTS[name] = 0
    REPLAYS[0] = 0
    BREAKS.clear()
    RECOMPILES.clear()


def name_of(function: Any) -> str:
    """Returns the name of a function, or of the class of another callable."""
    return getattr(function, "__qualname__", type(function).__name__)


def home(function: Any) -> tuple[str, int]:
    """Returns the file and the first line of a function; of another callable those of what it runs."""
    function = getattr(function, "forward", function)
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None) or getattr(vars(type(function)).get("__call__"), "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code else ("", 0)


def note_break(function: Any, problem: Any, place: tuple) -> Break:
    """Notes a run that was not closed."""
    code, line = place or (None, None)
    filename, first = home(function)
    each = Break(
        name_of(function), code.co_filename if code else filename, line or first, problem.what, problem.cure
    )  # fmt: skip
    COUNTS["graph_breaks"] += 1
    COUNTERS["frames"]["total"] += 1
    COUNTERS["graph_break"][problem.what] += 1
    BREAKS.append(each)
    logs.log_break(each)
    return each


def reason(function: Callable, guards: list[Guard] | None, args: tuple, kwargs: dict) -> Recompile:
    """Returns why a call does not fit the guards of a program. To be asked before the call is made."""
    failed = None if guards is None else Checker(guards, []).failed(args, kwargs)
    filename, line = home(function)
    if failed is None:
        return Recompile(name_of(function), filename, line, None, "", "", "")
    return Recompile(
        name_of(function), filename, line, failed,
        words.place(failed.path, function), words.demand(failed, function), words.actual(failed, args, kwargs),
    )  # fmt: skip


def note_program(function: Callable, program: Any, why: Recompile | None) -> None:
    """Notes a program that was made; `why` says so if an earlier one did not fit."""
    COUNTS["graphs"] += 1
    COUNTERS["frames"]["total"] += 1
    COUNTERS["frames"]["ok"] += 1
    COUNTERS["stats"]["unique_graphs"] += 1
    COUNTERS["stats"]["calls_captured"] += sum([hasattr(item, "function") for item in program.watched.items])
    if why is not None:
        COUNTS["recompiles"] += 1
        COUNTERS["recompiles"][why.function] += 1
        RECOMPILES.append(why)
        logs.log_recompile(why)
    logs.log_guards(name_of(function), program.guards, function)
    logs.log_graph(name_of(function), program)
