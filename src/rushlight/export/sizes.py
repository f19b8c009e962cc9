"""Numbers that depend on the sizes of inputs, known by their values in several runs of a model.

A model that is traced runs several times, each time with other sizes of those dimensions that may change. What differs
between the runs follows from the sizes: a `Varying` number has its value in each run, and computes as numbers do.
`solved` finds out how it follows from sizes of tensors that are at hand.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import isfinite, lcm
from typing import Any, NamedTuple


class SizeDependent(Exception):
    """A decision depends on a size that may change."""


class Varying:
    """A number that is not the same in all runs: its value in each."""

    __slots__ = ("values",)

    def __init__(self, values: tuple):
        self.values = values

    def __repr__(self):
        return f"Varying{self.values}"

    def __hash__(self):
        return hash(self.values)

    def __eq__(self, other) -> bool:
        """Whether two numbers are equal in all runs; raises SizeDependent if they are in some."""
        if type(other) is not Varying and not isinstance(other, int | float):
            return False
        return decided([a == b for a, b in zip(self.values, each_run(other, len(self.values)), strict=True)])

    def __bool__(self):
        return decided([bool(value) for value in self.values])

    def __neg__(self):
        return varying([-value for value in self.values])

    def __index__(self):
        raise SizeDependent


def varying(values: Iterable) -> Any:
    """Returns a value in all runs as one: itself if the runs agree."""
    values = tuple(values)
    same = all([type(value) is type(values[0]) and value == values[0] for value in values[1:]])
    return values[0] if same else Varying(values)


def decided(answers: list[bool]) -> bool:
    """Returns the answer of all runs. Raises SizeDependent if they differ."""
    if len(set(answers)) > 1:
        raise SizeDependent
    return answers[0]


def each_run(value: Any, count: int) -> tuple:
    """Returns the values of a number in the runs."""
    return value.values if type(value) is Varying else (value,) * count


def computing(function: Callable, flipped: bool = False) -> Callable:
    """Returns a method that computes in each run."""

    def method(self, other):
        if type(other) is not Varying and not isinstance(other, int | float):
            return NotImplemented
        pairs = zip(self.values, each_run(other, len(self.values)), strict=True)
        return varying([function(b, a) if flipped else function(a, b) for a, b in pairs])

    return method


def comparing(function: Callable) -> Callable:
    """Returns a method that compares in each run. Raises SizeDependent if the answers differ."""

    def method(self, other):
        pairs = zip(self.values, each_run(other, len(self.values)), strict=True)
        return decided([function(a, b) for a, b in pairs])

    return method


for _name in ("add", "sub", "mul", "floordiv", "truediv", "mod", "pow"):
    _function = getattr(operator, _name)
    setattr(Varying, f"__{_name}__", computing(_function))
    setattr(Varying, f"__r{_name}__", computing(_function, flipped=True))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Varying, f"__{_name}__", comparing(getattr(operator, _name)))


class Formula(NamedTuple):
    """How a number follows from sizes: `(product of factors * times + plus) // over`."""

    factors: tuple
    times: int
    plus: int
    over: int


def solved(values: tuple[int, ...], sizes: Mapping[tuple[int, ...], Hashable]) -> Formula | None:
    """Returns how a number follows from sizes that are at hand, by their values in the runs; None if nothing is found.

    The simplest formula is preferred: a size, a multiple of it and a number, then products of two and three sizes.
    """
    if values in sizes:
        return Formula((sizes[values],), 1, 0, 1)
    for count in (1, 2, 3):
        for factors in combinations_with_replacement(tuple(sizes), count):
            product = [*factors[0]]
            for factor in factors[1:]:
                product = [a * b for a, b in zip(product, factor, strict=True)]
            if (line := through(product, values)) is not None:
                return Formula(tuple([sizes[factor] for factor in factors]), *line)
    return None


EXPONENTS = (1, 0.5, -1, -0.5)


def power_of(values: tuple) -> tuple[tuple[int, ...], float] | None:
    """Returns integers and the exponent with which they give numbers: an integer, its root, or 1 divided by either."""
    for exponent in EXPONENTS:
        if exponent < 0 and 0 in values:
            continue
        if exponent in (0.5, -0.5) and min(values) < 0:  # a root is not negative
            continue
        bases = [float(value) ** (1 / exponent) for value in values]
        whole = [round(base) for base in bases if isfinite(base)]
        if len(whole) == len(values) and all([abs(a - b) <= 1e-9 * abs(b) for a, b in zip(whole, bases, strict=True)]):
            return tuple(whole), exponent
    return None


def through(sizes: list[int], values: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Returns the line on which values are over sizes: `(size * times + plus) / over`, which divides evenly."""
    pairs = sorted(zip(sizes, values, strict=True))
    (first, low), (last, high) = pairs[0], pairs[-1]
    if first == last or len(set(sizes)) < min(3, len(values)):
        return None
    slope = Fraction(high - low, last - first)
    plus = low - slope * first
    if slope == 0 or any([slope * size + plus != value for size, value in pairs]):
        return None
    over = lcm(slope.denominator, plus.denominator)
    return int(slope * over), int(plus * over), over
