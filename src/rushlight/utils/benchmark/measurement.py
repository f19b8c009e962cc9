"""Measurements: the task, the times, and the median, spread and number of significant digits."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from rushlight.arrays.threads import get_num_threads, set_num_threads

MOST_FIGURES = 4
LEAST_INTERVAL = 25e-9  # seconds; shorter intervals cannot be resolved
FLUCTUATION, DISTURBANCE = 0.1, 0.25  # of the median
UNITS = {"ns": ("nanosecond", 1e-9), "us": ("microsecond", 1e-6), "ms": ("millisecond", 1e-3), "s": ("second", 1)}


@dataclass(frozen=True, repr=False)
class TaskSpec:
    """The task that a `Timer` measures."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """Returns the label, or the statement."""
        if self.label is None and "\n" in self.stmt:
            ending = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{ending}\n{textwrap.indent(self.stmt, '  ')}"
        return (self.stmt if self.label is None else self.label) + (f": {self.sub_label}" if self.sub_label else "")

    def setup_str(self) -> str:
        """Returns the setup, empty if there is none."""
        if not self.setup or self.setup == "pass":
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Returns all fields on a few lines."""
        parts = [part for part in (self.title, self.description or "", self.setup_str()) if part]
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts)


FIELDS = frozenset(field.name for field in fields(TaskSpec))


@dataclass(repr=False)
class Measurement:
    """Times of a statement: `raw_times` of `number_per_run` runs each.

    >>> spec = TaskSpec(stmt="f(x)", setup="pass")
    >>> Measurement(10, [1e-4, 2e-4, 3e-4], spec).median
    2e-05
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = field(default=None)

    def __getattr__(self, name: str) -> Any:
        if name in FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def times(self) -> list[float]:
        """Returns the seconds per run of each measurement."""
        return [seconds / self.number_per_run for seconds in self.raw_times]

    @cached_property
    def _quartiles(self) -> tuple[float, float, float]:
        return tuple(np.quantile(self.times, [0.25, 0.5, 0.75]).tolist()) if self.raw_times else (-1.0, -1.0, -1.0)

    @property
    def median(self) -> float:
        """Returns the median in seconds."""
        return self._quartiles[1]

    @property
    def mean(self) -> float:
        """Returns the mean in seconds."""
        return math.fsum(self.times) / len(self.raw_times) if self.raw_times else -1.0

    @property
    def iqr(self) -> float:
        """Returns the interquartile range in seconds."""
        return self._quartiles[2] - self._quartiles[0]

    @property
    def significant_figures(self) -> int:
        """Returns the number of significant digits of the median, at most four, from the interquartile range."""
        count = len(self.raw_times)
        middle = sorted(self.times)[count // 4 : math.ceil(3 * count / 4)]
        interval = max(1.645 * float(np.std(middle)) / math.sqrt(len(middle)), LEAST_INTERVAL)
        return min(max(math.floor(math.log10(self.median / interval)), 1), MOST_FIGURES)

    def meets_confidence(self, threshold: float = FLUCTUATION) -> bool:
        """Whether the spread is less than this fraction of the median."""
        return self.iqr / self.median < threshold

    @property
    def has_warnings(self) -> bool:
        """Whether the spread is so large that the measurement was disturbed."""
        return bool(self._warnings)

    @property
    def _warnings(self) -> str:
        if not self.raw_times or self.meets_confidence(FLUCTUATION):
            return ""
        gross = not self.meets_confidence(DISTURBANCE)
        words = (
            "This suggests significant environmental influence." if gross else "This could indicate system fluctuation."
        )
        share = self.iqr / self.median * 100
        return f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.\n           {words}"

    @property
    def title(self) -> str:
        """Returns the title of the task."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """Returns the name in the first column of a table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        count, (low, _, high) = len(self.raw_times), self._quartiles
        unit, scale = select_unit(self.median)
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if count > 1 else ''}{self.median / scale:.2f} {unit}")
        if count >= 4:
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low / scale:.2f} to {high / scale:.2f})")
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        runs = f"{self.number_per_run} runs {'per measurement,' if count > 1 else ','} {threads}"
        lines.append(f"  {count} measurement{'s' if count > 1 else ''}, {runs}")
        return "\n".join([*lines, self._warnings] if self._warnings else lines)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Merges measurements to one per task, with all times."""
        groups: dict[TaskSpec, list[float]] = {}
        for measurement in measurements:
            groups.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(1, times, spec) for spec, times in groups.items()]


def select_unit(t: float) -> tuple[str, float]:
    """Returns the time unit for `t` seconds, and its length in seconds.

    >>> select_unit(2e-5)
    ('us', 1e-06)
    """
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(int(math.log10(t) // 3), "s")
    return unit, UNITS[unit][1]


def unit_to_english(u: str) -> str:
    """Returns the English name of a unit."""
    return UNITS[u][0]


def trim_sigfig(x: float, n: int) -> float:
    """Rounds a number to `n` significant digits.

    >>> trim_sigfig(3.14159, 2)
    3.1
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10.0 ** (math.ceil(math.log10(abs(x))) - n)
    return round(x / scale) * scale


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """Returns the distinct elements in the order of their first occurrence."""
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Sets the number of threads of operators in a `with` block."""
    before = get_num_threads()
    set_num_threads(n)
    try:
        yield
    finally:
        set_num_threads(before)
