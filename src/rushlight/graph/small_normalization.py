"""Normalization of rows and channels, as nests of a small program."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.declarations.normalize import channel_layout
from rushlight.graph.small_memory import Unsupported, View, in_order, is_in_order
from rushlight.graph.small_plan import Plan
from rushlight.graph.small_sums import average, with_dims
from rushlight.graph.trace import Left, Step
from rushlight.lower.ir import FLOATS, Value, unary


def add_layer_norm(plan: Plan, step: Step, input, normalized_shape, weight, bias, eps, statistics) -> None:
    """Adds normalized rows, times a weight plus a bias, and the mean and scale of each row."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    if type(statistics) is not Left or source.type != result.type or not source.elements:
        raise Unsupported("statistics that are kept elsewhere")
    made = {name: plan.result(number) for name, number in statistics.arrays}
    outer = len(source.shape) - len(normalized_shape)
    rows, dims = source.shape[:outer], range(outer, len(source.shape))
    if any([made[name].type != source.type for name in ("mean", "scale")]):
        raise Unsupported("statistics of another dtype")
    mean, scale = [View(made[name].buffer, made[name].offset, rows, in_order(rows)) for name in ("mean", "scale")]
    average(plan, source, dims, mean)
    centred, squares = plan.local(source.type, source.shape), plan.local(source.type, source.shape)
    plan.pointwise(("difference",), lambda values: values[0] - values[1], (source, with_dims(mean, dims)), centred)
    plan.pointwise(("square",), lambda values: values[0] * values[0], (centred,), squares)
    average(plan, squares, dims, scale)
    plan.pointwise(("scale", eps), lambda values: 1.0 / unary("sqrt", values[0] + eps), (scale,), scale)
    factors = [plan.tensor(each) for each in (weight, bias) if each is not None]

    def make(values: list[Value]) -> Value:
        normalized, rest = values[0] * values[1], values[2:]
        normalized = normalized * rest[0] if weight is not None else normalized
        return normalized + rest[-1] if bias is not None else normalized

    key = "layer norm", weight is not None, bias is not None
    plan.pointwise(key, make, (centred, with_dims(scale, dims), *factors), result)


class Channels:
    """Operands in the layout (outer, channels, inner), whose mean and scale are those of each channel."""

    def __init__(self, plan: Plan, mean, scale, layout: tuple[int, int, int]):
        self.plan, self.layout = plan, tuple(layout)
        self.elements = self.layout[0] * self.layout[2]
        if 0 in self.layout:
            raise Unsupported("channels without elements")
        channels = (1, self.layout[1], 1)
        self.mean, self.scale = [each and self.seen(plan.tensor(each), channels) for each in (mean, scale)]

    def seen(self, place: View, layout: tuple[int, ...] | None = None) -> View:
        """Returns a tensor in the layout; one in another order is copied first."""
        layout = layout or self.layout
        if place.type not in FLOATS:
            raise Unsupported("a normalization of another dtype")
        if not is_in_order(place):
            place = self.plan.packed(place)
        return View(place.buffer, place.offset, layout, in_order(layout))

    def result(self, number: int) -> View:
        """Returns a result in the layout."""
        place = self.plan.result(number)
        if not is_in_order(place):
            raise Unsupported("a normalization in another order")
        return View(place.buffer, place.offset, self.layout, in_order(self.layout))

    def normalized(self, source: View, target: View) -> None:
        """Adds `(source - mean) * scale`."""

        def make(values: list[Value]) -> Value:
            return (values[0] - values[1]) * values[2]

        self.plan.pointwise(("normalized",), make, (source, self.mean, self.scale), target)

    def mean_of(self, source: View) -> View:
        """Adds the mean of each channel."""
        target = self.plan.local(source.type, self.layout[1:2])
        average(self.plan, source, [0, 2], target)
        return View(target.buffer, 0, (1, self.layout[1], 1), (0, 1, 0))


def add_normalized(plan: Plan, step: Step, input, mean, scale, layout) -> None:
    channels = Channels(plan, mean, scale, layout)
    channels.normalized(channels.seen(plan.tensor(input)), channels.result(step.results[0]))


def add_gradient(plan: Plan, step: Step, grad, input, mean, scale, layout) -> None:
    """Adds scale * (g - mean(g) - h * mean(g * h)), with h the normalized input."""
    channels = Channels(plan, mean, scale, layout)
    slope, source = channels.seen(plan.tensor(grad)), channels.seen(plan.tensor(input))
    result = channels.result(step.results[0])
    h, product = plan.local(source.type, source.shape), plan.local(source.type, source.shape)
    channels.normalized(source, h)
    plan.pointwise(("multiply",), lambda values: values[0] * values[1], (slope, h), product)
    means = channels.mean_of(slope), channels.mean_of(product)

    def make(values: list[Value]) -> Value:
        g, h, mean, along, scale = values
        return scale * (g - mean - h * along)

    plan.pointwise(("normalized gradient",), make, (slope, h, *means, channels.scale), result)


