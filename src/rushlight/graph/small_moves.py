"""Copies, numbers, and tensors put together or taken apart, as nests of a small program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from rushlight.graph.small_memory import Unsupported, View, in_order, is_in_order
from rushlight.graph.small_plan import Plan
from rushlight.graph.trace import Step
from rushlight.lower import ir


def add_copy(plan: Plan, step: Step, input, **_) -> None:
    plan.copy(plan.tensor(input), plan.result(step.results[0]))


def add_copy_values(plan: Plan, step: Step, input, src) -> None:
    plan.copy(plan.tensor(src), plan.result(step.results[0]))


def add_reshaped(plan: Plan, step: Step, input, size) -> None:
    source, result = plan.tensor(input), plan.result(step.results[0])
    for place in (source, result):
        if not is_in_order(place):
            raise Unsupported("a reshaped copy out of order")
    plan.copy(View(source.buffer, source.offset, result.shape, in_order(result.shape)), result)


def add_number(plan: Plan, step: Step, number: float) -> None:
    """Adds a result of which every element is a number."""
    result = plan.result(step.results[0])
    fill(plan, number, result)


def fill(plan: Plan, number: float, target: View) -> None:
    if target.buffer.type == ir.BIT:
        number = bool(number)
    elif type(number) is float and number != 0 and target.buffer.type not in ir.FLOATS:
        raise Unsupported("a number that is cut to an integer")
    plan.pointwise(("number", repr(number)), lambda values: number, (), target)


def add_filled(plan: Plan, step: Step, input, value) -> None:
    if type(value) not in (bool, int, float):
        raise Unsupported("a number that is none of Python's")
    add_number(plan, step, value)


def add_zeros(plan: Plan, step: Step, **_) -> None:
    add_number(plan, step, 0.0)


def add_putitem(plan: Plan, step: Step, input, shape, index) -> None:
    source, result = plan.tensor(input), plan.result(step.results[0])
    fill(plan, 0.0, result)
    plan.copy(source, part_of(result, index))


def part_of(place: View, index: tuple) -> View:
    """Returns the part of a view that an index of integers, slices, None and an ellipsis selects."""
    offset, shape, strides = place.offset, [], []
    named = sum([each is not None and each is not ... for each in index])
    dim = 0
    for each in index if ... in index else (*index, ...):
        if each is None:
            shape.append(1)
            strides.append(0)
        elif each is ...:
            count = len(place.shape) - named
            shape += place.shape[dim : dim + count]
            strides += place.strides[dim : dim + count]
            dim += count
        elif type(each) is slice:
            inside = range(place.shape[dim])[each]
            offset += place.strides[dim] * inside.start if len(inside) else 0
            shape.append(len(inside))
            strides.append(place.strides[dim] * inside.step)
            dim += 1
        elif type(each) is int:
            offset += place.strides[dim] * range(place.shape[dim])[each]
            dim += 1
        else:
            raise Unsupported("an index of another kind")
    if min(strides, default=0) < 0:
        raise Unsupported("negative strides")
    return View(place.buffer, offset, tuple(shape), tuple(strides))


def add_joined(plan: Plan, step: Step, tensors, dim=0) -> None:
    result, sources = plan.result(step.results[0]), [plan.tensor(each) for each in tensors]
    dim, begin = dim % max(len(result.shape), 1), 0
    for source in sources:
        if len(source.shape) != len(result.shape):  # an empty vector among others
            continue
        offset = result.offset + begin * result.strides[dim]
        plan.copy(source, View(result.buffer, offset, source.shape, result.strides))
        begin += source.shape[dim]


def add_stacked(plan: Plan, step: Step, tensors, dim=0) -> None:
    result = plan.result(step.results[0])
    dim %= len(result.shape)
    strides = result.strides[:dim] + result.strides[dim + 1 :]
    for at, each in enumerate(tensors):
        source = plan.tensor(each)
        plan.copy(source, View(result.buffer, result.offset + at * result.strides[dim], source.shape, strides))


def add_triangle(upper: bool, plan: Plan, step: Step, input, diagonal=0) -> None:
    """Adds matrices with zeros on one side of a diagonal."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    rows, columns = source.shape[-2:]
    keep = np.triu if upper else np.tril
    mask = plan.table(keep(np.ones((rows, columns), np.bool_), diagonal))
    plan.pointwise(("masked",), lambda values: ir.where(values[1], values[0], 0.0), (source, mask), result)


def add_flip(plan: Plan, step: Step, input, dims) -> None:
    source, result = plan.tensor(input), plan.result(step.results[0])
    offset, strides = source.offset, list(source.strides)
    if source.elements:
        for dim in {each % max(len(strides), 1) for each in dims}:
            offset += (source.shape[dim] - 1) * strides[dim]
            strides[dim] = -strides[dim]
    plan.copy(View(source.buffer, offset, source.shape, tuple(strides)), result)


def add_on_diagonal(plan: Plan, step: Step, input, shape) -> None:
    result = plan.result(step.results[0])
    fill(plan, 0.0, result)
    plan.copy(plan.tensor(input), View(result.buffer, result.offset, (min(shape),), (sum(result.strides),)))


def add_repeat(plan: Plan, step: Step, input, repeats) -> None:
    """Adds a tensor repeated along dimensions: its dimensions after those of the repetitions."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    if len(repeats) < len(source.shape) or min(repeats, default=1) < 1 or not result.elements:
        raise Unsupported("repetitions of nothing")
    sizes = (1,) * (len(repeats) - len(source.shape)) + source.shape
    own = (0,) * (len(repeats) - len(source.shape)) + source.strides
    shape = [each for pair in zip(repeats, sizes, strict=True) for each in pair]
    steps = [each for stride in own for each in (0, stride)]
    targets = [each for stride, size in zip(result.strides, sizes, strict=True) for each in (stride * size, stride)]
    plan.copy(
        View(source.buffer, source.offset, tuple(shape), tuple(steps)),
        View(result.buffer, result.offset, tuple(shape), tuple(targets)),
    )


RULES: dict[str, Callable] = {
    "tril": partial(add_triangle, False),
    "triu": partial(add_triangle, True),
    "flip": add_flip,
    "on_diagonal": add_on_diagonal,
    "repeat": add_repeat,
    "clone": add_copy,
    "to_copy": add_copy,
    "stepped_by": add_copy,
    "copy_values": add_copy_values,
    "unsafe_view": add_reshaped,
    "fill_with_number": add_filled,
    "zeroed": add_zeros,
    "new_zeros_of": add_zeros,
    "putitem": add_putitem,
    "joined": add_joined,
    "stacked": add_stacked,
}
