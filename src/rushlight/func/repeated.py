"""Transformed functions that are called often: their kernels run without the Python in between (`capture/often.py`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from sys import gettrace
from time import perf_counter_ns
from typing import Any

from rushlight.core.policy import LONG_CALL, OFTEN
from rushlight.core.traced import STACK


class Repeated:
    """Counts the calls of a transformed function. `replay` makes them from some call on; it is None before."""

    def __init__(self) -> None:
        self.count, self.shortest = 0, LONG_CALL
        self.replay: Callable[[tuple, dict], Any] | None = None

    def as_written(self, transformed: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """Runs the function. Calls inside of another transform, and in a debugger, do not count."""
        if self.count > OFTEN or STACK.get() or gettrace() is not None:
            return transformed(*args, **kwargs)
        begin = perf_counter_ns()
        result = transformed(*args, **kwargs)
        self.count, self.shortest = self.count + 1, min(self.shortest, perf_counter_ns() - begin)
        if self.count > OFTEN and self.shortest < LONG_CALL:
            # Imported on first use: few programs call a transformed function so often
            self.replay = import_module("rushlight.capture.often").replayed(transformed)
        return result


def repeated(func: Callable[..., Any], transformed: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function with the name of `func` that does what `transformed` does, and is replayed if called often.

    In a debugger each call runs as it is written.
    """
    calls = Repeated()

    @wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        if (replay := calls.replay) is not None and gettrace() is None:
            return replay(args, kwargs)
        return calls.as_written(transformed, args, kwargs)

    return call
