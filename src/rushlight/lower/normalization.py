"""Batch norm and group norm of large arrays by machine code; other calls go to `arrays.normalization`."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import normalization as plain
from rushlight.arrays.layouts import channels_are_last, channels_inside
from rushlight.core.dtype import HALVES
from rushlight.core.policy import GRAIN, LAYER, Warmup
from rushlight.core.tables import xp
from rushlight.kernels import batch_norm as kernels
from rushlight.kernels import batch_norm_columns, group_norm, group_norm_columns
from rushlight.kernels.arguments import number_of, packed
from rushlight.lower.elementwise import FLOATS, Kernels
from rushlight.lower.half_precision import by_float32

WARMUP = Warmup(passes=16)
SHORT = 8  # shorter rows do not pay off, unless they are columns


@by_float32
def channel_sum(array):
    """`arrays.normalization.channel_sum`."""
    if array.size >= LAYER and channels_are_last(array):
        return xp.total(channels_inside(array).reshape(-1, array.shape[1]), 0)
    rows = array.reshape(*array.shape[:2], -1) if array.ndim > 2 and array.size else None
    if rows is None or rows.shape[2] < SHORT or not is_suited(rows):
        return plain.channel_sum(array)
    out = np.empty(rows.shape[1], array.dtype)
    kernels.channel_sums.machine(number_of(array))(packed(rows), out, *rows.shape, grain(rows.shape))
    return out


def batch_normalized(array, eps, weight, bias):
    """`arrays.normalization.batch_normalized`."""
    if not is_suited(array, weight, bias):
        return plain.batch_normalized(array, eps, weight, bias)
    mean, variance, scale = np.empty((3, array.shape[1]), array.dtype)
    return normalized(array, weight, bias, mean, variance, scale, eps, False), mean, variance, scale


def fixed_normalized(array, mean, scale, weight, bias):
    """`arrays.normalization.fixed_normalized`."""
    result = fixed_normalized_half(array, mean, scale, weight, bias) if array.dtype in HALVES else None
    if result is not None:
        return result
    if not is_suited(array, mean, scale, weight, bias):
        return plain.fixed_normalized(array, mean, scale, weight, bias)
    mean, scale = np.ascontiguousarray(mean), np.ascontiguousarray(scale)
    return normalized(array, weight, bias, mean, mean, scale, 0.0, True)


def fixed_normalized_half(array, mean, scale, weight, bias):
    """Normalizes half precision in one pass, computed in float32; None if no kernel fits."""
    if array.size < LAYER or not (WARMUP.over or WARMUP.pays_off(array.size)):
        return None
    factor = scale if weight is None else scale * weight
    shift = np.zeros_like(mean) if bias is None else bias
    columns = {name: x.reshape(1, -1, 1) for name, x in (("mean", mean), ("factor", factor), ("shift", shift))}
    result = FIXED.run({"array": array, **columns}, np.dtype(np.float32), (array.dtype,))
    return None if result is None else result[0]


FIXED = Kernels("fixed_normalized", lambda x: [(x["array"] - x["mean"]) * x["factor"] + x["shift"]])


def normalized(array, weight, bias, mean, variance, scale, eps, fixed):
    """Returns the normalized array; computes means and deviations unless they are `fixed`."""
    array, out = packed(array), np.empty(array.shape, array.dtype)
    weight, bias = per_channel(weight, 1, array), per_channel(bias, 0, array)
    work, factors = np.empty(2 * array.shape[1]), np.empty(array.shape[1], array.dtype)
    kernel = batch_norm_columns.columns_normalized if array.shape[2] == 1 else kernels.batch_normalized
    kernel.machine(number_of(array))(
        array, weight, bias, out, mean, variance, scale, work, factors, eps, fixed, *array.shape, grain(array.shape)
    )  # fmt: skip
    return out


def batch_normalized_gradients(grad, array, weight, mean, scale):
    """`arrays.normalization.batch_normalized_gradients`."""
    if not is_suited(array, grad, weight, mean, scale):
        return plain.batch_normalized_gradients(grad, array, weight, mean, scale)
    return gradients(grad, array, weight, mean, scale, False)


def fixed_normalized_gradients(grad, array, weight, mean, scale):
    """`arrays.normalization.fixed_normalized_gradients`."""
    if not is_suited(array, grad, weight, mean, scale):
        return plain.fixed_normalized_gradients(grad, array, weight, mean, scale)
    return gradients(grad, array, weight, mean, scale, True)


def gradients(grad, array, weight, mean, scale, fixed):
    """Returns the gradients of array, weight and bias; `fixed` statistics contribute none."""
    array, grad, channels = packed(array), packed(grad), array.shape[1]
    mean, scale = np.ascontiguousarray(mean), np.ascontiguousarray(scale)
    weight, work, factors = per_channel(weight, 1, array), np.empty(2 * channels), np.empty(3 * channels, array.dtype)
    out, (to_weight, to_bias) = np.empty_like(array), np.empty((2, channels), array.dtype)
    columns = array.shape[2] == 1
    kernel = batch_norm_columns.columns_normalized_gradients if columns else kernels.batch_normalized_gradients
    kernel.machine(number_of(array))(
        grad, array, weight, mean, scale, out, to_weight, to_bias, work, factors, fixed, *array.shape,
        grain(array.shape),
    )  # fmt: skip
    return out, to_weight, to_bias


def group_normalized(array, groups, eps, weight, bias):
    """`arrays.normalization.group_normalized`."""
    if not is_suited(array, weight, bias):
        return plain.group_normalized(array, groups, eps, weight, bias)
    batch, channels, inner = array.shape
    mean, scale = np.empty((2, batch * groups), array.dtype)
    weight, bias = per_channel(weight, 1, array), per_channel(bias, 0, array)
    per_group = channels // groups
    if are_columns(array):
        lines = array.swapaxes(1, 2)
        out, work, workspace = (
            np.empty(lines.shape, array.dtype),
            np.empty(2 * batch * channels),
            np.empty(2 * batch * channels, array.dtype),
        )
        group_norm_columns.group_columns_normalized.machine(number_of(array))(
            lines, weight, bias, out, mean, scale, work, workspace, eps, batch, groups, per_group, inner,
            -(-GRAIN // (channels * inner)),
        )  # fmt: skip
        return out.swapaxes(1, 2), mean, scale
    array, out = packed(array), np.empty(array.shape, array.dtype)
    group_norm.group_normalized.machine(number_of(array))(
        array,
        weight,
        bias,
        out,
        mean,
        scale,
        eps,
        len(mean),
        groups,
        per_group,
        inner,
        -(-GRAIN // (per_group * inner)),
    )
    return out, mean, scale


def group_normalized_gradients(grad, array, groups, weight, mean, scale):
    """`arrays.normalization.group_normalized_gradients`."""
    if not is_suited(array, grad, weight, mean, scale):
        return plain.group_normalized_gradients(grad, array, groups, weight, mean, scale)
    batch, channels, inner = array.shape
    per_group, (products, sums) = channels // groups, np.empty((2, batch, channels))
    if are_columns(array):
        lines, grads = array.swapaxes(1, 2), packed(grad.swapaxes(1, 2))
        out, workspace = np.empty(lines.shape, array.dtype), np.zeros(4 * batch * channels, array.dtype)
        group_norm_columns.group_columns_gradients.machine(number_of(array))(
            grads, lines, per_channel(weight, 1, array), mean, scale, out, products, sums, workspace, batch, groups,
            per_group, inner, -(-GRAIN // (channels * inner)),
        )  # fmt: skip
        return out.swapaxes(1, 2), products.sum(0).astype(array.dtype), sums.sum(0).astype(array.dtype)
    array, grad = packed(array), packed(grad)
    out = np.empty_like(array)
    group_norm.group_normalized_gradients.machine(number_of(array))(
        grad, array, per_channel(weight, 1, array), mean, scale, out, products, sums, len(mean), groups, per_group,
        inner, -(-GRAIN // (per_group * inner)),
    )  # fmt: skip
    return out, products.sum(0).astype(array.dtype), sums.sum(0).astype(array.dtype)


def are_columns(array) -> bool:
    """Returns whether the channels of (batch, channels, inner) are contiguous and fill a vector."""
    return array.shape[1] >= SHORT and array.shape[2] > 1 and array.swapaxes(1, 2).flags.carray


def grain(shape) -> int:
    """Returns the channels per thread."""
    least = -(-GRAIN // (shape[0] * shape[2]))
    return least if shape[2] > 1 else max(least, batch_norm_columns.BLOCK // 4)


def is_suited(array, *others) -> bool:
    """Returns whether all are floats of one dtype, with long rows or columns."""
    return (
        array.size >= LAYER
        and (array.shape[2] >= SHORT or array.shape[2] == 1)
        and array.dtype in FLOATS
        and all(x is None or x.dtype == array.dtype for x in others)
        and (WARMUP.over or WARMUP.pays_off(array.size))
    )


def per_channel(parameter, otherwise, array) -> np.ndarray:
    """Returns a parameter with one value per channel."""
    return np.full(array.shape[1], otherwise, array.dtype) if parameter is None else np.ascontiguousarray(parameter)
