"""Primitives of layers: convolution, pooling, normalization, attention, resampling, recurrence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.onnx.elements import add, divide, multiply, reduced, subtract, where
from rushlight.onnx.reductions import softmax_of_rows
from rushlight.onnx.table import Call, writes
from rushlight.onnx.writer import BOOL, INT64, Refused, Value


def per_dimension(value: Any, count: int) -> list[int]:
    """Returns a setting for each spatial dimension."""
    return [int(each) for each in value] if isinstance(value, tuple | list) else [int(value)] * count


@writes("convolve")
def convolve(
    call: Call, input: Value, weight: Value, bias: Value | None, stride, padding, dilation, transposed, output_padding,
    groups,
) -> Value:  # fmt: skip
    spatial = input.ndim - 2
    pads = per_dimension(padding, spatial)
    settings: dict[str, Any] = {
        "strides": per_dimension(stride, spatial), "pads": [*pads, *pads], "group": int(groups),
        "dilations": per_dimension(dilation, spatial),
    }  # fmt: skip
    if transposed:
        extra = per_dimension(output_padding, spatial)
        beyond = [more // step for more, step in zip(extra, settings["strides"], strict=True)]
        if any(beyond):  # no more than a step is added to the result: the input gets zeros at its end instead
            ends = call.writer.constant([0] * (input.ndim + 2) + beyond, INT64)
            input = call.writer.op("Pad", input, ends, mode="constant")
        settings["output_padding"] = [more % step for more, step in zip(extra, settings["strides"], strict=True)]
    kind = "ConvTranspose" if transposed else "Conv"
    return call.writer.op(kind, input, weight, bias, shape=call.shape, **settings)


# ---- pooling


def batch_of(call: Call, input: Value, spatial: int) -> Value:
    """Returns planes with a batch in front."""
    return input if input.ndim == spatial + 2 else call.writer.reshape(input, (1, *input.shape))


def pooled(call: Call, kind: str, input: Value, spatial: int, results: int = 1, **settings) -> list[Value]:
    rows = batch_of(call, input, spatial)
    names = call.writer.nodes_of(kind, [rows], results, **settings)
    full = call.shape if input.ndim == spatial + 2 else (1, *call.shape)
    dtypes = (input.dtype, INT64)
    values = [Value(call.writer, name, dtype, full) for name, dtype in zip(names, dtypes, strict=False)]
    return [call.writer.reshape(value, call.shape) for value in values]


@writes("max_pool", "max_pool_values")
def max_pool(call: Call, input: Value, kernel_size, stride, padding, dilation, ceil_mode) -> list[Value]:
    spatial = len(kernel_size)
    with_positions = len(call.results) > 1 and call.results[1].used
    pads = per_dimension(padding, spatial)
    outputs = pooled(
        call, "MaxPool", input, spatial, 1 + with_positions, kernel_shape=per_dimension(kernel_size, spatial),
        strides=per_dimension(stride, spatial), pads=[*pads, *pads], dilations=per_dimension(dilation, spatial),
        ceil_mode=int(ceil_mode),
    )  # fmt: skip
    if with_positions:  # ONNX counts through all planes
        plane = call.writer.scalar(math.prod(input.shape[-spatial:]), INT64)
        outputs[1] = call.writer.op("Mod", outputs[1], plane, shape=outputs[1].shape)
    return outputs


@writes("avg_pool")
def avg_pool(
    call: Call, input: Value, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
) -> Value:
    spatial = len(kernel_size)
    kernel, steps, before = [per_dimension(each, spatial) for each in (kernel_size, stride, padding)]
    after = list(before)
    if divisor_override is not None and ceil_mode:  # what is beyond the end counts as zeros
        sizes = zip(call.shape[-spatial:], input.shape[-spatial:], strict=True)
        for at, (size, own) in enumerate(sizes):
            after[at] += max(0, (size - 1) * steps[at] + kernel[at] - own - 2 * before[at])
    result = pooled(
        call, "AveragePool", input, spatial, kernel_shape=kernel, strides=steps, pads=[*before, *after],
        ceil_mode=int(ceil_mode and divisor_override is None),
        count_include_pad=int(count_include_pad or divisor_override is not None),
    )[0]  # fmt: skip
    return result if divisor_override is None else multiply(result, math.prod(kernel) / divisor_override)


def windows(size: int, count: int) -> list[range]:
    """Returns the positions that each of the results of an adaptive pool covers."""
    return [range(at * size // count, -(-(at + 1) * size // count)) for at in range(count)]


@writes("adaptive_avg_pool")
def adaptive_avg_pool(call: Call, input: Value, output_size) -> Value:
    writer, spatial = call.writer, len(output_size)
    if all([count == 1 for count in output_size]):
        axes = tuple(range(input.ndim - spatial, input.ndim))
        return reduced("ReduceMean", input, axes, True)
    result = input
    for number in range(spatial):
        axis = input.ndim - spatial + number
        size, count = fixed(input.shape[axis]), output_size[number]
        means = np.zeros((size, count), input.dtype)
        for at, window in enumerate(windows(size, count)):
            means[list(window), at] = 1 / len(window)
        order = [*[each for each in range(input.ndim) if each != axis], axis]
        moved = writer.op("MatMul", writer.transpose(result, order), writer.constant(means))
        moved.shape = tuple([*[result.shape[each] for each in order[:-1]], count])
        result = writer.transpose(moved, [order.index(each) for each in range(input.ndim)])
    return result


def fixed(size: Any) -> int:
    """Returns a size. Raises Refused if it may change."""
    if type(size) is not int:
        raise Refused("an adaptive pool over a size that may change, to more than one element")
    return size


@writes("adaptive_max_pool")
def adaptive_max_pool(call: Call, input: Value, output_size) -> list[Value]:
    """Takes the windows of each dimension in turn: their positions are constant, the last is repeated in short ones."""
    writer, spatial, result = call.writer, len(output_size), input
    positions = None
    if call.results[1].used:
        sizes = [fixed(size) for size in input.shape[-spatial:]]
        positions = writer.expand(writer.constant(np.arange(math.prod(sizes)).reshape(sizes)), input.shape)
    for number in range(spatial):
        axis = input.ndim - spatial + number
        covered = windows(fixed(input.shape[axis]), output_size[number])
        longest = max(map(len, covered))
        at = writer.constant([[*each, *[each[-1]] * (longest - len(each))] for each in covered], INT64)
        shape = (*result.shape[:axis], len(covered), longest, *result.shape[axis + 1 :])
        wide = writer.op("Gather", result, at, axis=axis, shape=shape)
        if positions is not None:
            chosen = writer.op("ArgMax", wide, dtype=INT64, axis=axis + 1, keepdims=1)
            chosen.shape = tuple([1 if each == axis + 1 else size for each, size in enumerate(shape)])
            spread = writer.op("Gather", positions, at, axis=axis, shape=shape)
            picked = writer.op("GatherElements", spread, chosen, axis=axis + 1, shape=chosen.shape)
            positions = writer.reshape(picked, (*shape[: axis + 1], *shape[axis + 2 :]))
        result = reduced("ReduceMax", wide, (axis + 1,), False)
    return [result] if positions is None else [result, positions]


@writes("max_unpool")
def max_unpool(call: Call, input: Value, indices: Value, output_size) -> Value:
    writer, spatial = call.writer, len(output_size)
    planes, count = math.prod(input.shape[:-spatial]), math.prod(input.shape[-spatial:])
    zeros = writer.filled((planes, math.prod(output_size)), 0, input.dtype)
    rows = [writer.reshape(each, (planes, count)) for each in (indices, input)]
    done = writer.op("ScatterElements", zeros, *rows, axis=1, shape=zeros.shape)
    return writer.reshape(done, call.shape)


# ---- normalization


@writes("native_layer_normalization")
def layer_normalization(call: Call, input: Value, normalized_shape, weight, bias, eps, statistics) -> list[Value]:
    shape = tuple(normalized_shape)
    if weight is None:
        weight = call.writer.filled(shape, 1, input.dtype)
    axis = -len(shape)
    return [call.writer.op("LayerNormalization", input, weight, bias, axis=axis, epsilon=float(eps), shape=call.shape)]


@writes("native_group_normalization")
def group_normalization(call: Call, input: Value, num_groups, weight, bias, eps, statistics) -> list[Value]:
    writer, (batch, channels) = call.writer, input.shape[:2]
    size = math.prod(input.shape[2:])
    groups = writer.reshape(input, (batch, num_groups, channels // num_groups * size))
    result = writer.reshape(standardized(groups, (2,), eps), input.shape)
    return [scaled(call, result, weight, bias)]


def standardized(value: Value, axes: tuple[int, ...], eps: float) -> Value:
    """Writes a value with mean 0 and variance 1 over axes."""
    away = subtract(value, reduced("ReduceMean", value, axes, True))
    variance = reduced("ReduceMean", multiply(away, away), axes, True)
    return divide(away, value.writer.op("Sqrt", add(variance, eps), shape=variance.shape))


def scaled(call: Call, value: Value, weight: Value | None, bias: Value | None) -> Value:
    """Writes the scale and the shift of channels."""
    rank = len(call.shape)
    for parameter, combine in ((weight, multiply), (bias, add)):
        if parameter is not None:
            value = combine(value, call.writer.reshape(parameter, (parameter.shape[0], *[1] * (rank - 2))))
    value.shape = call.shape
    return value


@writes("native_batch_normalization")
def batch_normalization(
    call: Call, input: Value, weight, bias, running_mean, running_var, training, momentum, eps, statistics
) -> list[Value]:
    if training:
        if running_mean is not None:
            raise Refused("a batch norm in training mode, which changes its buffers: call model.eval() first")
        axes = tuple([axis for axis in range(input.ndim) if axis != 1])
        return [scaled(call, standardized(input, axes, eps), weight, bias)]
    if not input.size:
        return [input]
    writer, count = call.writer, running_mean.shape
    weight = writer.filled(count, 1, input.dtype) if weight is None else weight
    bias = writer.filled(count, 0, input.dtype) if bias is None else bias
    parameters = [writer.cast(each, input.dtype) for each in (weight, bias, running_mean, running_var)]
    return [writer.op("BatchNormalization", input, *parameters, epsilon=float(eps), shape=call.shape)]


# ---- attention


@writes("attention")
def attention(call: Call, query: Value, key: Value, value: Value, bias: Value | None, is_causal, scale) -> list[Value]:
    writer = call.writer
    length, keys = query.shape[-2], key.shape[-2]
    scores = writer.op(
        "MatMul", multiply(query, writer.scalar(scale, query.dtype)), writer.transpose(key, (0, 1, 3, 2)),
        shape=(*query.shape[:-1], keys),
    )  # fmt: skip
    none = writer.scalar(-math.inf, query.dtype)
    if is_causal:
        rows = writer.reshape(writer.range_of(length), (length, 1))
        seen = writer.op("LessOrEqual", writer.range_of(keys), rows, dtype=BOOL, shape=(length, keys))
        scores = where(seen, scores, none)
    elif bias is not None and bias.dtype == BOOL:
        scores = where(bias, scores, none)
    elif bias is not None:
        scores = add(scores, writer.cast(bias, scores.dtype))
    scores.shape = (*query.shape[:-1], keys)
    if bias is None:
        weights = writer.op("Softmax", scores, axis=3, shape=scores.shape)
    else:
        weights = softmax_of_rows(call, scores, 3)
    return [writer.op("MatMul", weights, value, shape=call.shape), weights]


# ---- resampling

RESIZES: dict[str, dict[str, Any]] = {
    "nearest": {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
    "nearest-exact": {"mode": "nearest", "coordinate_transformation_mode": "half_pixel", "nearest_mode": "floor"},
    "linear": {"mode": "linear"},
    "cubic": {"mode": "cubic", "cubic_coeff_a": -0.75},
}


@writes("resample")
def resample(call: Call, input: Value, size, kind, align_corners, factors) -> Value:
    writer, name = call.writer, kind.removeprefix("wide-")
    if name not in RESIZES:
        raise Refused(f"resampling of the kind {kind}")
    settings = dict(RESIZES[name])
    if name in ("linear", "cubic"):
        corners = "align_corners" if align_corners else "half_pixel"
        settings["coordinate_transformation_mode"] = corners
    if name == "nearest-exact":  # the positions at half pixels are rounded down after adding a half
        settings["nearest_mode"] = "round_prefer_ceil"
    if name != kind:
        settings |= {"antialias": 1, "cubic_coeff_a": -0.5} if name == "cubic" else {"antialias": 1}
    if factors is not None and not align_corners:
        scales = writer.constant(np.array([1, 1, *factors], np.float32))
        return writer.op("Resize", input, None, scales, shape=call.shape, **settings)
    return writer.op("Resize", input, None, None, writer.ints(call.shape), shape=call.shape, **settings)


@writes("grid_sampled")
def grid_sampled(call: Call, input: Value, grid: Value, mode, padding, align_corners, orders) -> Value:
    if any(orders):
        raise Refused("the derivative of a sampled grid")
    if input.ndim > 4 and call.writer.opset < 20:
        raise Refused("a sampled grid of three dimensions below opset 20")
    mode = {"nearest": "nearest", "bilinear": "bilinear", "bicubic": "bicubic"}.get(str(mode), str(mode))
    if call.writer.opset >= 20:
        mode = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    return call.writer.op(
        "GridSample", input, grid, mode=mode, padding_mode=str(padding), align_corners=int(align_corners),
        shape=call.shape,
    )  # fmt: skip


# ---- recurrence


def reordered(call: Call, value: Value, order: tuple[int, ...]) -> Value:
    """Returns gates along the first dimension in ONNX's order, with the number of directions, 1, in front."""
    writer, size = call.writer, value.shape[0] // len(order)
    if order != tuple(range(len(order))):
        names = writer.nodes_of("Split", [value, writer.ints([size] * len(order))], len(order), axis=0)
        parts = [Value(writer, names[at], value.dtype) for at in order]
        value = writer.op("Concat", *parts, axis=0, shape=value.shape)
    return writer.reshape(value, (1, *value.shape))


