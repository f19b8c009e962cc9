"""Optimizers' formulas as machine code: `_update` traced on expressions, then one pass over a parameter's memory.

NumPy goes through the blocks of a large parameter ten to fifteen times. The kernel reads parameter, gradient and state
once, and writes in place. Options that stay the same are constants of the kernel; the rate, and scalars computed from
the counters, are arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MethodType, SimpleNamespace
from typing import Any, NamedTuple
from weakref import WeakMethod

import numpy as np

from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.kernels.each_row import Rows
from rushlight.lower.elementwise import ARRAY, FIXED, FLOATS, NUMBER, Argument, Kernel, compiled
from rushlight.lower.ir import TYPES, Untraceable
from rushlight.lower.python_layout import readable
from rushlight.lower.trace import ARRAYS

MAX_KERNELS = 8  # kernels of one optimizer: options that change at every step would compile at every step
MAX_SHARED_KERNELS = 64  # kernels of all optimizers: machine code is never freed
OPTION = "o."  # prefix of the names of options and counters among the arguments of a kernel


class Binding(NamedTuple):
    """A kernel, its arguments (arrays by index, options by name), and the same for many parameters in one call."""

    kernel: Kernel
    arguments: list[int | str]
    rows: Rows | None


# Kernels of all optimizers by formula and arguments: a program may make one optimizer per experiment.
COMPILED: dict[tuple, Kernel | None] = {}


class Verbs:
    """The operations of `arithmetic.py` on expressions. A weight is a constant."""

    sqrt, abs, sign, maximum = map(staticmethod, (ARRAYS.sqrt, ARRAYS.abs, ARRAYS.sign, ARRAYS.maximum))
    clamp, where = map(staticmethod, (ARRAYS.clip, ARRAYS.where))
    add = staticmethod(lambda input, other, alpha: other * alpha + input)
    addcmul = staticmethod(lambda input, first, second, value: first * value * second + input)
    addcdiv = staticmethod(lambda input, first, second, value: first * value / second + input)
    constant = staticmethod(lambda input: input)

    @staticmethod
    def lerp(start, end, weight):
        """Interpolates from `start` to `end`, computed from the nearer of the two."""
        difference = end - start
        return difference * weight + start if abs(weight) < 0.5 else difference * (weight - 1) + end


class Kernels:
    """The kernels of one optimizer, by its options and state; None for a formula that cannot be traced.

    `options` are the names of options that rarely change.
    """

    def __init__(self, update: MethodType, options: Sequence[str]):
        self.method, self.options = WeakMethod(update), frozenset(options)  # the optimizer has the kernels
        self.found: dict[tuple, Kernel | None] = {}
        self.last: tuple[tuple, Step | None] = ((), None)  # the key and the step made for it
        self.lasting: tuple[tuple, Binding | None] = ((), None)  # the same for the part that outlasts a step

    @property
    def update(self) -> Any:
        """The formula, a method of the optimizer."""
        return self.method()

    def step(self, o: SimpleNamespace, state_names: Sequence[str], names: Sequence[str], dtype) -> Step | None:
        """Returns the step of parameters in place, given the arrays of parameters, gradients and `names`.

        `state_names` are all state names of the formula; those not in `names` are None. Returns None if there is no
        kernel for the formula.
        """
        if dtype not in FLOATS:
            return None
        made_for = (dtype, tuple(names), *vars(o).values())
        if self.last[0] != made_for:  # without counters nothing changes from step to step
            self.last = made_for, self._step(o, state_names, names, dtype)
        return self.last[1]

    def _step(self, o: SimpleNamespace, state_names: Sequence[str], names: Sequence[str], dtype) -> Step | None:
        options = vars(o)
        lasting = (dtype, *names, *[NUMBER if self._changes(*item) else item[1] for item in options.items()])
        if self.lasting[0] != lasting:
            self.lasting = lasting, self._taken(options, state_names, names, dtype)
        if self.lasting[1] is None:
            return None
        numbers = ARRAY_NUMBERS[dtype]
        arguments = self.lasting[1].arguments
        return Step(self.lasting[1], [numbers[options[item]] if isinstance(item, str) else item for item in arguments])

    def _taken(
        self, options: dict[str, Any], state_names: Sequence[str], names: Sequence[str], dtype
    ) -> Binding | None:
        row = ("param", "gradient", *names)
        arguments = self._arguments(options, state_names, row)
        kernel = self._kernel(TYPES[dtype], arguments, ("param", *names))
        if kernel is None:
            return None
        takes = [row.index(name) if name in row else name.removeprefix(OPTION) for name in kernel.takes]
        return Binding(kernel, takes, rows_of(kernel, takes, dtype))

    def _arguments(self, options: dict[str, Any], state_names: Sequence[str], row: Sequence[str]) -> list[Argument]:
        """Returns the arguments of the formula: the arrays of `row`, absent state, and options."""
        arguments = [Argument(name, ARRAY) if name in row else Argument(name, FIXED)
                     for name in dict.fromkeys(("param", "gradient", *state_names))]  # fmt: skip
        return arguments + [Argument(f"{OPTION}{name}", NUMBER) if self._changes(name, value) else
                            Argument(f"{OPTION}{name}", FIXED, value) for name, value in options.items()]  # fmt: skip

    def _changes(self, name: str, value) -> bool:
        return type(value) in (int, float) and name not in self.options

    def _kernel(self, type: str, arguments: list[Argument], written: Sequence[str]) -> Kernel | None:
        key = (type, *arguments)
        if key not in self.found:
            if len(self.found) >= MAX_KERNELS:
                return None
            self.found[key] = self._made(key, type, arguments, written)
        return self.found[key]

    def _made(self, key: tuple, type: str, arguments: list[Argument], written: Sequence[str]) -> Kernel | None:
        """Returns the kernel; formulas of this package share theirs, since they use only the optimizer's options."""
        if not self.update.__module__.startswith(__package__):
            return self._compiled(type, arguments, written)
        shared = (self.update.__func__, *key)
        if shared not in COMPILED:
            if len(COMPILED) >= MAX_SHARED_KERNELS:
                return None
            COMPILED[shared] = self._compiled(type, arguments, written)
        return COMPILED[shared]

    def _compiled(self, type: str, arguments: list[Argument], written: Sequence[str]) -> Kernel | None:
        try:
            return compiled("update", lambda values: self._results(values, written), arguments, (type,))
        except Untraceable:
            return None

    def _results(self, values: dict[str, Any], written: Sequence[str]) -> list:
        """Applies the formula to expressions; returns the new parameter and the new state in `written`."""
        o = SimpleNamespace(**{name[len(OPTION) :]: value for name, value in values.items() if name.startswith(OPTION)})
        operands = {name: value for name, value in values.items() if not name.startswith(OPTION)}
        results = self.update(Verbs, o, *operands.values())
        names = [name for name in operands if name != "gradient"]
        outputs = [result for name, result in zip(names, results, strict=True) if name in written]
        if any(result is operand for result in outputs for operand in operands.values()):
            raise Untraceable("what is written would be an operand")  # which may be overwritten before it is read
        return outputs


