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
LONG = 400  # largest formula in steps (the longest functions have 300); longer ones are faster step by step
MOST = 64  # kernels of one formula for fixed numbers: one that changes at every step must not compile at every step

# How an argument enters a kernel. An array of another dtype than the computation's enters by its dtype's name.
ARRAY, MASK, SCALAR, NUMBER, FIXED = "array", "mask", "scalar", "number", "fixed"
OTHER = "another number than 1"
ONE = (MASK, SCALAR, NUMBER, OTHER, FIXED)

# Maps operands by name, in the type of the kernel, to results; None for an operand unchanged.
Formula = Callable[[dict[str, Any]], Sequence[Value]]


class Argument(NamedTuple):
    """An argument of a formula: element, mask, scalar array, Python number, or fixed value."""

    name: str
    kind: str
    value: Any = None


class Plan(NamedTuple):
    """A traced formula: operands used, results computed, and where all results come from."""

    operands: list[Value]
    computed: list[Value]
    results: list[Value]


class Kernel(NamedTuple):
    """A compiled formula: the ufunc, its argument names in order, and the results: an index of its own, or a name."""

    ufunc: Any
    takes: tuple[str, ...]
    gives: tuple[int | str, ...]

    def __call__(self, values: dict[str, Any], out: np.ndarray | None = None) -> tuple:
        if self.ufunc is None:
            return tuple(values[str(name)] for name in self.gives)
        args = [values[name] for name in self.takes]
        results = self.ufunc(*args) if out is None else self.ufunc(*args, out=out)
        results = results if type(results) is tuple else (results,)
        return tuple(values[name] if isinstance(name, str) else results[name] for name in self.gives)


def planned(
    formula: Formula,
    arguments: Sequence[Argument],
    type: str,
    rounded: Sequence[str] | None = None,
    scales: bool = True,
) -> tuple[Plan, list[str]]:
    """Traces the formula in one precision; returns the plan and the names of the operands it uses.

    `rounded` holds the dtype names of the results where they differ from the computation's, `scales` is as in `Trace`.
    """
    ir_trace = Trace(scales)
    inputs: dict[str, Any] = {}
    operands: dict[Value, str] = {}
    whole: dict[Value, tuple[Value, str]] = {}
    for number, x in enumerate(arguments):
        inputs[x.name] = x.value
        if x.kind != FIXED:
            operand, inputs[x.name] = entering(ir_trace, number, x.kind, type)
            operands[operand] = x.name
            whole[inputs[x.name]] = operand, x.kind
            if x.kind == OTHER:
                ir_trace.others.add(operand)
    results = [x if isinstance(x, Value) else ir_trace.constant(x, type) for x in formula(inputs)]
    if rounded is not None:
        results = [
            whole[x][0] if x in whole and whole[x][1] == name else conversions.stored(x, name)
            for x, name in zip(results, rounded, strict=True)
        ]
    computed = list(dict.fromkeys(x for x in results if x not in operands))
    used = [x for x in operands if x in reached(computed)]
    if computed and all(arguments[x.literal].kind in ONE for x in used):
        raise Untraceable("a formula that uses no array")
    if (steps := len(reached(computed, usual=True))) > LONG:
        raise Untraceable(f"a formula of {steps} steps")
    if len(used) + len(computed) > loops.MOST:
        raise Untraceable(f"a formula of {len(used)} operands and {len(computed)} results")
    return Plan(used, computed, results), [operands[x] for x in used]


def entering(ir_trace: Trace, number: int, entry: str, type: str) -> tuple[Value, Value]:
    """Returns an operand as stored, and as the formula gets it."""
    if entry not in conversions.TYPES:
        operand = ir_trace.operand(number, BIT if entry == MASK else type)
        return operand, operand
    operand = ir_trace.operand(number, conversions.TYPES[entry])
    return operand, conversions.loaded(operand, entry, type)


