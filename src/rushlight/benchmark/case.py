"""What a case of the benchmark is: a program, the ratio that it may take, and what this machine needs at least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple

Step = Callable[[], object]


class Speed(NamedTuple):
    """What one machine can do with a number of threads, measured."""

    bytes_per_second: float
    flops_per_second: float
    seconds_per_call: float  # of a NumPy function on four elements


class Floor(NamedTuple):
    """What a case cannot do without: memory read and written once, floating-point operations, calls of NumPy."""

    bytes: int = 0
    flops: int = 0
    calls: int = 0

    def seconds(self, speed: Speed) -> float:
        """The longest of the three on a machine of this speed."""
        return max(
            self.bytes / speed.bytes_per_second,
            self.flops / speed.flops_per_second,
            self.calls * speed.seconds_per_call,
        )


NO_FLOOR = Floor()


@dataclass(frozen=True)
class Case:
    """A program that is written once: `program(torch)` gives a step, which gives what both libraries must agree on."""

    name: str
    program: Callable[[ModuleType], Step]
    words: str
    bound: float | None = None  # of the median ratio, ours to PyTorch's
    floor: Floor = NO_FLOOR
    tolerance: float = 1e-4
    by_norm: bool = False  # a ReLU within rounding of 0 may flip: arrays agree as a whole, not in every number


def case(
    bound: float | None = None, floor: Floor = NO_FLOOR, tolerance: float = 1e-4, by_norm: bool = False
) -> Callable[..., Case]:
    """Makes a case of a function; its name and the first line of its docstring are the case's."""

    def decorate(program: Callable[[ModuleType], Step]) -> Case:
        words = (program.__doc__ or "").partition("\n")[0].removesuffix(".")
        return Case(program.__name__, program, words, bound, floor, tolerance, by_norm)

    return decorate


class Sides(NamedTuple):
    """One reading of both libraries, or of ours alone."""

    ours: float
    theirs: float | None


@dataclass(frozen=True)
class Reading:
    """What is not a step: `read(rounds, compare)` gives one pair of values per round, in seconds or in bytes."""

    name: str
    read: Callable[[int, bool], list[Sides]]
    words: str
    bound: float | None
    unit: str = "s"
    other: str = "torch"