class Step:
    """A step with given numbers: `values` are the arguments of the kernel, arrays by index."""

    def __init__(self, binding: Binding, values: list):
        self.binding, self.values = binding, values

    def one(self, arrays: Sequence[np.ndarray]) -> None:
        """Steps one parameter; all arrays are contiguous."""
        kernel = self.binding.kernel
        args = [arrays[item] if type(item) is int else item for item in self.values]
        write(kernel, args, (arrays[0], *arrays[2:]))

    def every(self, rows: list[list], otherwise: Callable[[Sequence[np.ndarray]], None]) -> None:
        """Steps all parameters, and those by `otherwise` whose arrays do not fit the kernel as they are."""
        lists, count, at = tuple(rows), len(rows[0]), 0
        if (machine := self.binding.rows) is None:
            for row in zip(*rows, strict=True):
                otherwise(row)
            return
        for place, value in enumerate(self.values):
            if type(value) is not int:
                machine.numbers[place] = value
        while (at := machine(lists, at)) < count:
            otherwise([row[at] for row in rows])
            at += 1


def rows_of(kernel: Kernel, arguments: list[int | str], dtype: np.dtype) -> Rows | None:
    """Returns the kernel for many parameters; None if one result is written to several arrays."""
    if kernel.gives != tuple(range(len(kernel.gives))) or not readable():
        return None
    sources = [item if type(item) is int else None for item in arguments]
    return Rows(kernel.ufunc, dtype, sources, [0, *range(2, len(kernel.gives) + 1)])


def write(kernel: Kernel, args: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> None:
    """Writes the results of a kernel to arrays, which may be its operands."""
    if kernel.gives == tuple(range(len(kernel.gives))):
        kernel.ufunc(*args, out=tuple(targets))
        return
    outs: dict[int, np.ndarray] = {}
    copies = []
    for target, source in zip(targets, kernel.gives, strict=True):
        assert isinstance(source, int)  # no result is an operand
        if outs.setdefault(source, target) is not target:
            copies.append((target, source))
    kernel.ufunc(*args, out=tuple(outs[number] for number in range(len(outs))))
    for target, source in copies:
        target[...] = outs[source]
