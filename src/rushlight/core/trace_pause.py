"""Pauses the trace function of a watched run while kernels are made, and modules of ours are imported.

That runs tens of thousands of frames at a first call, none of which says anything about the program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PAUSABLE: list[Callable] = []  # the trace functions of runs that are watched now; those of debuggers go on


@contextmanager
def trace_paused() -> Iterator[None]:
    """Sets no trace function in a block, if the one that is set may be paused."""
    trace = sys.gettrace()
    if trace is None or trace not in PAUSABLE:
        yield
        return
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(trace)
