"""Elements chosen by index tensors, as nests of a small program.

An index is compared with every position: what it chooses is a sum, in which all other terms are zero, and where it
writes, a choice. For few positions that is faster than addresses, and vectors can do it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.graph.small_memory import LOCAL, Unsupported, View
from rushlight.graph.small_plan import Plan
from rushlight.graph.small_sums import numbers_along
from rushlight.graph.trace import REFERENCES, Step
from rushlight.lower import ir
from rushlight.lower.ir import FLOATS, I64, Value

ZERO = -0.0  # changes no sum


def index_of(plan: Plan, ref: Any, size: int) -> View:
    """Returns an index tensor; that it is in range is checked when the program begins, if it was not computed."""
    index = plan.tensor(ref)
    if index.type != I64 or not size:
        raise Unsupported("an index of another dtype, or of nothing")
    if index.buffer.home != LOCAL:
        if ref.number in plan.written or plan.trace.base_of(ref.number) in plan.written:
            raise Unsupported("an index that is written to")
        if index.elements:
            plan.checks[index] = min(size, plan.checks.get(index, size))
    return index


def is_at(index: Value, number: Value) -> Value:
    return ir.cast(index, number.type) == number


def choose(plan: Plan, source: View, index: View, numbers: View, dims: Sequence[int], target: View) -> None:
    """Adds the sums, along dimensions, of the terms of `source` whose index is their number."""
    terms = plan.local(source.type, numbers.shape)

    def term(values: list[Value]) -> Value:
        return ir.where(is_at(values[1], values[2]), values[0], ZERO)

    plan.pointwise(("term",), term, (source, index, numbers), terms)
    plan.reduce("sum", terms, dims, target)


def spaced(place: View, shape: tuple[int, ...], dims: Sequence[int]) -> View:
    """Returns a view whose dimensions are some of those of a space, repeated along the others."""
    strides = [0] * len(shape)
    for dim, stride, size in zip(dims, place.strides, place.shape, strict=True):
        strides[dim] = stride if size > 1 else 0
    return View(place.buffer, place.offset, shape, tuple(strides))


def pick(plan: Plan, source: View, dim: int, index: View, target: View) -> None:
    """Adds the slices of `source` along a dimension that an index names; its dimensions replace that one."""
    if source.type not in FLOATS or not target.elements:
        raise Unsupported("a choice of integers, or of nothing")
    many, size = len(index.shape), source.shape[dim]
    shape = (*source.shape[:dim], *index.shape, size, *source.shape[dim + 1 :])
    own = [*range(dim), *range(dim + many, len(shape))]
    numbers = numbers_along(plan, source.type, shape, dim + many)
    chosen = spaced(index, shape, range(dim, dim + many))
    choose(plan, spaced(source, shape, own), chosen, numbers, [dim + many], target)


def drop(plan: Plan, source: View, dim: int, index: View, target: View) -> None:
    """Adds the transpose of `pick`: slices are added where the index says, in zeros."""
    if source.type not in FLOATS or not source.elements or not target.elements:
        raise Unsupported("sums of integers, or of nothing")
    many, size = len(index.shape), target.shape[dim]
    shape = (*target.shape[:dim], size, *index.shape, *target.shape[dim + 1 :])
    own = [*range(dim), *range(dim + 1, len(shape))]
    summed = range(dim + 1, dim + 1 + many)
    numbers = numbers_along(plan, source.type, shape, dim)
    choose(plan, spaced(source, shape, own), spaced(index, shape, summed), numbers, summed, target)
    plan.pointwise(("plus zero",), lambda values: values[0] + 0.0, (target,), target)


def add_embedding(plan: Plan, step: Step, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    source = plan.tensor(weight)
    pick(plan, source, 0, index_of(plan, indices, source.shape[0]), plan.result(step.results[0]))


def add_embedding_gradient(plan: Plan, step: Step, input, indices, rows, padding_idx, scale_grad_by_freq) -> None:
    if padding_idx >= 0 or scale_grad_by_freq:
        raise Unsupported("gradients of an embedding by frequency, or without a row")
    drop(plan, plan.tensor(input), 0, index_of(plan, indices, rows), plan.result(step.results[0]))


def add_index_select(plan: Plan, step: Step, input, dim, index) -> None:
    source = plan.tensor(input)
    if not source.shape or len(plan.tensor(index).shape) != 1:
        raise Unsupported("a choice from a scalar")
    dim %= len(source.shape)
    pick(plan, source, dim, index_of(plan, index, source.shape[dim]), plan.result(step.results[0]))


def only_index(indices: Sequence) -> int:
    """Returns the dimension that the only index tensor is for."""
    named = [dim for dim, each in enumerate(indices) if each is not None]
    if len(named) != 1 or type(indices[named[0]]) not in REFERENCES:
        raise Unsupported("several index tensors")
    return named[0]


def add_index(plan: Plan, step: Step, input, indices) -> None:
    source, dim = plan.tensor(input), only_index(indices)
    pick(plan, source, dim, index_of(plan, indices[dim], source.shape[dim]), plan.result(step.results[0]))


def add_placed_at(plan: Plan, step: Step, input, shape, indices) -> None:
    dim = only_index(indices)
    drop(plan, plan.tensor(input), dim, index_of(plan, indices[dim], shape[dim]), plan.result(step.results[0]))


def add_gather(plan: Plan, step: Step, input, dim, index, sparse_grad=False) -> None:
    source, target = plan.tensor(input), plan.result(step.results[0])
    if source.type not in FLOATS or not source.shape or not target.elements:
        raise Unsupported("a choice of integers, or from a scalar")
    dim %= len(source.shape)
    chosen = index_of(plan, index, source.shape[dim])
    shape = (*chosen.shape, source.shape[dim])
    rank = len(chosen.shape)
    strides = [0 if each == dim else source.strides[each] for each in range(rank)]
    operand = View(source.buffer, source.offset, shape, (*strides, source.strides[dim]))
    choose(
        plan, operand, spaced(chosen, shape, range(rank)), numbers_along(plan, source.type, shape, rank), [rank], target
    )


def placed(plan: Plan, step: Step, input, dim, index, src) -> tuple[View, View, View, View, int]:
    """Returns the operands of a scatter along a dimension, of which the others are whole, and the dimension."""
    base, source, target = plan.tensor(input), plan.tensor(src), plan.result(step.results[0])
    if base.type not in FLOATS or not base.shape or not source.elements:
        raise Unsupported("a scatter of integers, or to a scalar")
    dim %= len(base.shape)
    chosen = index_of(plan, index, base.shape[dim])
    whole = (*base.shape[:dim], chosen.shape[dim], *base.shape[dim + 1 :])
    if chosen.shape != whole or any([one < all_ for one, all_ in zip(source.shape, whole, strict=True)]):
        raise Unsupported("a scatter to a part")
    return base, View(source.buffer, source.offset, whole, source.strides), chosen, target, dim


def add_scatter(plan: Plan, step: Step, input, dim, index, src) -> None:
    """Adds a tensor with one element for each line written to it."""
    base, source, chosen, target, dim = placed(plan, step, input, dim, index, src)
    if chosen.shape[dim] != 1:
        raise Unsupported("several elements scattered along a line")

    def make(values: list[Value]) -> Value:
        return ir.where(is_at(values[2], values[3]), values[1], values[0])

    numbers = numbers_along(plan, base.type, base.shape, dim)
    plan.pointwise(("scattered",), make, (base, source, chosen, numbers), target)


def add_scatter_add(plan: Plan, step: Step, input, dim, index, src) -> None:
    base, source, chosen, target, dim = placed(plan, step, input, dim, index, src)
    rank = len(base.shape)
    shape = (*base.shape, chosen.shape[dim])
    dims = [rank if each == dim else each for each in range(rank)]
    sums = plan.local(base.type, base.shape)
    numbers = numbers_along(plan, base.type, shape, dim)
    choose(plan, spaced(source, shape, dims), spaced(chosen, shape, dims), numbers, [rank], sums)
    plan.pointwise(("plus",), lambda values: values[0] + values[1], (base, sums), target)


RULES: dict[str, Callable] = {
    "embedding": add_embedding,
    "embedding_gradient": add_embedding_gradient,
    "index_select": add_index_select,
    "index": add_index,
    "placed_at": add_placed_at,
    "gather": add_gather,
    "scatter_source": add_scatter,
    "scatter_add": add_scatter_add,
}
