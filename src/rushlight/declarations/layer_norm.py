"""Normalization by the statistics of a row, or of a group of channels."""

from __future__ import annotations

import math

from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import float32
from rushlight.core.tensor import Tensor
from rushlight.core.traced import TRACED
from rushlight.declarations.batches import aligned, folded, rank_of, unfolded
from rushlight.declarations.checks.layer_norm import check_group_norm, check_layer_norm
from rushlight.declarations.declare import Direct, composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype
from rushlight.declarations.normalize import (
    Statistics,
    as_shown,
    channel_layout,
    meta_results,
    moved_affinely,
    per_channel,
    scaled_channels,
    shown_statistics,
    widened,
)
from rushlight.declarations.orders import is_last_order_on_cpu
from rushlight.declarations.shapes import integers

# ---- layer norm


@op(internal=True, exact=True, no_fp_errors=False)
class native_layer_normalization:
    """`y = (x - mean) / sqrt(variance + eps) * weight + bias`, with mean and variance of each row.

    A row is the last dimensions, `normalized_shape`. `statistics` receives mean and scale = 1 / sqrt(variance + eps).
    With these, x^ = (x - mean) scale, s = g weight and means over a row, the gradient of x is
    scale (s - mean(s) - x^ mean(s x^)) (`normalized_gradient`), that of weight the sum of g x^ over rows, that of bias
    the sum of g. First derivatives come from one kernel, `common`; when they are differentiated again, from formulas.
    """

    def forward(xp, input: Tensor, normalized_shape, weight: Tensor | None, bias: Tensor | None, eps, statistics):
        check_layer_norm(input, normalized_shape, weight, bias)
        rows = input
        if len(normalized_shape) > 1:
            rows = input.reshape(row_layout(input.shape, normalized_shape)[1:])
            weight, bias = (None if each is None else each.reshape(-1) for each in (weight, bias))
        result, statistics.mean, statistics.scale = xp.layer_normalized(rows, weight, bias, eps)
        if rows is not input:
            result = result.reshape(input.shape)
        return result if result.dtype is input.dtype else xp.astype(result, input.dtype)

    def shape(input, normalized_shape, weight, bias, eps, statistics):
        check_layer_norm(input, normalized_shape, weight, bias)
        return meta_results(input, row_layout(input.shape, normalized_shape), statistics)

    def common(F, g, input, normalized_shape, weight, statistics):
        if weight is not None and not isinstance(g, Tensor):
            return F.layer_norm_backward(g, input, weight, statistics.mean, statistics.scale)

    def d_input(F, g, input, normalized_shape, weight, statistics, common):
        if common is not None:
            return common[0]
        scaled = g if weight is None else g * weight
        return F.normalized_gradient(
            scaled, input, statistics.mean, statistics.scale, row_layout(input.shape, normalized_shape)
        )

    def d_weight(F, g, input, normalized_shape, statistics, common):
        if common is not None:
            return common[1]
        total = F.normalized_weight(
            g, input, statistics.mean, statistics.scale, row_layout(input.shape, normalized_shape), True
        )
        return F.reshape(total, normalized_shape)

    def d_bias(F, g, normalized_shape, common):
        return F.sum_to_size_of(g, normalized_shape) if common is None else common[2]

    def batch(F, b, input, normalized_shape, weight, bias, eps, statistics):
        if b.batched == {"input"}:
            return F.native_layer_normalization(input, normalized_shape, weight, bias, eps, statistics)
        normal = F.native_layer_normalization(input, normalized_shape, None, None, eps, statistics)
        rank = rank_of(b, "input", input)
        if weight is not None:
            normal = normal * aligned(F, b, rank, "weight", weight)
        return normal if bias is None else normal + aligned(F, b, rank, "bias", bias)

    def jvp(F, input_t, weight_t, bias_t, input, normalized_shape, weight, statistics):
        layout = row_layout(input.shape, normalized_shape)
        return moved_affinely(F, input_t, weight_t, bias_t, input, weight, statistics, layout, lambda each: each)

    samples = lambda r: [
        (r(2, 3, 4), (4,), r(4), r(4), 1e-5, Statistics()), (r(2, 3, 4), (3, 4), None, None, 1e-5, Statistics()),
        (r(0, 4), (4,), r(4), None, 1e-5, Statistics()),
    ]  # fmt: skip


