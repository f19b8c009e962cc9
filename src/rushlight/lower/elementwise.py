"""Kernels of elementwise formulas: a result, or all derivatives of an operator, as one ufunc."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rushlight.arrays.elementwise import FITTING_NUMBERS
from rushlight.kernels import loops
from rushlight.lower import conversions, inner_loop, ir, llvm, trace, ufunc
from rushlight.lower.emit import reached
from rushlight.lower.ir import BIT, F32, F64, TYPES, Trace, Untraceable, Value

FLOATS = {np.dtype(np.float32), np.dtype(np.float64)}
BOOL = np.dtype(np.bool_)
LONG = 400  # steps of a formula, of which the longest functions have 300: more of them are quicker one by one
MOST = 64  # kernels of one formula for numbers: one that changes at every step must not compile one at every step

# How an argument enters a kernel. An array of another dtype than is computed in enters under the name of its own.
ARRAY, MASK, SCALAR, NUMBER, FIXED = "array", "mask", "scalar", "number", "fixed"
OTHER = "another number than 1"
ONE = (MASK, SCALAR, NUMBER, OTHER, FIXED)

# Operands by name, in the type of the kernel, to results: None for one that is an operand unchanged.
Formula = Callable[[dict[str, Any]], Sequence[Value]]


class Argument(NamedTuple):
    """An argument of a formula: an element, a truth value, one number for all, an array's or plain, or fixed."""

    name: str
    kind: str
    value: Any = None


class Plan(NamedTuple):
    """A traced formula: the operands that are used, the results that are computed, and where all results come from."""

    operands: list[Value]
    computed: list[Value]
    results: list[Value]


class Kernel(NamedTuple):
    """A compiled formula: the ufunc, the names it takes in order, and the results: its own by number, or a name."""

    ufunc: Any
    takes: tuple[str, ...]
    gives: tuple[int | str, ...]

    def __call__(self, values: dict[str, Any], out: np.ndarray | None = None) -> tuple:
        if self.ufunc is None:
            return tuple(values[str(each)] for each in self.gives)
        taken = [values[each] for each in self.takes]
        found = self.ufunc(*taken) if out is None else self.ufunc(*taken, out=out)
        found = found if type(found) is tuple else (found,)
        return tuple(values[each] if isinstance(each, str) else found[each] for each in self.gives)


def planned(
    formula: Formula, arguments: Sequence[Argument], type: str, rounded: Sequence[str] | None = None
) -> tuple[Plan, list[str]]:
    """The formula traced in one precision, and the names of the operands that it uses.

    `rounded` are the names of the dtypes that results are stored in, where these are not what is computed in.
    """
    made = Trace()
    given: dict[str, Any] = {}
    operands: dict[Value, str] = {}
    whole: dict[Value, tuple[Value, str]] = {}
    for number, each in enumerate(arguments):
        given[each.name] = each.value
        if each.kind != FIXED:
            operand, given[each.name] = entering(made, number, each.kind, type)
            operands[operand] = each.name
            whole[given[each.name]] = operand, each.kind
            if each.kind == OTHER:
                made.others.add(operand)
    results = [each if isinstance(each, Value) else made.constant(each, type) for each in formula(given)]
    if rounded is not None:
        results = [
            whole[each][0] if each in whole and whole[each][1] == name else conversions.stored(each, name)
            for each, name in zip(results, rounded, strict=True)
        ]
    computed = list(dict.fromkeys(each for each in results if each not in operands))
    used = [each for each in operands if each in reached(computed)]
    if computed and all(arguments[each.literal].kind in ONE for each in used):
        raise Untraceable("a formula that uses no array")
    if (steps := len(reached(computed, usual=True))) > LONG:
        raise Untraceable(f"a formula of {steps} steps")
    if len(used) + len(computed) > loops.MOST:
        raise Untraceable(f"a formula of {len(used)} operands and {len(computed)} results")
    return Plan(used, computed, results), [operands[each] for each in used]


def entering(made: Trace, number: int, kind: str, type: str) -> tuple[Value, Value]:
    """An operand as it lies in memory, and as the formula is given it."""
    if kind not in conversions.TYPES:
        operand = made.operand(number, BIT if kind == MASK else type)
        return operand, operand
    operand = made.operand(number, conversions.TYPES[kind])
    return operand, conversions.loaded(operand, kind, type)


