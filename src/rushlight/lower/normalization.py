"""Batch norm and group norm of large arrays by machine code. What it does not take goes to `arrays.normalization`."""

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
SHORT = 8  # rows that are not worth a loop of their own, unless they are columns


@by_float32
def channel_sum(array):
    """`arrays.normalization.channel_sum`."""
    if array.size >= LAYER and channels_are_last(array):
        return xp.total(channels_inside(array).reshape(-1, array.shape[1]), 0)
    rows = array.reshape(*array.shape[:2], -1) if array.ndim > 2 and array.size else None
    if rows is None or rows.shape[2] < SHORT or not suits(rows):
        return plain.channel_sum(array)
    out = np.empty(rows.shape[1], array.dtype)
    kernels.channel_sums.machine(number_of(array))(packed(rows), out, *rows.shape, grain(rows.shape))
    return out


def batch_normalized(array, eps, weight, bias):
    """`arrays.normalization.batch_normalized`."""
    if not suits(array, weight, bias):
        return plain.batch_normalized(array, eps, weight, bias)
    mean, variance, scale = np.empty((3, array.shape[1]), array.dtype)
    return normalized(array, weight, bias, mean, variance, scale, eps, False), mean, variance, scale


def fixed_normalized(array, mean, scale, weight, bias):
    """`arrays.normalization.fixed_normalized`."""
    found = fixed_normalized_halves(array, mean, scale, weight, bias) if array.dtype in HALVES else None
    if found is not None:
        return found
    if not suits(array, mean, scale, weight, bias):
        return plain.fixed_normalized(array, mean, scale, weight, bias)
    mean, scale = np.ascontiguousarray(mean), np.ascontiguousarray(scale)
    return normalized(array, weight, bias, mean, mean, scale, 0.0, True)


def fixed_normalized_halves(array, mean, scale, weight, bias):
    """The same of half precision, in one pass that computes in float32; None where there is no kernel."""
    if array.size < LAYER or not (WARMUP.over or WARMUP.pays_off(array.size)):
        return None
    factor = scale if weight is None else scale * weight
    shift = np.zeros_like(mean) if bias is None else bias
    columns = {name: each.reshape(1, -1, 1) for name, each in (("mean", mean), ("factor", factor), ("shift", shift))}
    found = FIXED.run({"array": array, **columns}, np.dtype(np.float32), (array.dtype,))
    return None if found is None else found[0]


FIXED = Kernels("fixed_normalized", lambda given: [(given["array"] - given["mean"]) * given["factor"] + given["shift"]])


def normalized(array, weight, bias, mean, variance, scale, eps, fixed):
    """The array less means over deviations, which are found on the way unless they are `fixed`."""
    array, out = packed(array), np.empty(array.shape, array.dtype)
    weight, bias = numbers(weight, 1, array), numbers(bias, 0, array)
    work, factors = np.empty(2 * array.shape[1]), np.empty(array.shape[1], array.dtype)
    kernel = batch_norm_columns.columns_normalized if array.shape[2] == 1 else kernels.batch_normalized
    kernel.machine(number_of(array))(
        array, weight, bias, out, mean, variance, scale, work, factors, eps, fixed, *array.shape, grain(array.shape)
    )  # fmt: skip
    return out


def batch_normalized_gradients(grad, array, weight, mean, scale):
    """`arrays.normalization.batch_normalized_gradients`."""
    if not suits(array, grad, weight, mean, scale):
        return plain.batch_normalized_gradients(grad, array, weight, mean, scale)
    return gradients(grad, array, weight, mean, scale, False)


def fixed_normalized_gradients(grad, array, weight, mean, scale):
    """`arrays.normalization.fixed_normalized_gradients`."""
    if not suits(array, grad, weight, mean, scale):
        return plain.fixed_normalized_gradients(grad, array, weight, mean, scale)
    return gradients(grad, array, weight, mean, scale, True)


