"""Formulas of optimizers as machine code: `_update` run once on expressions, then one pass over a parameter's memory.

NumPy goes through the blocks of a large parameter ten to fifteen times. The kernel reads parameter, gradient and state
once, and writes where it read. What stays the same from step to step is built into it; the rate, and what a method
computes from its counters, is given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MethodType, SimpleNamespace
from typing import Any

import numpy as np

from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.lower.elementwise import ARRAY, FIXED, FLOATS, NUMBER, Argument, Kernel, compiled
from rushlight.lower.ir import TYPES, Untraceable
from rushlight.lower.trace import ARRAYS

MANY = 8  # kernels of one optimizer: where options change at every step, so would the kernels
MOST = 64  # kernels of all optimizers together, for machine code is never given back
OPTION = "o."  # begins the names of options and counters among the values of a kernel


Taken = tuple[Kernel, list[int | str]]  # a kernel, and what it takes: arrays of a parameter by number, options by name

# By formula and what it is given, of all optimizers: a program may make one for every trial.
MADE: dict[tuple, Kernel | None] = {}


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

    def __init__(self, update: MethodType, options: Sequence[str]):
        self.update, self.options = update, frozenset(options)
        self.found: dict[tuple, Kernel | None] = {}
        self.last: tuple[tuple, Callable | None] = ((), None)  # what it was made for, and the step
        self.lasting: tuple[tuple, Taken | None] = ((), None)  # the same of what lasts longer than a step

    def step(self, o: SimpleNamespace, kept: Sequence[str], names: Sequence[str], dtype) -> Callable | None:
        """What steps one parameter in place, given its contiguous array, its gradient's, and those of `names`.

        `kept` are all that the formula may keep; it takes None for those that it was not asked for. None if there is no
        kernel for such a formula.
        """
        if dtype not in FLOATS:
            return None
        made_for = (dtype, tuple(names), *vars(o).values())
        if self.last[0] != made_for:  # without counters nothing changes from step to step
            self.last = made_for, self._step(o, kept, names, dtype)
        return self.last[1]

    def _step(self, o: SimpleNamespace, kept: Sequence[str], names: Sequence[str], dtype) -> Callable | None:
        options = vars(o)
        lasting = (dtype, *names, *[NUMBER if self._changes(*each) else each[1] for each in options.items()])
        if self.lasting[0] != lasting:
            self.lasting = lasting, self._taken(options, kept, names, dtype)
        if self.lasting[1] is None:
            return None
        kernel, places = self.lasting[1]
        numbers = ARRAY_NUMBERS[dtype]
        taken: list[Any] = [numbers[options[each]] if isinstance(each, str) else each for each in places]
        ufunc, in_order = kernel.ufunc, kernel.gives == tuple(range(len(kernel.gives)))

        def step(arrays: Sequence[np.ndarray]) -> None:
            given = [arrays[each] if type(each) is int else each for each in taken]
            if in_order:
                ufunc(*given, out=(arrays[0], *arrays[2:]))
            else:
                write(kernel, given, (arrays[0], *arrays[2:]))

        return step

    def _taken(self, options: dict[str, Any], kept: Sequence[str], names: Sequence[str], dtype) -> Taken | None:
        row = ("param", "gradient", *names)
        arguments = [Argument(name, ARRAY) if name in row else Argument(name, FIXED)
                     for name in dict.fromkeys(("param", "gradient", *kept))]  # fmt: skip
        arguments += [Argument(f"{OPTION}{name}", NUMBER) if self._changes(name, value) else
                      Argument(f"{OPTION}{name}", FIXED, value) for name, value in options.items()]  # fmt: skip
        kernel = self._kernel(TYPES[dtype], arguments, ("param", *names))
        if kernel is None:
            return None
        return kernel, [row.index(name) if name in row else name.removeprefix(OPTION) for name in kernel.takes]

    def _changes(self, name: str, value) -> bool:
        return type(value) in (int, float) and name not in self.options

    def _kernel(self, type: str, arguments: list[Argument], written: Sequence[str]) -> Kernel | None:
        key = (type, *arguments)
        if key not in self.found:
            if len(self.found) >= MANY:
                return None
            self.found[key] = self._made(key, type, arguments, written)
        return self.found[key]

    def _made(self, key: tuple, type: str, arguments: list[Argument], written: Sequence[str]) -> Kernel | None:
        """The kernel, which optimizers share: the formulas of this package ask an optimizer for its options only."""
        if not self.update.__module__.startswith(__package__):
            return self._compiled(type, arguments, written)
        shared = (self.update.__func__, *key)
        if shared not in MADE:
            if len(MADE) >= MOST:
                return None
            MADE[shared] = self._compiled(type, arguments, written)
        return MADE[shared]

    def _compiled(self, type: str, arguments: list[Argument], written: Sequence[str]) -> Kernel | None:
        try:
            return compiled("update", lambda given: self._results(given, written), arguments, (type,))
        except Untraceable:
            return None

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


def write(kernel: Kernel, given: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> None:
    """Computes the results of a kernel into arrays, which may be its operands."""
    outs: dict[int, np.ndarray] = {}
    copies = []
    for target, source in zip(targets, kernel.gives, strict=True):
        assert isinstance(source, int)  # no result is an operand
        if outs.setdefault(source, target) is not target:
            copies.append((target, source))
    kernel.ufunc(*given, out=tuple(outs[number] for number in range(len(outs))))
    for target, source in copies:
        target[...] = outs[source]