def compiled(
    name: str,
    formula: Formula,
    arguments: Sequence[Argument],
    types: Sequence[str],
    rounded: Sequence[str] | None = None,
) -> Kernel:
    """The kernel of a formula in one precision or both, each of which is compiled when it is first called."""
    numbers = {each.name for each in arguments if each.kind in (SCALAR, NUMBER, OTHER)}
    kernels = []
    plan: Plan | None = None
    takes: list[str] = []
    for type in types:
        plan, takes = planned(formula, arguments, type, rounded)
        if not plan.computed:
            break
        alike = {each for each, known in zip(plan.operands, takes, strict=True) if known in numbers}
        make = partial(inner_loop.compiled, plan.operands, plan.computed, alike)
        kinds = [dtype_in(each, arguments) for each in plan.operands]
        kinds += [conversions.RESULTS[each.type] for each in plan.computed]
        single = [each in alike for each in plan.operands]
        kernels.append(ufunc.Loop(make, inner_loop.lanes_of(plan.computed), kinds, single))
    assert plan is not None
    known = dict(zip(plan.operands, takes, strict=True))
    places = {each: number for number, each in enumerate(plan.computed)}
    gives = tuple(places[each] if each in places else name_of(each, arguments) for each in plan.results)
    if not plan.computed:
        return Kernel(None, (), gives)
    return Kernel(ufunc.ufunc(name, kernels), tuple(known[each] for each in plan.operands), gives)


def dtype_in(operand: Value, arguments: Sequence[Argument]) -> np.dtype:
    """The dtype in which a ufunc is given an operand."""
    kind = arguments[operand.literal].kind
    return conversions.OPERANDS[kind] if kind in conversions.OPERANDS else ir.DTYPES[operand.type]


def name_of(operand: Value, arguments: Sequence[Argument]) -> str:
    return arguments[operand.literal].name


def kind_of(value, dtype, converts: bool = False) -> str | None:
    """How a value enters a kernel of a dtype, None if it cannot."""
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype == dtype:
            return ARRAY if value.ndim else SCALAR
        return conversions.NAMES.get(value.dtype) if converts else MASK if value.dtype == BOOL else None
    if type(value) in (int, float):
        return NUMBER
    return FIXED if value is None or type(value) in (bool, str) or isinstance(value, np.dtype) else None


