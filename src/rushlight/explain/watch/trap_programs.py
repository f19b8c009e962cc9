"""Runs the programs of traps, for tests and documentation pages."""

from __future__ import annotations

import linecache
import re
import warnings
from contextlib import AbstractContextManager, nullcontext

from rushlight.cuda import simulate
from rushlight.explain.watch import watch
from rushlight.explain.watch.finding import Finding

IMPORTS = (
    (r"(?m)^(import|from) torch\b", r"\1 rushlight"),
    (r"(?m)^import rushlight$", "import rushlight as torch"),
)


def run(text: str, file: str, library: str = "rushlight") -> dict:
    """Runs the source of a program that imports torch, with rushlight instead; returns its variables."""
    if library == "rushlight":
        for pattern, replacement in IMPORTS:
            text = re.sub(pattern, replacement, text)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    variables = {"__name__": "program"}
    with gpu_for(text, library):
        exec(compile(text, file, "exec"), variables)
    return variables


def gpu_for(text: str, library: str = "rushlight") -> AbstractContextManager:
    """Returns a context with a simulated GPU for a program that may use one."""
    return simulate() if library == "rushlight" and "cuda" in text else nullcontext()


def findings_in(text: str, file: str) -> list[Finding]:
    """Returns the findings of a watch in a program."""
    with warnings.catch_warnings(), gpu_for(text), watch() as watched:
        warnings.simplefilter("ignore")
        left = run(text, file)  # variables live until the watch ends, as in a script
    left.clear()
    return watched.findings
