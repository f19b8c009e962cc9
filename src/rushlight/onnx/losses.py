"""Primitives of losses, bags of embeddings, and layers of which ONNX has an operator that formulas do not give."""

from __future__ import annotations

from rushlight.declarations.reduction import reduce_raw_losses
from rushlight.declarations.reduction import reduction_name as named
from rushlight.onnx.array_language import ARRAYS
from rushlight.onnx.elements import (
    add,
    astype,
    equal,
    logical_not,
    maximum,
    multiply,
    negative,
    reduced,
    subtract,
    unary,
    where,
)  # fmt: skip
from rushlight.onnx.table import Call, writes
from rushlight.onnx.writer import INT64, Value


@writes("relu")
def relu(call: Call, input: Value) -> Value:
    return unary("Relu", input) if input.dtype.kind == "f" else maximum(input, 0)


@writes("glu")
def glu(call: Call, input: Value, dim=-1) -> Value:
    writer, axis = call.writer, dim % input.ndim
    half = writer.ints([call.shape[axis]] * 2)
    one, other = [
        Value(writer, name, input.dtype, call.shape) for name in writer.nodes_of("Split", [input, half], 2, axis=axis)
    ]
    return multiply(one, unary("Sigmoid", other))


@writes("negative_log_likelihood")
def negative_log_likelihood(call: Call, input: Value, target: Value, weight, ignore_index, reduction) -> Value:
    writer = call.writer
    target = writer.cast(target, INT64)
    if input.ndim == 1:
        input, target = writer.reshape(input, (1, *input.shape)), writer.reshape(target, (1,))
    done = writer.op(
        "NegativeLogLikelihoodLoss", input, target, weight, reduction=named(reduction), ignore_index=int(ignore_index)
    )
    return writer.reshape(done, call.shape)


@writes("smoothed_likelihood")
def smoothed_likelihood(call: Call, input: Value, target: Value, ignore_index, smoothing, reduction) -> Value:
    """Writes the loss where a share of each target is spread over all classes alike."""
    writer = call.writer
    classes = input.shape[1]
    kept = logical_not(equal(target, ignore_index))
    kept.shape = target.shape
    rows = writer.reshape(where(kept, target, 0), (*target.shape[:1], 1, *target.shape[1:]))
    own = writer.op("GatherElements", input, writer.cast(rows, INT64), axis=1)
    own = writer.reshape(own, target.shape)
    spread = multiply(reduced("ReduceSum", input, (1,), False), writer.scalar(-smoothing / classes, input.dtype))
    losses = where(kept, subtract(spread, multiply(own, 1 - smoothing)), writer.scalar(0, input.dtype))
    if named(reduction) == "mean":
        return reduced("ReduceSum", losses, None, False) / reduced("ReduceSum", astype(kept, input.dtype), None, False)
    return losses if named(reduction) == "none" else reduced("ReduceSum", losses, None, False)


@writes("weighted_binary_cross_entropy")
def weighted_binary_cross_entropy(call: Call, input: Value, target: Value, weight, reduction) -> Value:
    """Writes the loss, whose logarithms are no lower than -100."""
    logs = [maximum(unary("Log", each), -100) for each in (input, subtract(1, input))]
    losses = negative(add(multiply(target, logs[0]), multiply(subtract(1, target), logs[1])))
    return reduce_raw_losses(ARRAYS, losses if weight is None else multiply(losses, weight), reduction)
