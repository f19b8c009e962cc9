"""A nest: steps of a trace over one space, as expressions that share loops.

`Nest.add` runs the declaration of a step on expressions (`lower/trace.py`). A value has an element for each place of
the space, or for each row. Sums along rows are expressions too; sums of columns and of all elements are results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rushlight.graph.nest_space import SHORTEST, Shape, Strides, contiguous, is_contiguous, is_fast, of_rows, viewed
from rushlight.graph.trace import Array, Meta, Ref, Step, Trace
from rushlight.lower import ir, row_formulas
from rushlight.lower import trace as formulas
from rushlight.lower.conversions import NAMES, loaded
from rushlight.lower.conversions import TYPES as STORED
from rushlight.lower.ir import BIT, FLOATS, TYPES, Untraceable, Value

MOST_STEPS = 900  # expressions, rare alternatives included
MOST_OPERANDS = 48
LEAST = 1 << 12  # elements


class Operand(NamedTuple):
    """A tensor that a nest reads, and its strides in the space."""

    number: int
    strides: Strides


class Result(NamedTuple):
    """A value of a nest; `of_row` if there is one for each row."""

    value: Value
    of_row: bool


class Total(NamedTuple):
    """The sum of all elements of a value, divided by a number if that is not 1."""

    value: Value
    divisor: float


class Columns(NamedTuple):
    """The sums of a value over all rows."""

    value: Value


class Likelihood(NamedTuple):
    """The negative log likelihood, reduced: of one score per row."""

    value: Value
    step: Step
    target: int


class Positions(NamedTuple):
    """The operand that numbers the elements of a row."""

    strides: Strides


class Share(NamedTuple):
    """The operand that is computed from the arguments of a `spread_over_classes` before the nest runs."""

    step: Step
    strides: Strides


class Nest:
    """Steps over a space, which has as many elements as the result of the first."""

    def __init__(self, trace: Trace, shape: Shape):
        self.trace, self.space, self.size = trace, shape, math.prod(shape)
        self.split: int | None = None
        self.ir = ir.Trace()
        self.operands: dict[Any, Value] = {}  # Operand or Share -> its expression
        self.values: dict[int, Result] = {}
        self.sinks: dict[int, Total | Columns | Likelihood] = {}
        self.spread: dict[Value, Value] = {}  # what is zero but for one element of each row -> the sums of the rows
        self.steps: list[Step] = []

    def add(self, step: Step) -> bool:
        """Adds a step if it fits; returns whether it did."""
        split, operands, known, sinks = self.split, dict(self.operands), dict(self.values), dict(self.sinks)
        try:
            maker = MAKERS.get(step.op.name, elementwise if step.op.kind == "elementwise" else None)
            if maker is None:
                return False
            maker(self, step)
            if len(self.operands) > MOST_OPERANDS or len(self.ir.values) > MOST_STEPS:
                raise Untraceable("a nest of that size")
        except Untraceable:
            self.split, self.operands, self.values, self.sinks = split, operands, known, sinks
            return False
        self.steps.append(step)
        return True

    @property
    def tensors(self) -> list[int]:
        """The tensors that the nest reads."""
        numbers: dict[int, None] = {}
        for key in self.operands:
            if type(key) is Operand:
                numbers[key.number] = None
            elif type(key) is Share:
                numbers.update(dict.fromkeys([number_of(key.step.values[name]) for name in ("grad", "target")]))
        return list(numbers)

    # ---- reading

    def read(self, number: int, shape: Shape, type_: str = ir.F32) -> Result:
        """Returns a tensor that is broadcast to a shape with as many elements as the space, or as there are rows.

        Integers become floats of a type.
        """
        meta, base = self.trace.metas[number], self.trace.base_of(number)
        of_row = math.prod(shape) != self.size
        if of_row and math.prod(shape) != self.rows:
            raise Untraceable("another space")
        space = self.space[: self.split] if of_row else self.space
        strides = viewed(meta.shape, meta.strides, shape, space)
        if strides is None:
            raise Untraceable("memory that the space does not describe")
        if of_row:
            strides = (*strides, *[0] * (len(self.space) - len(space)))
        if base in self.values:
            return self._own(base, meta, strides)
        if base in self.sinks:
            raise Untraceable("the result of a reduction over the space")
        if not of_row and not is_fast(self.space, strides, meta.dtype.itemsize):
            raise Untraceable("an operand that is not read in long rows")
        return Result(self.operand(Operand(number, strides), meta.dtype, type_), of_row)

    def _own(self, base: int, meta: Meta, strides: Strides) -> Result:
        """Returns a value of the nest, of which a view has these strides."""
        known, width = self.values[base], self.trace.metas[base].dtype.itemsize
        if meta.dtype != self.trace.metas[base].dtype or meta.dtype.metadata is not None:
            raise Untraceable("other elements of the same memory")
        own = of_rows(self.space, self.outer, width) if known.of_row else contiguous(self.space, width)
        if strides != own:
            raise Untraceable("a value in another order")
        return known

    @property
    def outer(self) -> int:
        """The number of dimensions before those of a row."""
        return len(self.space) if self.split is None else self.split

    @property
    def rows(self) -> int:
        return -1 if self.split is None else math.prod(self.space[: self.split])

    def operand(self, key, dtype, type_: str = ir.F32) -> Value:
        """Returns the expression of an operand, in the type of its dtype, or in a floating type."""
        if dtype not in NAMES or dtype.metadata is not None:
            raise Untraceable(f"elements of {dtype}, or that are not those in memory")
        if key not in self.operands:
            self.operands[key] = self.ir.operand(len(self.operands), STORED[NAMES[dtype]])
        value = self.operands[key]
        return value if value.type in (*FLOATS, BIT) else loaded(value, NAMES[dtype], type_)

    def element(self, value) -> Value:
        """Returns an argument that has the shape of the space."""
        number = number_of(value)
        shape = self.trace.metas[number].shape
        if math.prod(shape) != self.size:
            raise Untraceable("another space")
        return self.read(number, shape).value

    def row_of(self, value) -> Value:
        """Returns an argument with one element per row."""
        number = number_of(value)
        return self.read(number, self.trace.metas[number].shape).value

    def at(self, value, strides: Strides) -> Value:
        """Returns an argument that is laid out in the space in this way."""
        number = number_of(value)
        if self.trace.base_of(number) in self.values or self.trace.base_of(number) in self.sinks:
            raise Untraceable("a value in another order")
        return self.operand(Operand(number, strides), self.trace.metas[number].dtype)

    def divide(self, split: int) -> None:
        """Takes the last dimensions, from `split` on, as rows."""
        if self.split not in (None, split) or not 0 < split < len(self.space):
            raise Untraceable("rows of other dimensions")
        if math.prod(self.space[split:]) < SHORTEST:
            raise Untraceable("short rows")
        self.split = split

    # ---- results

    def give(self, number: int, value, of_row: bool = False) -> None:
        """Enters a result, which must be in C order."""
        meta = self.trace.metas[number]
        if not isinstance(value, Value) or TYPES.get(meta.dtype) != value.type or not is_contiguous(meta):
            raise Untraceable("a result of another dtype or order")
        if math.prod(meta.shape) != (self.rows if of_row else self.size):
            raise Untraceable("a result of another space")
        self.values[number] = Result(value, of_row)


def number_of(value) -> int:
    """Returns the number of a tensor argument."""
    if type(value) not in (Ref, Array):
        raise Untraceable("an argument that is no tensor")
    return value.number


def computed_in(trace: Trace, step: Step) -> str:
    """Returns the floating type in which a step computes."""
    dtype = trace.metas[step.results[0]].dtype
    if dtype in TYPES and TYPES[dtype] in FLOATS:
        return TYPES[dtype]
    metas = [trace.metas[number] for number in step.operands()]
    known = {meta.dtype for meta in metas if meta.shape} or {meta.dtype for meta in metas}
    floats = {TYPES.get(dtype, "") for dtype in known if dtype != np.bool_}
    if len(floats) != 1 or not floats.issubset(FLOATS):
        raise Untraceable("a computation in other dtypes")
    return floats.pop()


# ---- steps


def elementwise(nest: Nest, step: Step) -> None:
    """Adds an elementwise operator."""
    (number,) = step.results
    shape, type_ = nest.trace.metas[number].shape, computed_in(nest.trace, step)
    arguments: dict[str, Any] = {}
    of_row = math.prod(shape) != nest.size
    for name, value in step.values.items():
        if type(value) in (Ref, Array):
            known = nest.read(value.number, shape, type_).value
            value = known if known.type == BIT else ir.cast(known, type_)
        arguments[name] = value
    result = formulas.forward(step.op, arguments)
    nest.give(number, result, of_row)


def identity(nest: Nest, step: Step) -> None:
    """Adds a copy."""
    nest.give(step.results[0], nest.element(step.values["input"]))


def converted(nest: Nest, step: Step) -> None:
    """Adds a conversion to another dtype."""
    kind = TYPES.get(np.dtype(step.values["kind"]))
    if kind is None or step.values.get("place") is not None:
        raise Untraceable("a conversion to another dtype or device")
    nest.give(step.results[0], ir.cast(nest.element(step.values["input"]), kind))


def reduced_axes(shape: Shape, dim) -> list[int]:
    """Returns the reduced dimensions in order."""
    if dim is None or dim == () or dim == []:
        return list(range(len(shape)))
    dims = [dim] if isinstance(dim, int) else list(dim)
    return sorted([axis % len(shape) for axis in dims])


def summed(nest: Nest, step: Step, axes: list[int], is_mean: bool = False) -> None:
    """Adds a sum or mean: of all elements, of rows, or of columns."""
    number = number_of(step.values["input"])
    base, shape = nest.trace.base_of(number), nest.trace.metas[number].shape
    known = any([type(key) is Operand and key.number == number for key in nest.operands])
    if base not in nest.values and not known:
        raise Untraceable("a sum of what is not read otherwise")
    value, result = nest.element(step.values["input"]), step.results[0]
    if value.type not in FLOATS or TYPES.get(nest.trace.metas[result].dtype) != value.type:
        raise Untraceable("a sum in another dtype")
    count = math.prod([shape[axis] for axis in axes])
    if len([axis for axis in range(len(shape)) if shape[axis] != 1 and axis not in axes]) == 0:
        nest.sinks[result] = Total(value, count if is_mean else 1)
    elif axes == list(range(len(shape) - len(axes), len(shape))):
        nest.divide(split_at(nest.space, math.prod(shape[: len(shape) - len(axes)])))
        total = nest.spread[value] if value in nest.spread else ir.reduce("line", value)
        nest.give(result, total / float(count) if is_mean else total, True)
    elif axes == list(range(len(axes))) and not is_mean:
        nest.divide(split_at(nest.space, count))
        nest.sinks[result] = Columns(value)
    else:
        raise Untraceable("a sum of dimensions in the middle")


def split_at(space: Shape, rows: int) -> int:
    """Returns the dimension of a space before which there are so many rows."""
    for split in range(1, len(space)):
        if math.prod(space[:split]) == rows:
            return split
    raise Untraceable("rows that are no dimensions of the space")


def sum_of(nest: Nest, step: Step) -> None:
    """Adds `sum` or `mean`."""
    if step.values["dtype"] is not None:
        raise Untraceable("a sum in another dtype")
    shape = nest.trace.metas[number_of(step.values["input"])].shape
    summed(nest, step, reduced_axes(shape, step.values["dim"]), step.op.name == "mean")


def sum_to_size(nest: Nest, step: Step) -> None:
    """Adds the sum over the dimensions along which a gradient was broadcast."""
    shape, target = nest.trace.metas[number_of(step.values["input"])].shape, step.values["shape"]
    extra = len(shape) - len(target)
    axes = [axis for axis, size in enumerate(shape) if axis < extra or (target[axis - extra] == 1 != size)]
    summed(nest, step, axes)


def row_function(formula: Callable) -> Callable:
    """Returns the maker of a function along the last dimension."""

    def add(nest: Nest, step: Step) -> None:
        shape = nest.trace.metas[number_of(step.values["input"])].shape
        if step.values.get("dtype") is not None or step.values["dim"] % len(shape) != len(shape) - 1:
            raise Untraceable("another dimension")
        value = nest.element(step.values["input"])
        nest.divide(split_at(nest.space, math.prod(shape[:-1])))
        (result,) = formula(value)
        nest.give(step.results[0], result)

    return add


def layer_norm(nest: Nest, step: Step) -> None:
    """Adds layer norm: the result, the means and the inverse deviations of rows."""
    values, normalized = step.values, step.values["normalized_shape"]
    x, count = nest.element(values["input"]), math.prod(normalized)
    nest.divide(split_at(nest.space, nest.size // count))
    across = positions(nest, x.type)
    weights = [None if values[name] is None else nest.at(values[name], across) for name in ("weight", "bias")]
    result, mean, scale = row_formulas.layer_normalized(x, float(values["eps"]), float(count), *weights)
    for number, value, of_row in zip(step.results, (result, mean, scale), (False, True, True), strict=True):
        nest.give(number, value, of_row)


def positions(nest: Nest, type_: str) -> Strides:
    """Returns the strides of a weight for each element of a row."""
    space = nest.space
    within = contiguous(space[nest.split :], ir.DTYPES[type_].itemsize)
    return (*[0] * (len(space) - len(within)), *within)


def statistics_of(nest: Nest, step: Step) -> tuple[Value, Value, float]:
    """Returns mean and scale of the rows of a normalization, and the elements of a row."""
    outer, rows, count = step.values["layout"]
    if outer != 1:
        raise Untraceable("a normalization that is not along rows")
    nest.divide(split_at(nest.space, rows))
    return nest.row_of(step.values["mean"]), nest.row_of(step.values["scale"]), float(count)


def normalized_gradient(nest: Nest, step: Step) -> None:
    """Adds the gradient of the input of a layer norm."""
    mean, scale, count = statistics_of(nest, step)
    g, x = nest.element(step.values["grad"]), nest.element(step.values["input"])
    (result,) = row_formulas.normalized_gradient(g, x, mean, scale, count)
    nest.give(step.results[0], result)


def normalized_weight(nest: Nest, step: Step) -> None:
    """Adds the gradient of the weight of a layer norm."""
    mean, scale, _ = statistics_of(nest, step)
    if not step.values["per_feature"]:
        raise Untraceable("a normalization that is not along rows")
    g, x = nest.element(step.values["grad"]), nest.element(step.values["input"])
    nest.sinks[step.results[0]] = Columns(g * ((x - mean) * scale))


def targets_of(nest: Nest, step: Step) -> tuple[Value, Value]:
    """Returns the targets of rows as an operand, and the classes that count: -1 if it is none."""
    number = number_of(step.values["target"])
    meta, base = nest.trace.metas[number], nest.trace.base_of(number)
    if step.values["weight"] is not None or meta.dtype != np.int64 or base in nest.values:
        raise Untraceable("weighted classes")
    strides = viewed(meta.shape, meta.strides, meta.shape, nest.space[: nest.split])
    if strides is None:
        raise Untraceable("targets in another order")
    key = Operand(number, (*strides, *[0] * (len(nest.space) - len(strides))))
    if key not in nest.operands:
        nest.operands[key] = nest.ir.operand(len(nest.operands), ir.I64)
    target, classes = nest.operands[key], math.prod(nest.space[nest.split :])
    counted = compared("ult", target, classes) & compared("ne", target, step.values["ignore_index"])
    return target, ir.where(counted, ir.cast(target, ir.I32), -1)


def compared(how: str, value: Value, number: int) -> Value:
    """Returns a comparison of integers."""
    return value.trace.value("icmp", BIT, value, value.trace.constant(number, value.type), literal=how)


def likelihood(nest: Nest, step: Step) -> None:
    """Adds the negative log likelihood of the targets of rows."""
    number = number_of(step.values["input"])
    shape = nest.trace.metas[number].shape
    if len(shape) != 2 or nest.trace.base_of(number) not in nest.values:
        raise Untraceable("scores that are read as they are")
    nest.divide(split_at(nest.space, shape[0]))
    scores = nest.element(step.values["input"])
    target, hit = targets_of(nest, step)
    picked = Picked(nest, target, step.values["ignore_index"]).of(scores)
    score = ir.where(compared("sge", hit, 0), picked, 0.0)
    if step.values["reduction"] in ("none", 0):
        nest.give(step.results[0], 0.0 - score, True)
    else:
        nest.sinks[step.results[0]] = Likelihood(score, step, number_of(step.values["target"]))


class Picked:
    """The element of each row that its target names, of a value: computed from the elements of its operands."""

    def __init__(self, nest: Nest, target: Value, ignored: int):
        self.nest, self.target, self.ignored = nest, target, ignored
        self.keys = {value: key for key, value in nest.operands.items()}
        self.made: dict[Value, Value] = {}

    def of(self, goal: Value) -> Value:
        pending = [goal]
        while pending:
            value = pending[-1]
            missing = [each for each in value.args if each not in self.made] if not self._is_whole(value) else []
            pending += missing
            if not missing:
                pending.pop()
                if value not in self.made:
                    self.made[value] = self._made(value)
        return self.made[goal]

    def _is_whole(self, value: Value) -> bool:
        return value.op in ("reduce", "pick", "constant", "operand")

    def _made(self, value: Value) -> Value:
        if value in self.keys and any(self.keys[value].strides[self.nest.split :]):
            if type(self.keys[value]) is Positions:
                raise Untraceable("a choice among choices")
            return self.nest.ir.value("pick", value.type, value, self.target, literal=self.ignored)
        if self._is_whole(value):
            return value
        args = [self.made[each] for each in value.args]
        return self.nest.ir.value(value.op, value.type, *args, literal=value.literal)


def spread(nest: Nest, step: Step) -> None:
    """Adds the gradient of the scores: a value for each target, zeros elsewhere."""
    shape, (result,) = tuple(step.values["shape"]), step.results
    meta = nest.trace.metas[result]
    if len(shape) != 2 or math.prod(shape) != nest.size or TYPES.get(meta.dtype) not in FLOATS:
        raise Untraceable("another space")
    nest.divide(split_at(nest.space, shape[0]))
    _, hit = targets_of(nest, step)
    if step.values["reduction"] in ("none", 0):
        share = -nest.row_of(step.values["grad"])
    else:
        if nest.trace.base_of(number_of(step.values["grad"])) in {*nest.values, *nest.sinks}:
            raise Untraceable("the result of a reduction over the space")
        share = nest.operand(Share(step, (0,) * len(nest.space)), meta.dtype)
    key = Positions((*[0] * nest.outer, *contiguous(nest.space[nest.split :], 4)))
    if key not in nest.operands:
        nest.operands[key] = nest.ir.operand(len(nest.operands), ir.I32)
    value = ir.where(nest.ir.value("icmp", BIT, nest.operands[key], hit, literal="eq"), share, 0.0)
    nest.spread[value] = ir.where(compared("sge", hit, 0), share, 0.0)
    nest.give(result, value)


def extreme(nest: Nest, step: Step) -> None:
    """Adds the maximum of rows."""
    shape = nest.trace.metas[number_of(step.values["input"])].shape
    axes, value = reduced_axes(shape, step.values["dim"]), nest.element(step.values["input"])
    if value.type not in FLOATS or axes != list(range(len(shape) - len(axes), len(shape))):
        raise Untraceable("the maximum of other dimensions or dtypes")
    nest.divide(split_at(nest.space, math.prod(shape[: len(shape) - len(axes)])))
    nest.give(step.results[0], ir.reduce("max", value), True)


MAKERS: dict[str, Callable[[Nest, Step], None]] = {
    "clone": identity,
    "stepped_by": identity,
    "to_copy": converted,
    "amax": extreme,
    "sum": sum_of,
    "mean": sum_of,
    "sum_to_size_of": sum_to_size,
    "softmax": row_function(row_formulas.softmax),
    "log_softmax": row_function(row_formulas.log_softmax),
    "native_layer_normalization": layer_norm,
    "normalized_gradient": normalized_gradient,
    "normalized_weight": normalized_weight,
    "negative_log_likelihood": likelihood,
    "spread_over_classes": spread,
}
