"""`Timer`: runs a statement repeatedly, like `timeit`, in several measurements."""

from __future__ import annotations

import enum
import shutil
import statistics
import textwrap
import timeit
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

from rushlight import cuda

from .measurement import Measurement, TaskSpec, set_torch_threads

Callback = Callable[[int, float], Any]
ROOT = __name__.partition(".")[0]
MOST_RUNS = 2**31 - 1
CALLGRIND = ("valgrind", "callgrind_control", "callgrind_annotate")


def timer() -> float:
    """Returns the time in seconds, after synchronizing the GPU if there is one."""
    if cuda.is_available():
        cuda.synchronize()
    return timeit.default_timer()


class Language(enum.Enum):
    """The language of a statement."""

    PYTHON = 0
    CPP = 1


class Timer:
    """Measures a statement, by default on one thread. `globals` are the names that it can use, also `torch`.

    `label`, `sub_label`, `description` and `env` name the measurement; `Compare` arranges tables by them.

    >>> measured = Timer("x.sum()", setup="x = torch.ones(8)").timeit(100)
    >>> measured.number_per_run, measured.median > 0
    (100, True)
    """

    _timer_cls: type[timeit.Timer] = timeit.Timer

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None, label: str | None = None, sub_label: str | None = None,
        description: str | None = None, env: str | None = None, num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:  # fmt: skip
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in (Language.CPP, "cpp", "c++"):
            raise NotImplementedError("rushlight measures statements of Python; it compiles no C++.")
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        names = {"torch": import_module(ROOT), **(globals or {})}
        stmt, setup = outdented(stmt), outdented(setup)
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=names)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)  # no statement is faster

    def timeit(self, number: int = 1000000) -> Measurement:
        """Makes one measurement of `number` runs, after a hundredth of them to warm up."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(number // 100, 2))
            return self._measured(number, [self._timeit(number)])

    def repeat(self, repeat: int = -1, number: int = -1) -> NoReturn:
        """Not implemented, as in PyTorch."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callback | None = None) -> NoReturn:
        """Not implemented, as in PyTorch."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(self, callback: Callback | None = None, min_run_time: float = 0.2) -> Measurement:
        """Measures blocks of runs, long enough to hide the cost of the clock, for at least `min_run_time` seconds."""
        number = self._runs_of_a_block(min_run_time)
        return self._measured(number, self._blocks(number, lambda times: True, min_run_time, None, callback))

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
        callback: Callback | None = None,
    ) -> Measurement:  # fmt: skip
        """Measures until the spread is less than `threshold` of the median, or `max_run_time` is over."""
        number = self._runs_of_a_block(0.05)

        def settled(times: list[float]) -> bool:
            return len(times) > 3 and self._measured(number, times).meets_confidence(threshold)

        return self._measured(number, self._blocks(number, settled, min_run_time, max_run_time, callback))

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, self._task_spec)

    def _blocks(
        self, number: int, settled: Callable[[list[float]], bool], least: float, most: float | None,
        callback: Callback | None,
    ) -> list[float]:  # fmt: skip
        times: list[float] = []
        total, enough = 0.0, False
        with set_torch_threads(self._task_spec.num_threads):
            while (total < least or not enough) and not (most and total > most):
                times.append(self._timeit(number))
                total += times[-1]
                if callback:
                    callback(number, times[-1])
                enough = settled(times)
        return times

    def _runs_of_a_block(self, least: float) -> int:
        """Returns a number of runs that take 10,000 times as long as reading the clock, and a thousandth of `least`."""
        with set_torch_threads(self._task_spec.num_threads):
            clock, number = statistics.median(self._timeit(0) for _ in range(5)), 1
            while True:
                seconds = self._timeit(number)
                if (clock / seconds <= 1e-4 and seconds >= least / 1000) or seconds > least or number * 10 > MOST_RUNS:
                    return number
                number *= 10

    def collect_callgrind(self, number: int = 100, **how: Any) -> NoReturn:
        """Counting instructions with valgrind is missing. Raises OSError without valgrind, else NotImplementedError."""
        missing = [tool for tool in CALLGRIND if not shutil.which(tool)]
        if missing:
            raise OSError(f"Missing: {', '.join(missing)}")
        raise NotImplementedError("rushlight does not count instructions: python -m cProfile counts calls.")


def outdented(text: str) -> str:
    text = textwrap.dedent(text)
    return (text[1:] if text.startswith("\n") else text).rstrip()