face(native_layer_normalization, node="NativeLayerNormBackward0")


@op(internal=True, exact=True, no_fp_errors=False)
class layer_norm_backward:
    """All three gradients of layer norm, which share the normalized rows."""

    returns = "to_input, to_weight, to_bias"

    def forward(xp, grad: Tensor, input: Tensor, weight: Tensor, mean, scale):
        layout = row_layout(input.shape, weight.shape)[1:]
        wide, pull = widened(xp, input).reshape(layout), widened(xp, grad).reshape(layout)
        to_input, *others = xp.layer_normalized_gradients(pull, wide, widened(xp, weight).reshape(-1), mean, scale)
        gradients = to_input.reshape(input.shape), *(total.reshape(weight.shape) for total in others)
        return [xp.astype(gradient, input.dtype) for gradient in gradients]

    def shape(grad, input, weight, mean, scale):
        return [MetaArray(shape, input.dtype) for shape in (input.shape, weight.shape, weight.shape)]


def row_layout(shape, normalized_shape) -> tuple:
    """(*rows, *normalized_shape) as (1, rows, features)."""
    return (1, math.prod(shape[: len(shape) - len(normalized_shape)]), math.prod(normalized_shape))


@composite(samples=lambda r: [(r(2, 4), (4,), r(4), r(4), 1e-5), (r(2, 3, 2), (3, 2), None, None, 1e-5)])
def native_layer_norm(F, input, normalized_shape, weight: Tensor | None, bias: Tensor | None, eps):
    """`layer_norm`, with the means and inverse deviations of the rows."""
    shape = integers("native_layer_norm", "normalized_shape", normalized_shape)
    statistics = Statistics()
    out = F.native_layer_normalization(input, shape, weight, bias, eps, statistics)
    if type(input._array) in TRACED:
        return out, *shown_statistics(F, input, tuple(range(-len(shape), 0)), eps)
    rows = (*input.shape[: len(input.shape) - len(shape)], *[1] * len(shape))
    return out, *(as_shown(F, each.reshape(rows), input, weight) for each in (statistics.mean, statistics.scale))


face(native_layer_norm, method=None)


OF_ROWS = Direct(
    "type(normalized_shape) is not list and len(normalized_shape) == 1 and type(normalized_shape[0]) is int",
    "native_layer_normalization",
    {"statistics": "Statistics()"},
)