def compiled(
    name: str,
    formula: Formula,
    arguments: Sequence[Argument],
    types: Sequence[str],
    rounded: Sequence[str] | None = None,
) -> Kernel:
    """Returns the kernel of a formula in one or both precisions, each compiled at its first call."""
    numbers = {x.name for x in arguments if x.kind in (SCALAR, NUMBER, OTHER)}
    kernels = []
    plan: Plan | None = None
    takes: list[str] = []
    for type in types:
        plan, takes = planned(formula, arguments, type, rounded)
        if not plan.computed:
            break
        alike = {x for x, names_of in zip(plan.operands, takes, strict=True) if names_of in numbers}
        make = partial(inner_loop.compiled, plan.operands, plan.computed, alike)
        dtypes = [dtype_in(x, arguments) for x in plan.operands]
        dtypes += [conversions.RESULTS[x.type] for x in plan.computed]
        single = [x in alike for x in plan.operands]
        kernels.append(ufunc.Loop(make, inner_loop.lanes_of(plan.computed), dtypes, single))
    assert plan is not None
    names_of = dict(zip(plan.operands, takes, strict=True))
    places = {x: number for number, x in enumerate(plan.computed)}
    gives = tuple(places[x] if x in places else name_of(x, arguments) for x in plan.results)
    if not plan.computed:
        return Kernel(None, (), gives)
    return Kernel(ufunc.ufunc(name, kernels), tuple(names_of[x] for x in plan.operands), gives)


def dtype_in(operand: Value, arguments: Sequence[Argument]) -> np.dtype:
    """Returns the dtype in which a ufunc gets an operand."""
    entry = arguments[operand.literal].kind
    return conversions.OPERANDS[entry] if entry in conversions.OPERANDS else ir.DTYPES[operand.type]


def name_of(operand: Value, arguments: Sequence[Argument]) -> str:
    return arguments[operand.literal].name


def kind_of(value, dtype, converts: bool = False) -> str | None:
    """Returns how a value enters a kernel of a dtype; None if it cannot."""
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype == dtype:
            return ARRAY if value.ndim else SCALAR
        return conversions.NAMES.get(value.dtype) if converts else MASK if value.dtype == BOOL else None
    if type(value) in (int, float):
        return NUMBER
    return FIXED if value is None or type(value) in (bool, str) or isinstance(value, np.dtype) else None


