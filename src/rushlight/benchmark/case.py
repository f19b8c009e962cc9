"""A case of the benchmark: a program, its bound on the ratio, and this machine's minimum time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple

Step = Callable[[], object]


class Speed(NamedTuple):
    """Measured speed of a machine with a number of threads."""

    bytes_per_second: float
    flops_per_second: float
    seconds_per_call: float  # of a NumPy function on four elements


class Floor(NamedTuple):
    """The minimum cost of a case: memory read and written once, floating-point operations, NumPy calls."""

    bytes: int = 0
    flops: int = 0
    calls: int = 0

    def seconds(self, speed: Speed) -> float:
        """Returns the longest of the three on a machine of this speed."""
        return max(
            self.bytes / speed.bytes_per_second,
            self.flops / speed.flops_per_second,
            self.calls * speed.seconds_per_call,
        )


NO_FLOOR = Floor()


@dataclass(frozen=True)
class Case:
    """A program that is written once: `program(torch)` returns a step, whose results both libraries must agree on."""

    name: str
    program: Callable[[ModuleType], Step]
    words: str
    bound: float | None = None  # of the median ratio of our time to PyTorch's
    floor: Floor = NO_FLOOR
    tolerance: float = 1e-4
    by_norm: bool = False  # compares arrays by norm: a ReLU within rounding of 0 may flip single elements


def case(
    bound: float | None = None, floor: Floor = NO_FLOOR, tolerance: float = 1e-4, by_norm: bool = False
) -> Callable[..., Case]:
    """Makes a case of a function; its name and the first line of its docstring become the case's."""

    def decorate(program: Callable[[ModuleType], Step]) -> Case:
        words = (program.__doc__ or "").partition("\n")[0].removesuffix(".")
        return Case(program.__name__, program, words, bound, floor, tolerance, by_norm)

    return decorate


class Sides(NamedTuple):
    """One measurement of both libraries, or of ours alone."""

    ours: float
    theirs: float | None


@dataclass(frozen=True)
class Reading:
    """A measurement that is not a step: `read(rounds, compare)` returns pairs of seconds or bytes, one per round."""

    name: str
    read: Callable[[int, bool], list[Sides]]
    words: str
    bound: float | None
    unit: str = "s"
    other: str = "torch"