@composite(samples=lambda r: [(r(2, 3, 4), (4,), r(4), r(4)), (r(2, 3, 4), (3, 4))])
def layer_norm(F, input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    """The last dimensions less their mean, over their deviation."""
    shape = integers("layer_norm", "normalized_shape", normalized_shape)
    return F.native_layer_normalization(input, shape, weight, bias, eps, Statistics())


face(layer_norm, method=None, direct=(OF_ROWS,))


# ---- group norm


@op(internal=True, exact=True, no_fp_errors=False)
class native_group_normalization:
    """`y = (x - mean) / sqrt(variance + eps) * weight + bias`, with mean and variance of each group of channels.

    Weight and bias are those of channels. The gradients are those of `native_layer_normalization`, with groups as rows.
    """

    def forward(xp, input: Tensor, num_groups, weight: Tensor | None, bias: Tensor | None, eps, statistics):
        check_group_norm(input, num_groups, weight, bias)
        wide = widened(xp, input).reshape(channel_layout(input.shape))
        weight, bias = widened(xp, weight), widened(xp, bias)
        result, statistics.mean, statistics.scale = xp.group_normalized(wide, num_groups, eps, weight, bias)
        return xp.laid_out_as(input, xp.astype(result.reshape(input.shape), input.dtype))

    def shape(input, num_groups, weight, bias, eps, statistics):
        check_group_norm(input, num_groups, weight, bias)
        return meta_results(input, group_layout(input.shape, num_groups), statistics)

    def common(F, g, input, num_groups, weight, statistics):
        if is_last_order_on_cpu(g, input, weight):
            return F.group_norm_backward(g, input, num_groups, weight, statistics.mean, statistics.scale)

    def d_input(F, g, input, num_groups, weight, statistics, common):
        if common is not None:
            return common[0]
        scaled = g if weight is None else g * per_channel(F, weight, len(input.shape))
        return F.normalized_gradient(
            scaled, input, statistics.mean, statistics.scale, group_layout(input.shape, num_groups)
        )

    def d_weight(F, g, input, num_groups, statistics, common):
        if common is not None:
            return common[1]
        return F.channel_sum(
            g * F.normalized(input, statistics.mean, statistics.scale, group_layout(input.shape, num_groups))
        )

    def d_bias(F, g, common):
        return F.channel_sum(g) if common is None else common[2]

    def batch(F, b, input, num_groups, weight, bias, eps, statistics):
        if b.batched == {"input"}:
            rows = F.native_group_normalization(folded(F, input), num_groups, weight, bias, eps, statistics)
            return unfolded(F, rows, b.size)
        rank, rows = rank_of(b, "input", input), folded(F, input) if "input" in b.batched else input
        normal = F.native_group_normalization(rows, num_groups, None, None, eps, statistics)
        normal = unfolded(F, normal, b.size) if "input" in b.batched else normal
        return scaled_channels(F, normal, weight, bias, rank)

    def jvp(F, input_t, weight_t, bias_t, input, num_groups, weight, statistics):
        layout, spread = group_layout(input.shape, num_groups), lambda each: per_channel(F, each, len(input.shape))
        return moved_affinely(F, input_t, weight_t, bias_t, input, weight, statistics, layout, spread)

    samples = lambda r: [(r(2, 6, 2), 3, r(6), r(6), 1e-5, Statistics()), (r(2, 6), 2, None, None, 1e-5, Statistics())]


face(native_group_normalization, node="NativeGroupNormBackward0")


@op(internal=True, exact=True, no_fp_errors=False)
class group_norm_backward:
    """All three gradients of group norm, which share most of their sums."""

    returns = "to_input, to_weight, to_bias"

    def forward(xp, grad: Tensor, input: Tensor, num_groups, weight: Tensor | None, mean, scale):
        wide, pull = (widened(xp, each).reshape(channel_layout(each.shape)) for each in (input, grad))
        to_input, *others = xp.group_normalized_gradients(pull, wide, num_groups, widened(xp, weight), mean, scale)
        to_input = xp.laid_out_as(input, to_input.reshape(input.shape))
        # Next to half precision, a weight may be float32: its gradient is not rounded.
        kind = input.dtype if weight is None else weight.dtype
        return [xp.astype(to_input, input.dtype), *(xp.astype(each, kind) for each in others)]

    def shape(grad, input, num_groups, weight, mean, scale):
        kind = input.dtype if weight is None else weight.dtype
        channels = MetaArray(input.shape[1:2], kind)
        return [MetaArray(input.shape, input.dtype), channels, channels]


def group_layout(shape, num_groups) -> tuple:
    """(batch, channels, *size) as (1, batch * groups, rest)."""
    return (1, shape[0] * num_groups, shape[1] // num_groups * math.prod(shape[2:]))


@composite(samples=lambda r: [(r(2, 4, 3), r(4), r(4), 2, 4, 3, 2, 1e-5), (r(2, 4, 3), None, None, 2, 4, 3, 4, 1e-5)])
def native_group_norm(F, input, weight: Tensor | None, bias: Tensor | None, N, C, HxW, group, eps):
    """`group_norm`, with the means and inverse deviations of the groups, which here have gradients, as in PyTorch."""
    out = F.group_norm(input, group, weight, bias, eps)
    wide = input if weight is None or raw_dtype(weight) == raw_dtype(input) else F.cast(input, raw_dtype(weight))
    kind = raw_dtype(wide)
    rows = F.reshape(wide, (N, group, C // group * HxW))
    rows = F.cast(rows, float32.numpy) if kind.itemsize == 2 else rows  # squares overflow in half precision
    mean = F.mean(rows, 2, True)
    centred = rows - mean
    results = F.squeeze(mean, 2), F.rsqrt(F.mean(centred * centred, 2) + eps)
    return out, *(F.cast(each, kind) for each in results)


face(native_group_norm, method=None)


@composite(samples=lambda r: [(r(2, 6, 2), 3, r(6), r(6)), (r(2, 6), 2)])
def group_norm(F, input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    """Each group of channels less its mean, over its deviation."""
    return F.native_group_normalization(input, num_groups, weight, bias, eps, Statistics())


face(group_norm, method=None)