def gradients(grad, array, weight, mean, scale, fixed):
    """Those of array, weight and bias; of `fixed` means and deviations nothing follows."""
    array, grad, channels = packed(array), packed(grad), array.shape[1]
    mean, scale = np.ascontiguousarray(mean), np.ascontiguousarray(scale)
    weight, work, factors = numbers(weight, 1, array), np.empty(2 * channels), np.empty(3 * channels, array.dtype)
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
    if not suits(array, weight, bias):
        return plain.group_normalized(array, groups, eps, weight, bias)
    batch, channels, inner = array.shape
    mean, scale = np.empty((2, batch * groups), array.dtype)
    weight, bias = numbers(weight, 1, array), numbers(bias, 0, array)
    each = channels // groups
    if are_columns(array):
        lines = array.swapaxes(1, 2)
        out, work, room = (
            np.empty(lines.shape, array.dtype),
            np.empty(2 * batch * channels),
            np.empty(2 * batch * channels, array.dtype),
        )
        group_norm_columns.group_columns_normalized.machine(number_of(array))(
            lines, weight, bias, out, mean, scale, work, room, eps, batch, groups, each, inner,
            -(-GRAIN // (channels * inner)),
        )  # fmt: skip
        return out.swapaxes(1, 2), mean, scale
    array, out = packed(array), np.empty(array.shape, array.dtype)
    group_norm.group_normalized.machine(number_of(array))(
        array, weight, bias, out, mean, scale, eps, len(mean), groups, each, inner, -(-GRAIN // (each * inner))
    )
    return out, mean, scale


def group_normalized_gradients(grad, array, groups, weight, mean, scale):
    """`arrays.normalization.group_normalized_gradients`."""
    if not suits(array, grad, weight, mean, scale):
        return plain.group_normalized_gradients(grad, array, groups, weight, mean, scale)
    batch, channels, inner = array.shape
    each, (products, sums) = channels // groups, np.empty((2, batch, channels))
    if are_columns(array):
        lines, slopes = array.swapaxes(1, 2), packed(grad.swapaxes(1, 2))
        out, room = np.empty(lines.shape, array.dtype), np.zeros(4 * batch * channels, array.dtype)
        group_norm_columns.group_columns_gradients.machine(number_of(array))(
            slopes, lines, numbers(weight, 1, array), mean, scale, out, products, sums, room, batch, groups, each,
            inner, -(-GRAIN // (channels * inner)),
        )  # fmt: skip
        return out.swapaxes(1, 2), products.sum(0).astype(array.dtype), sums.sum(0).astype(array.dtype)
    array, grad = packed(array), packed(grad)
    out = np.empty_like(array)
    group_norm.group_normalized_gradients.machine(number_of(array))(
        grad, array, numbers(weight, 1, array), mean, scale, out, products, sums, len(mean), groups, each, inner,
        -(-GRAIN // (each * inner)),
    )  # fmt: skip
    return out, products.sum(0).astype(array.dtype), sums.sum(0).astype(array.dtype)


def are_columns(array) -> bool:
    """Whether the channels of (batch, channels, inner) lie side by side, and fill a vector."""
    return array.shape[1] >= SHORT and array.shape[2] > 1 and array.swapaxes(1, 2).flags.carray


def grain(shape) -> int:
    """How many channels a thread takes at least."""
    least = -(-GRAIN // (shape[0] * shape[2]))
    return least if shape[2] > 1 else max(least, batch_norm_columns.BLOCK // 4)


def suits(array, *others) -> bool:
    """Whether all are floats of one dtype and the rows are long enough, or there are columns."""
    return (
        array.size >= LAYER
        and (array.shape[2] >= SHORT or array.shape[2] == 1)
        and array.dtype in FLOATS
        and all(each is None or each.dtype == array.dtype for each in others)
        and (WARMUP.over or WARMUP.pays_off(array.size))
    )


def numbers(given, otherwise, array) -> np.ndarray:
    """One number for each channel."""
    return np.full(array.shape[1], otherwise, array.dtype) if given is None else np.ascontiguousarray(given)