class Kernels:
    """The kernels of one formula, by how its arguments enter; each is compiled on first use.

    A formula that inspects a number is compiled for that number, unless it only compares it with 1; so is one for the
    numbers in `built_in`. A formula that cannot be traced has None.
    """

    def __init__(self, name: str, formula: Formula, built_in: frozenset = frozenset()):
        self.name, self.formula, self.built_in = name, formula, built_in
        self.found: dict[tuple, Kernel | None] = {}
        self.numbered = 0  # the kernels for fixed numbers

    def run(
        self,
        values: dict[str, Any],
        dtype: np.dtype,
        rounded: Sequence[np.dtype] | None = None,
        out: np.ndarray | None = None,
    ) -> tuple | None:
        """Returns the results; None if no kernel fits the arguments.

        With `rounded`, the dtypes of results, arrays may be of any dtype and `dtype` is that of the computation. A
        kernel with one result may get an output array.
        """
        entered = self.converted(values, dtype, rounded)
        if entered is None or (out is not None and entered[0].ufunc is None):
            return None
        kernel, args = entered
        results = kernel(args, None if out is None else conversions.words(out))
        return results if rounded is None else tuple([conversions.unworded(x) for x in results])

    def converted(
        self, values: dict[str, Any], dtype: np.dtype, rounded: Sequence[np.dtype] | None
    ) -> tuple[Kernel, dict[str, Any]] | None:
        """Returns the kernel of `run` and its arguments; None if no kernel fits."""
        if dtype not in FLOATS:
            return None
        entries = [kind_of(x, dtype, rounded is not None) for x in values.values()]
        known_entries = [x for x in entries if x is not None]
        if len(known_entries) < len(entries):
            return None
        names = None
        if rounded is not None and (any([x in conversions.TYPES for x in known_entries]) or set(rounded) != {dtype}):
            names = tuple([conversions.NAMES[x] for x in rounded])
            values = {name: conversions.words(x) for name, x in values.items()}
        kernel, args = self._entered(values, known_entries, dtype, names)
        return None if kernel is None else (kernel, args)

    def prepared(self, values: dict[str, Any], dtype: np.dtype) -> tuple[Kernel | None, dict[str, Any]]:
        """Returns the kernel for arguments of one dtype, if any, and its arguments."""
        entries = [kind_of(x, dtype) for x in values.values()]
        valid = [x for x in entries if x is not None]
        return self._entered(values, valid, dtype, None) if len(valid) == len(entries) else (None, values)

    def _entered(self, values: dict[str, Any], entries: list[str], dtype, rounded) -> tuple[Kernel | None, dict]:
        if NUMBER not in entries and not (self.built_in and SCALAR in entries):
            return self._kernel(values, entries, (TYPES[dtype],), rounded), values
        return self._with_numbers(values, entries, dtype, rounded)

    def _with_numbers(self, values: dict[str, Any], entries: list[str], dtype, rounded) -> tuple[Kernel | None, dict]:
        """Returns the kernel where some arguments are numbers, and its arguments."""
        if self.built_in:
            values = {name: value.item() if entry == SCALAR else value
                      for (name, value), entry in zip(values.items(), entries, strict=True)}  # fmt: skip
            entries = [FIXED if entry in (SCALAR, NUMBER) and x in self.built_in else entry
                     for x, entry in zip(values.values(), entries, strict=True)]  # fmt: skip
        kernel = self._kernel(values, entries, (TYPES[dtype],), rounded)
        for fallback in (OTHER, FIXED):
            if kernel is None:
                entries = [(FIXED if value == 1 else fallback) if entry in (NUMBER, OTHER) else entry
                         for value, entry in zip(values.values(), entries, strict=True)]  # fmt: skip
                kernel = self._kernel(values, entries, (TYPES[dtype],), rounded)
        numbers = FITTING_NUMBERS[dtype]
        try:
            return kernel, {name: numbers[value] if type(value) in (int, float) and entry != FIXED else value
                            for (name, value), entry in zip(values.items(), entries, strict=True)}  # fmt: skip
        except RuntimeError:  # out of range of the dtype; an argument where an operand is infinite: left to NumPy
            return None, values

    def _kernel(self, values: dict[str, Any], entries: Sequence[str], types: tuple, rounded=None) -> Kernel | None:
        fixed = [x for x, entry in zip(values.values(), entries, strict=True) if entry == FIXED]
        key = (types, rounded, *entries, *fixed)
        if key not in self.found:
            numbered = any([type(x) in (int, float) and x != 1 for x in fixed])
            if numbered and self.numbered >= MOST:
                return None
            self.numbered += numbered
            self._compile(key, values, entries, types, rounded)
        return self.found[key]

    def of_arrays(self, names: Sequence[str]) -> Any:
        """Returns the ufunc of both precisions that takes arrays by these names, in order; None if there is none."""
        kernel = self._kernel(dict.fromkeys(names), [ARRAY] * len(names), (F32, F64))
        return kernel.ufunc if kernel is not None and kernel.takes == tuple(names) else None

    def _compile(self, key: tuple, values: dict[str, Any], entries: Sequence[str], types: tuple, rounded) -> None:
        arguments = [
            Argument(name, entry, value if entry == FIXED else None)
            for (name, value), entry in zip(values.items(), entries, strict=True)
        ]
        with llvm.COMPILING:
            if key not in self.found:
                try:
                    self.found[key] = compiled(self.name, self.formula, arguments, types, rounded)
                except Untraceable:
                    self.found[key] = None


def built_in(names: Sequence[str]) -> frozenset:
    """Returns the numbers that get their own kernel in a formula that calls these functions."""
    return frozenset(trace.PRODUCTS) if "power" in names else frozenset()


def result_of(op) -> Formula:
    """Returns the formula of a declaration's result."""
    return lambda inputs: [trace.forward(op, inputs)]


def derivatives_of(op, wanted: Sequence[str]) -> Formula:
    """Returns the formulas of the requested derivatives."""
    return lambda given: [trace.derivative(op, name, given) for name in wanted]


def function_of(name: str) -> Callable:
    """Returns the formula of a function of the array language."""
    function = getattr(trace.ARRAYS, name)
    return lambda inputs: [function(*inputs.values())]