def add_weight(plan: Plan, step: Step, grad, input, mean, scale, layout, per_feature) -> None:
    channels = Channels(plan, mean, scale, layout)
    slope, source = channels.seen(plan.tensor(grad)), channels.seen(plan.tensor(input))
    h, product = plan.local(source.type, source.shape), plan.local(source.type, source.shape)
    channels.normalized(source, h)
    plan.pointwise(("multiply",), lambda values: values[0] * values[1], (slope, h), product)
    plan.reduce("sum", product, [0, 1] if per_feature else [0, 2], plan.result(step.results[0]))


def add_inverse_deviation(plan: Plan, step: Step, input, mean, scale, layout) -> None:
    plan.copy(Channels(plan, mean, scale, layout).scale, plan.result(step.results[0]))


def add_batch_norm(
    plan: Plan, step: Step, input, weight, bias, running_mean, running_var, training, momentum, eps, statistics
) -> None:
    """Adds normalized channels, times a weight plus a bias; in training, moves the running statistics."""
    whole = plan.tensor(input)
    layout = channel_layout(whole.shape)
    if type(statistics) is not Left or len(whole.shape) < 2 or 0 in layout or type(momentum) is not float:
        raise Unsupported("a batch norm of another kind")
    made = {name: plan.result(number) for name, number in statistics.arrays}
    running: list[Any] = [None if each is None else plan.tensor(each) for each in (running_mean, running_var)]
    if any([each.type != whole.type for each in (*made.values(), *filter(None, running))]):
        raise Unsupported("statistics of another dtype")
    channels = Channels(plan, None, None, layout)
    source = channels.seen(whole)
    mean, scale = made["mean"], made["scale"]
    if training:
        centred = channel_moments(plan, channels, source, mean, scale, running, momentum)
    else:
        current, variance = running
        plan.copy(current, mean)
        plan.copy(variance, scale)
        centred = plan.local(source.type, source.shape)
        plan.pointwise(("difference",), lambda values: values[0] - values[1], (source, by_channel(mean)), centred)
    plan.pointwise(("scale", eps), lambda values: 1.0 / unary("sqrt", values[0] + eps), (scale,), scale)
    factors = [by_channel(plan.tensor(each)) for each in (weight, bias) if each is not None]

    def make(values: list[Value]) -> Value:
        value, factor, rest = values[0], values[1], values[2:]
        value = value * (factor if weight is None else factor * rest[0])
        return value if bias is None else value + rest[-1]

    key = "batch norm", weight is not None, bias is not None
    plan.pointwise(key, make, (centred, by_channel(scale), *factors), channels.result(step.results[0]))


def channel_moments(
    plan: Plan, channels: Channels, source: View, mean: View, variance: View, running: list, momentum: float
) -> View:
    """Adds mean and variance of each channel, and moves the running ones; returns the input minus the means."""
    average(plan, source, [0, 2], mean)
    centred, squares = plan.local(source.type, source.shape), plan.local(source.type, source.shape)
    plan.pointwise(("difference",), lambda values: values[0] - values[1], (source, by_channel(mean)), centred)
    plan.pointwise(("square",), lambda values: values[0] * values[0], (centred,), squares)
    average(plan, squares, [0, 2], variance)
    count = channels.elements
    for place, current, unbiased in zip(running, (mean, variance), (1.0, unbias(count)), strict=True):
        if place is not None:
            key = "running", momentum, unbiased

            def move(values: list[Value], unbiased: float = unbiased) -> Value:
                current = values[1] if unbiased == 1.0 else values[1] * unbiased
                return values[0] * (1 - momentum) + current * momentum

            plan.pointwise(key, move, (place, current), place)
    return centred


def unbias(count: int) -> float:
    """Returns the unbiased variance over the biased one."""
    return count / (count - 1) if count > 1 else math.nan


def by_channel(place: View) -> View:
    """Returns a number per channel as a view with the dimensions (1, channels, 1)."""
    return with_dims(place, [0, 2])


def add_channel_sum(plan: Plan, step: Step, input) -> None:
    source = plan.tensor(input)
    plan.reduce("sum", source, [dim for dim in range(len(source.shape)) if dim != 1], plan.result(step.results[0]))


def add_channel_statistic(plan: Plan, step: Step, input, statistic) -> None:
    place, result = plan.tensor(statistic), plan.result(step.results[0])
    dims = [dim for dim in range(len(result.shape)) if dim != min(1, len(result.shape) - 1)]
    plan.copy(with_dims(place, dims), result)


RULES: dict[str, Callable] = {
    "channel_statistic": add_channel_statistic,
    "native_batch_normalization": add_batch_norm,
    "channel_sum": add_channel_sum,
    "native_layer_normalization": add_layer_norm,
    "normalized": add_normalized,
    "normalized_gradient": add_gradient,
    "normalized_weight": add_weight,
    "inverse_deviation": add_inverse_deviation,
}