def recurrent(
    call: Call, kind: str, order: tuple[int, ...], states: list[Value], sizes, reverse, **settings
) -> list[Value]:
    """Writes a layer of one direction over sequences of one length; returns its states at all steps, and the last."""
    writer, values = call.writer, call.values
    input, hidden = values["input"], values["hidden"]
    batch = sizes.item if hasattr(sizes, "item") else sizes[0]
    if not hasattr(sizes, "item") and any([size != batch for size in sizes]):
        raise Refused("a recurrent layer over sequences of several lengths")
    length = sizes.length if hasattr(sizes, "item") else len(sizes)
    count = hidden.shape[-1]
    weights = [reordered(call, values[name], order) for name in ("weight_ih", "weight_hh")]
    bias = None
    if values["bias_ih"] is not None:
        both = [reordered(call, values[name], order) for name in ("bias_ih", "bias_hh")]
        bias = writer.op("Concat", *both, axis=1, shape=(1, 2 * len(order) * count))
    rows = writer.reshape(input, (length, batch, input.shape[-1]))
    first = [writer.reshape(state, (1, batch, count)) for state in states]
    names = writer.nodes_of(
        kind, [rows, *weights, bias, None, *first], 1 + len(first), hidden_size=count,
        direction="reverse" if reverse else "forward", **settings,
    )  # fmt: skip
    shapes = [(length, 1, batch, count), *[(1, batch, count)] * len(first)]
    outputs = [Value(writer, name, input.dtype, shape) for name, shape in zip(names, shapes, strict=True)]
    return [writer.reshape(each, x.shape) for each, x in zip(outputs, call.results, strict=False)]


@writes("lstm_layer")
def lstm_layer(call: Call, hidden: Value, cell: Value, weight_hr, sizes, reverse, **rest) -> list[Value]:
    if weight_hr is not None:
        raise Refused("an LSTM with a projection")
    return recurrent(call, "LSTM", (0, 3, 1, 2), [hidden, cell], sizes, reverse)


@writes("gru_layer")
def gru_layer(call: Call, hidden: Value, sizes, reverse, **rest) -> list[Value]:
    return recurrent(call, "GRU", (1, 0, 2), [hidden], sizes, reverse, linear_before_reset=1)


@writes("rnn_layer")
def rnn_layer(call: Call, relu, hidden: Value, sizes, reverse, **rest) -> list[Value]:
    return recurrent(call, "RNN", (0,), [hidden], sizes, reverse, activations=["Relu" if relu else "Tanh"])