class Kernels:
    """The kernels of one formula, by how its arguments enter; each is compiled when it is first asked for.

    A formula that looks at a number is compiled for that number, unless it only asks whether it is 1, and so is one for
    the numbers in `built_in`; one that cannot be traced has None.
    """

    def __init__(self, name: str, formula: Formula, built_in: frozenset = frozenset()):
        self.name, self.formula, self.built_in = name, formula, built_in
        self.found: dict[tuple, Kernel | None] = {}
        self.numbered = 0  # the kernels for a number of their own

    def run(
        self,
        values: dict[str, Any],
        dtype: np.dtype,
        rounded: Sequence[np.dtype] | None = None,
        out: np.ndarray | None = None,
    ) -> tuple | None:
        """The results, None if there is no kernel for such arguments.

        With `rounded`, the dtypes of results, arrays may be of any dtype: `dtype` is what is computed in. A kernel with
        one result may be told where to write it.
        """
        entered = self.converted(values, dtype, rounded)
        if entered is None or (out is not None and entered[0].ufunc is None):
            return None
        kernel, given = entered
        results = kernel(given, None if out is None else conversions.words(out))
        return results if rounded is None else tuple([conversions.unworded(each) for each in results])

    def converted(
        self, values: dict[str, Any], dtype: np.dtype, rounded: Sequence[np.dtype] | None
    ) -> tuple[Kernel, dict[str, Any]] | None:
        """The kernel of `run`, and what it is given; None where no kernel takes such arguments."""
        if dtype not in FLOATS:
            return None
        found = [kind_of(each, dtype, rounded is not None) for each in values.values()]
        kinds = [each for each in found if each is not None]
        if len(kinds) < len(found):
            return None
        names = None
        if rounded is not None and (any([each in conversions.TYPES for each in kinds]) or set(rounded) != {dtype}):
            names = tuple([conversions.NAMES[each] for each in rounded])
            values = {name: conversions.words(each) for name, each in values.items()}
        kernel, given = self._entered(values, kinds, dtype, names)
        return None if kernel is None else (kernel, given)

    def prepared(self, values: dict[str, Any], dtype: np.dtype) -> tuple[Kernel | None, dict[str, Any]]:
        """The kernel for arguments of one dtype, if there is one, and what it is given."""
        kinds = [kind_of(each, dtype) for each in values.values()]
        known = [each for each in kinds if each is not None]
        return self._entered(values, known, dtype, None) if len(known) == len(kinds) else (None, values)

    def _entered(self, values: dict[str, Any], kinds: list[str], dtype, rounded) -> tuple[Kernel | None, dict]:
        if NUMBER not in kinds and not (self.built_in and SCALAR in kinds):
            return self._kernel(values, kinds, (TYPES[dtype],), rounded), values
        return self._with_numbers(values, kinds, dtype, rounded)

    def _with_numbers(self, values: dict[str, Any], kinds: list[str], dtype, rounded) -> tuple[Kernel | None, dict]:
        """The kernel where some arguments are numbers, and what it is given."""
        if self.built_in:
            values = {name: value.item() if kind == SCALAR else value
                      for (name, value), kind in zip(values.items(), kinds, strict=True)}  # fmt: skip
            kinds = [FIXED if kind in (SCALAR, NUMBER) and each in self.built_in else kind
                     for each, kind in zip(values.values(), kinds, strict=True)]  # fmt: skip
        kernel = self._kernel(values, kinds, (TYPES[dtype],), rounded)
        for entering_as in (OTHER, FIXED):
            if kernel is None:
                kinds = [(FIXED if value == 1 else entering_as) if kind in (NUMBER, OTHER) else kind
                         for value, kind in zip(values.values(), kinds, strict=True)]  # fmt: skip
                kernel = self._kernel(values, kinds, (TYPES[dtype],), rounded)
        numbers = FITTING_NUMBERS[dtype]
        try:
            return kernel, {name: numbers[value] if type(value) in (int, float) and kind != FIXED else value
                            for (name, value), kind in zip(values.items(), kinds, strict=True)}  # fmt: skip
        except RuntimeError:  # beyond the dtype, where an operand is infinite and an argument refused: NumPy's way
            return None, values

    def _kernel(self, values: dict[str, Any], kinds: Sequence[str], types: tuple, rounded=None) -> Kernel | None:
        fixed = [each for each, kind in zip(values.values(), kinds, strict=True) if kind == FIXED]
        key = (types, rounded, *kinds, *fixed)
        if key not in self.found:
            numbered = any([type(each) in (int, float) and each != 1 for each in fixed])
            if numbered and self.numbered >= MOST:
                return None
            self.numbered += numbered
            self._compile(key, values, kinds, types, rounded)
        return self.found[key]

    def of_arrays(self, names: Sequence[str]) -> Any:
        """The ufunc of both precisions that takes arrays by these names, in order; None if there is none."""
        kernel = self._kernel(dict.fromkeys(names), [ARRAY] * len(names), (F32, F64))
        return kernel.ufunc if kernel is not None and kernel.takes == tuple(names) else None

    def _compile(self, key: tuple, values: dict[str, Any], kinds: Sequence[str], types: tuple, rounded) -> None:
        arguments = [
            Argument(name, kind, value if kind == FIXED else None)
            for (name, value), kind in zip(values.items(), kinds, strict=True)
        ]
        with llvm.COMPILING:
            if key not in self.found:
                try:
                    self.found[key] = compiled(self.name, self.formula, arguments, types, rounded)
                except Untraceable:
                    self.found[key] = None


def built_in(names: Sequence[str]) -> frozenset:
    """The numbers that are worth a kernel of their own in a formula that calls functions of these names."""
    return frozenset(trace.PRODUCTS) if "power" in names else frozenset()


def result_of(op) -> Formula:
    """The formula of a declaration's result."""
    return lambda given: [trace.forward(op, given)]


def derivatives_of(op, wanted: Sequence[str]) -> Formula:
    """The formulas of the derivatives that are wanted, from what they ask for."""
    return lambda given: [trace.derivative(op, each, given) for each in wanted]


def function_of(name: str) -> Callable:
    """The formula of a function of the array language."""
    function = getattr(trace.ARRAYS, name)
    return lambda given: [function(*given.values())]
