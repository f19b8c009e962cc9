"""Batch norm of large arrays by machine code. What it does not take goes to `arrays.normalization`."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import normalization as plain
from rushlight.compiler.kernels import normalization as kernels

FLOAT32 = np.dtype(np.float32)
LARGE = 1 << 13
SHORT = 8  # rows that are not worth a loop of their own
GRAIN = 1 << 14  # numbers that are worth a thread


def batch_normalized(array, eps, weight, bias):
    """`arrays.normalization.batch_normalized`."""
    if not suits(array, weight, bias):
        return plain.batch_normalized(array, eps, weight, bias)
    array, channels = np.ascontiguousarray(array), array.shape[1]
    weight = np.ones(channels, FLOAT32) if weight is None else np.ascontiguousarray(weight)
    bias = np.zeros(channels, FLOAT32) if bias is None else np.ascontiguousarray(bias)
    out, (mean, variance, scale) = np.empty_like(array), np.empty((3, channels), FLOAT32)
    kernels.batch_normalized.machine()(
        array, weight, bias, out, mean, variance, scale, eps, *array.shape, grain(array.shape)
    )
    return out, mean, variance, scale


def batch_normalized_gradients(grad, array, weight, mean, scale):
    """`arrays.normalization.batch_normalized_gradients`."""
    if not suits(array, grad, weight, mean, scale):
        return plain.batch_normalized_gradients(grad, array, weight, mean, scale)
    array, grad, channels = np.ascontiguousarray(array), np.ascontiguousarray(grad), array.shape[1]
    weight = np.ones(channels, FLOAT32) if weight is None else np.ascontiguousarray(weight)
    out, (to_weight, to_bias) = np.empty_like(array), np.empty((2, channels), FLOAT32)
    kernels.batch_normalized_gradients.machine()(
        grad, array, weight, mean, scale, out, to_weight, to_bias, *array.shape, grain(array.shape)
    )
    return out, to_weight, to_bias


def suits(array, *others) -> bool:
    """Whether all is float32 and the rows are long enough."""
    return (
        array.size >= LARGE
        and array.shape[2] >= SHORT
        and array.dtype is FLOAT32
        and all(each is None or each.dtype is FLOAT32 for each in others)
    )


def grain(shape) -> int:
    """How many channels a thread takes at least."""
    return -(-GRAIN // (shape[0] * shape[2]))
