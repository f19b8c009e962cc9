"""Memory of training: the peak of a separate process minus its memory after importing the library."""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

from rushlight.benchmark.case import Case, Reading, Sides
from rushlight.benchmark.convolution import residual_block
from rushlight.benchmark.training import cnn_step, gpt_step, mlp_step

CHILD = "import sys; from rushlight.benchmark.memory import tell; tell(*sys.argv[1:])"
FORGET = Path("/proc/self/clear_refs")  # Linux: writing 5 resets the peak to the current value
TRAINED = {case.name: case for case in (mlp_step, gpt_step, cnn_step, residual_block)}
STEPS = 5


def now_and_peak() -> tuple[int, int]:
    """Returns the resident memory of this process in bytes, and its peak."""
    status = Path("/proc/self/status").read_text()
    now, peak = (int(re.search(rf"^{name}:\s+(\d+) kB", status, re.M)[1]) for name in ("VmRSS", "VmHWM"))  # type: ignore[index]
    return 1024 * now, 1024 * peak


def give_back() -> None:
    """Returns freed memory to the system, which Glibc would keep and models would reuse without growth."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def tell(library: str, name: str) -> None:
    """Prints the maximum growth of memory from the model to its last step; runs in a separate process."""
    module = importlib.import_module(library)
    module.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    give_back()
    FORGET.write_text("5")
    before, _ = now_and_peak()
    step = TRAINED[name].program(module)
    for _ in range(STEPS):
        step()
    print(now_and_peak()[1] - before)


def growth(library: str, name: str) -> float:
    command = [sys.executable, "-c", CHILD, library, name]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def read(name: str, rounds: int, compare: bool) -> list[Sides]:
    """Returns the growth of both libraries; measured once, since processes hardly differ."""
    return [Sides(growth("rushlight", name), growth("torch", name) if compare else None)]


def peak_of(case: Case) -> Reading:
    words = f"Memory, at most, in {STEPS} steps: {case.words}"
    return Reading(f"peak_{case.name}", partial(read, case.name), words, 1.0, unit="B")


CASES = [peak_of(case) for case in TRAINED.values()] if FORGET.exists() else []
