"""The time of a case by function, without the functions it calls."""

from __future__ import annotations

import cProfile
import os
import pstats
import re
import time
from types import ModuleType

from rushlight.benchmark.case import Case

SHOWN = 12
SECONDS = 0.5
PACKAGE = os.path.dirname(os.path.dirname(__file__))


def hot_spots(case: Case, torch: ModuleType) -> list[dict]:
    """Returns the functions with most time in a step: name and line, calls per step, share of the step."""
    step = case.program(torch)
    step()
    profiler, steps, end = cProfile.Profile(), 0, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        profiler.runcall(step)
        steps += 1
    entries = pstats.Stats(profiler).stats  # type: ignore[attr-defined]  # (file, line, name): (_, calls, own, ...)
    total = sum(own for _, _, own, _, _ in entries.values())
    largest = sorted(entries.items(), key=lambda entry: -entry[1][2])[:SHOWN]
    return [
        {"function": place(*where), "calls": calls / steps, "share": own / total}
        for where, (_, calls, own, _, _) in largest
    ]


def place(file: str, line: int, name: str) -> str:
    """Returns `dispatch/general.py:12 call` for our functions, the name for built-in ones."""
    if file == "~":
        return re.sub(r" of type object at \w+", "", name)
    inside = os.path.relpath(file, PACKAGE) if file.startswith(PACKAGE) else os.path.basename(file)
    return f"{inside}:{line} {name}".replace(os.sep, "/")
