"""Formulas of optimizers as machine code: `update` run once on expressions, then one pass over a parameter's memory.

NumPy goes through the blocks of a large parameter ten to fifteen times. The kernel reads parameter, gradient and state
once, and writes where it read. What stays the same from step to step is built into it; the rate, and what a method
computes from its counters, is given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from rushlight.compiler import is_ready
from rushlight.compiler.elementwise import ARRAY, FIXED, FLOATS, NUMBER, Argument, Kernel, compiled
from rushlight.compiler.ir import TYPES, Untraceable
from rushlight.compiler.trace import ARRAYS
from rushlight.core.numbers import ARRAY_NUMBERS

MANY = 8  # kernels of one optimizer: where options change at every step, so would the kernels
OPTION = "o."  # begins the names of options and counters among the values of a kernel


class Verbs:
    """The verbs of `arithmetic.py` on expressions. A weight is a number that is built in."""

    sqrt, abs, sign, maximum = map(staticmethod, (ARRAYS.sqrt, ARRAYS.abs, ARRAYS.sign, ARRAYS.maximum))
    clamp, where = map(staticmethod, (ARRAYS.clip, ARRAYS.where))
    add = staticmethod(lambda input, other, alpha: other * alpha + input)
    addcmul = staticmethod(lambda input, first, second, value: first * value * second + input)
    addcdiv = staticmethod(lambda input, first, second, value: first * value / second + input)
    constant = staticmethod(lambda input: input)

    @staticmethod
    def lerp(start, end, weight):
        """The point `weight` of the way from `start` to `end`, from the nearer of the two."""
        way = end - start
        return way * weight + start if abs(weight) < 0.5 else way * (weight - 1) + end


class Kernels:
    """The kernels of one optimizer, by its options and by what it keeps; None for a formula that cannot be traced.

    `options` are the names of those that hardly ever change.
    """

    def __init__(self, update: Callable, options: Sequence[str]):
        self.update, self.options = update, frozenset(f"{OPTION}{name}" for name in options)
        self.found: dict[tuple, Kernel | None] = {}

    def run(self, o: SimpleNamespace, arrays: dict[str, Any], written: Sequence[str]) -> bool:
        """Runs the formula in place on contiguous arrays, of which it takes None for those that it was not asked for.

        `written` names the arrays of its results. Says whether it was done.
        """
        dtype = arrays[written[0]].dtype
        if dtype not in FLOATS or not is_ready():
            return False
        values = arrays | {f"{OPTION}{name}": value for name, value in vars(o).items()}
        kernel = self._kernel(TYPES[dtype], [self._argument(*each) for each in values.items()], written)
        if kernel is None:
            return False
        numbers = ARRAY_NUMBERS[dtype]
        given = {name: numbers[values[name]] if name.startswith(OPTION) else values[name] for name in kernel.takes}
        write(kernel, given, [arrays[name] for name in written])
        return True

    def _argument(self, name: str, value) -> Argument:
        if isinstance(value, np.ndarray):
            return Argument(name, ARRAY)
        changes = type(value) in (int, float) and name not in self.options
        return Argument(name, NUMBER) if changes else Argument(name, FIXED, value)

    def _kernel(self, type: str, arguments: list[Argument], written: Sequence[str]) -> Kernel | None:
        key = (type, *arguments)
        if key not in self.found:
            if len(self.found) >= MANY:
                return None
            try:
                self.found[key] = compiled("update", lambda given: self._results(given, written), arguments, (type,))
            except Untraceable:
                self.found[key] = None
        return self.found[key]

    def _results(self, given: dict[str, Any], written: Sequence[str]) -> list:
        """The formula on expressions: the new parameter, and of what is kept that which was asked for."""
        o = SimpleNamespace(**{name[len(OPTION) :]: value for name, value in given.items() if name.startswith(OPTION)})
        operands = {name: value for name, value in given.items() if not name.startswith(OPTION)}
        results = self.update(Verbs, o, *operands.values())
        names = [name for name in operands if name != "gradient"]
        found = [result for name, result in zip(names, results, strict=True) if name in written]
        if any(result is operand for result in found for operand in operands.values()):
            raise Untraceable("what is written would be an operand")  # which may have been written to by then
        return found


def write(kernel: Kernel, given: dict[str, Any], targets: Sequence[np.ndarray]) -> None:
    """Computes the results of a kernel into arrays, which may be its operands."""
    outs: dict[int, np.ndarray] = {}
    copies = []
    for target, source in zip(targets, kernel.gives, strict=True):
        assert isinstance(source, int)  # no result is an operand
        if outs.setdefault(source, target) is not target:
            copies.append((target, source))
    kernel.ufunc(*given.values(), out=tuple(outs[number] for number in range(len(outs))))
    for target, source in copies:
        target[...] = outs[source]
