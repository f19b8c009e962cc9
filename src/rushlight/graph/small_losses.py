"""Losses, and what names classes, as nests of a small program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.declarations.shapes import broadcast
from rushlight.graph.small_memory import GIVEN, Unsupported, View
from rushlight.graph.small_plan import Plan
from rushlight.graph.trace import Ref, Step
from rushlight.lower import ir
from rushlight.lower.ir import I64, Value
from rushlight.lower.trace import OPERATORS


def add_mse_loss(plan: Plan, step: Step, input, target, reduction="mean") -> None:
    one, other, result = plan.tensor(input), plan.tensor(target), plan.result(step.results[0])
    shape = broadcast([one.shape, other.shape])
    losses = result if reduction == "none" else plan.local(result.type, shape)

    def squared(values: list[Value]) -> Value:
        difference = values[0] - values[1]
        return difference * difference

    plan.pointwise(("squared difference",), squared, (one, other), losses)
    if reduction != "none":
        reduce_losses(plan, losses, result, reduction == "mean")


def reduce_losses(plan: Plan, losses: View, result: View, mean: bool) -> None:
    """Adds the sum of losses, or their mean."""
    plan.reduce("sum", losses, range(len(losses.shape)), result)
    count = losses.elements
    if mean:
        if not count:
            raise Unsupported("a mean of nothing")
        plan.pointwise(("over", count), lambda values: values[0] / count, (result,), result)


def chosen(plan: Plan, target: Ref, weight: Any, shape: tuple[int, ...], ignore_index: int) -> tuple[View, int]:
    """Returns the targets for scores of a shape, with no stride along the classes, and the dimension of these."""
    place, dim = plan.tensor(target), min(len(shape), 2) - 1
    if weight is not None or dim < 0 or place.type != I64 or not place.elements or 0 <= ignore_index < shape[dim]:
        raise Unsupported("targets of another kind")
    if target.number in plan.written or not (place.buffer.home == GIVEN or are_constants(plan, target, shape[dim])):
        raise Unsupported("targets that are computed")
    if place.buffer.home == GIVEN:
        plan.checks[place] = shape[dim]
    return repeated(place, dim, shape[dim]), dim


def are_constants(plan: Plan, target: Ref, classes: int) -> bool:
    """Whether targets are a constant of the trace that names some of the classes."""
    constant = plan.trace.constants.get(target.number)
    return constant is not None and bool(((constant._array >= 0) & (constant._array < classes)).all())


def repeated(place: View, dim: int, size: int) -> View:
    """Returns a view repeated along a new dimension."""
    shape, strides = place.shape, place.strides
    return View(place.buffer, place.offset, (*shape[:dim], size, *shape[dim:]), (*strides[:dim], 0, *strides[dim:]))


def classes_of(plan: Plan, type: str, shape: tuple[int, ...], dim: int) -> View:
    """Returns the number of the class for each score."""
    numbers = plan.counted(type, shape[dim])
    return View(numbers.buffer, 0, shape, tuple([int(each == dim) for each in range(len(shape))]))


def is_chosen(target: Value, number: Value) -> Value:
    return ir.cast(target, number.type) == number


def add_likelihood(plan: Plan, step: Step, input, target, weight, ignore_index, reduction) -> None:
    """Adds the scores of the targets: sums over the classes in which the other terms are zero."""
    scores, result = plan.tensor(input), plan.result(step.results[0])
    targets, dim = chosen(plan, target, weight, scores.shape, ignore_index)
    classes, terms = classes_of(plan, scores.type, scores.shape, dim), plan.local(scores.type, scores.shape)

    def term(values: list[Value]) -> Value:
        return ir.where(is_chosen(values[1], values[2]), values[0], -0.0)

    plan.pointwise(("chosen score",), term, (scores, targets, classes), terms)
    if reduction == "none":
        plan.reduce("sum", terms, [dim], result)
        plan.pointwise(("negative",), lambda values: -values[0], (result,), result)
        return
    plan.reduce("sum", terms, range(len(terms.shape)), result)
    count = terms.elements // scores.shape[dim] if reduction == "mean" else 1
    plan.pointwise(("negative over", count), lambda values: (0.0 - values[0]) / count, (result,), result)


def add_spread(plan: Plan, step: Step, grad, target, weight, shape, ignore_index, reduction) -> None:
    """Adds the gradient of scores: that of the loss where they are chosen."""
    slope, result = plan.tensor(grad), plan.result(step.results[0])
    targets, dim = chosen(plan, target, weight, result.shape, ignore_index)
    classes = classes_of(plan, result.type, result.shape, dim)
    slope = repeated(slope, dim, result.shape[dim]) if reduction == "none" else slope.expanded(result.shape)
    count = result.elements // result.shape[dim] if reduction == "mean" else 1

    def share(values: list[Value]) -> Value:
        return ir.where(is_chosen(values[1], values[2]), -(values[0] / count), 0.0)

    plan.pointwise(("share of slope", count), share, (slope, targets, classes), result)


def add_loss(formula: Callable, plan: Plan, step: Step, input, target, reduction="mean", **options) -> None:
    """Adds losses by a declared formula, and their reduction."""
    one, other, result = plan.tensor(input), plan.tensor(target), plan.result(step.results[0])
    if one.type != result.type or other.type != result.type or options.pop("weight", None) is not None:
        raise Unsupported("losses of other dtypes, or with weights")
    losses = result if reduction == "none" else plan.local(result.type, broadcast([one.shape, other.shape]))
    numbers = formula(**options)
    key = step.op.name, *[f"{name}={value!r}" for name, value in options.items()]
    plan.pointwise(key, lambda values: numbers(*values), (one, other), losses)
    if reduction != "none":
        reduce_losses(plan, losses, result, reduction == "mean")


def logistic(pos_weight=None) -> Callable:
    if pos_weight is not None:
        raise Unsupported("weights of positive examples")
    return OPERATORS.logistic_improbability


def smooth(beta: float) -> Callable:
    return lambda one, other: OPERATORS.rounded_off(one, other, beta, 1 / beta)


def huber(delta: float = 1.0) -> Callable:
    return lambda one, other: OPERATORS.rounded_off(one, other, delta, 1)


RULES: dict[str, Callable] = {
    "logistic_loss": partial(add_loss, logistic),
    "smooth_absolute": partial(add_loss, smooth),
    "huber_loss": partial(add_loss, huber),
    "mse_loss": add_mse_loss,
    "negative_log_likelihood": add_likelihood,
    "spread_over_classes": add_spread,
}
