"""The cost of threads in addition to their work: waking, idling, and sharing cores with other programs.

These are not in the table: `python -m rushlight bench --only threads` runs them, each in its own processes.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median

from rushlight.benchmark.case import Reading, Sides, Step

CHILD = "import sys; from rushlight.benchmark.threads import tell; tell(*sys.argv[1:])"
BUSY = "while True: pass"
ELEMENTS = 1 << 20
PAUSE, IDLE, RUNS = 0.02, 2.0, 30


def seconds(step: Step, pause: float) -> float:
    """Returns the median of several runs, each after a pause."""
    times = []
    for _ in range(RUNS):
        time.sleep(pause)
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return median(times)


def after_pauses(step: Step) -> float:
    """Measures waking sleeping threads."""
    return seconds(step, PAUSE)


def on_busy_cores(step: Step) -> float:
    """Measures with other programs that keep all cores busy."""
    with busy(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1):
        return seconds(step, 0.0)


def idle(step: Step) -> float:
    """Measures the processor time used in two seconds after a step."""
    step()
    before = time.process_time()
    time.sleep(IDLE)
    return time.process_time() - before


MEASURED: dict[str, Callable[[Step], float]] = {
    "after_pauses": after_pauses,
    "on_busy_cores": on_busy_cores,
    "processor_time_idle": idle,
}


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Starts programs that each keep a core busy."""
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def tell(library: str, name: str) -> None:
    """Prints the measurement of `exp` of a million elements; runs in a separate process."""
    module = importlib.import_module(library)
    x = module.ones(ELEMENTS)
    module.exp(x)
    print(MEASURED[name](partial(module.exp, x)))


def measured(library: str, name: str) -> float:
    command = [sys.executable, "-c", CHILD, library, name]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def read(name: str, rounds: int, compare: bool) -> list[Sides]:
    """Measures both libraries in turns; a few rounds suffice."""
    return [
        Sides(measured("rushlight", name), measured("torch", name) if compare else None) for _ in range(min(rounds, 3))
    ]


CASES = [
    Reading(name, partial(read, name), f"`exp` of 1M elements: {(function.__doc__ or '').rstrip('.')}", None)
    for name, function in MEASURED.items()
]
