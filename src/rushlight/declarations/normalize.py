"""Normalization as one function and its derivatives; and what is scaled without a mean.

Batch, layer and group norm are h = (x - mean(x)) s with s = 1 / sqrt(var(x) + eps), on a layout (outer, channels,
inner) with means over outer and inner. Its derivative J is symmetric: J g = s (g - mean(g) - h mean(g h)). `forward`
leaves mean and s in `statistics`, so that backward need not compute them again; they are functions of x, and the
derivatives of the four primitives below treat them so. Ioffe and Szegedy, "Batch normalization", 2015.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.device import BACKENDS
from rushlight.core.dtype import REDUCED_NUMPY
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.batches import fronts
from rushlight.declarations.checks import normalize as checks
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype
from rushlight.declarations.shapes import integers


class Statistics:
    """Mean and scale of each channel, raw, that forward computes and backward uses."""

    mean: np.ndarray
    scale: np.ndarray


# ---- the one function and its derivatives


@op(internal=True, exact=True, no_fp_errors=False)
class normalized:
    """`(input - mean) * scale` in a layout, where mean and scale are those of `input`."""

    def forward(xp, input: Tensor, mean, scale, layout):
        wide = widened(xp, input).reshape(layout)
        return xp.astype(xp.normalized(wide, mean, scale).reshape(input.shape), input.dtype)

    def shape(input, mean, scale, layout):
        return MetaArray(input.shape, input.dtype)

    def d_input(F, g, input, mean, scale, layout):
        return F.normalized_gradient(g, input, mean, scale, layout)

    def batch(F, b, input, mean, scale, layout):
        outer, channels, inner = layout
        rows = among_channels(F, input, layout)
        result = F.normalized(rows, mean, scale, (outer, b.size * channels, inner))
        return from_channels(F, result, b.size, tuple(input.shape[1:]), layout)


@op(internal=True, exact=True, no_fp_errors=False)
class normalized_gradient:
    """The derivative of `normalized` at `input`, applied to `grad`."""

    def forward(xp, grad: Tensor, input: Tensor, mean, scale, layout):
        wide, pull = widened(xp, input).reshape(layout), widened(xp, grad).reshape(layout)
        return xp.astype(xp.normalized_gradient(pull, wide, mean, scale).reshape(input.shape), input.dtype)

    def shape(grad, input, mean, scale, layout):
        return MetaArray(input.shape, input.dtype)

    def d_grad(F, g, input, mean, scale, layout):
        return F.normalized_gradient(g, input, mean, scale, layout)

    def d_input(F, g, grad, input, mean, scale, layout):
        # the derivative of, with sums over a channel of n elements: s (sum g u - sum g sum u / n - sum g h sum u h
        # / n)
        n = layout[0] * layout[2]
        g, u, h, *turned = (
            F.reshape(each, layout)
            for each in (
                g, grad, F.normalized(input, mean, scale, layout), F.normalized_gradient(g, input, mean, scale, layout),
                F.normalized_gradient(grad, input, mean, scale, layout),
            )
        )  # fmt: skip
        total = lambda value: F.sum(value, (0, 2), True)
        s = F.inverse_deviation(input, mean, scale, layout)
        whole = total(g * u) - total(g) * total(u) / n - total(g * h) * total(u * h) / n
        of_h = turned[0] * total(u * h) + turned[1] * total(g * h)
        return F.reshape((whole * h * s + of_h) * (-s / n), tuple(input.shape))

    def batch(F, b, grad, input, mean, scale, layout):
        mean, scale = (of_all_samples(b, each) for each in (mean, scale))
        grad, input = fronts(F, b, grad=grad, input=input)
        outer, channels, inner = layout
        operands = [among_channels(F, each, layout) for each in (grad, input)]
        result = F.normalized_gradient(*operands, mean, scale, (outer, b.size * channels, inner))
        return from_channels(F, result, b.size, tuple(input.shape[1:]), layout)


@op(internal=True, exact=True, no_fp_errors=False)
class normalized_weight:
    """The sums of `grad` times the normalized `input`, per channel or per feature: the gradient of a weight."""

    def forward(xp, grad: Tensor, input: Tensor, mean, scale, layout, per_feature):
        wide, pull = widened(xp, input).reshape(layout), widened(xp, grad).reshape(layout)
        return xp.astype(xp.weight_gradient(pull, wide, mean, scale, per_feature), input.dtype)

    def shape(grad, input, mean, scale, layout, per_feature):
        return MetaArray(layout[2:] if per_feature else layout[1:2], input.dtype)

    def d_grad(F, g, input, mean, scale, layout, per_feature):
        return F.normalized(input, mean, scale, layout) * over_layout(F, g, input.shape, layout, per_feature)

    def d_input(F, g, grad, input, mean, scale, layout, per_feature):
        pull = grad * over_layout(F, g, input.shape, layout, per_feature)
        return F.normalized_gradient(pull, input, mean, scale, layout)

    def batch(F, b, grad, input, mean, scale, layout, per_feature):
        outer, channels, inner = layout
        if per_feature:
            sums = grad * F.normalized(input, mean, scale, layout) if "input" not in b.batched else None
            if sums is None:
                rows = among_channels(F, input, layout)
                flat = F.normalized(rows, mean, scale, (outer, b.size * channels, inner))
                sums = grad * from_channels(F, flat, b.size, tuple(input.shape[1:]), layout)
            return F.sum(F.reshape(sums, (b.size, outer * channels, inner)), 1)
        mean, scale = (of_all_samples(b, each) for each in (mean, scale))
        grad, input = fronts(F, b, grad=grad, input=input)
        operands = [among_channels(F, each, layout) for each in (grad, input)]
        total = F.normalized_weight(*operands, mean, scale, (outer, b.size * channels, inner), False)
        return F.reshape(total, (b.size, channels))


@op(internal=True, exact=True, no_fp_errors=False)
class inverse_deviation:
    """The scale as a function of `input`: (1, channels, 1)."""

    def forward(xp, input: Tensor, mean, scale, layout):
        return xp.reshape(scale, (1, -1, 1))

    def d_input(F, g, input, mean, scale, layout):
        s = F.inverse_deviation(input, mean, scale, layout)
        h = F.reshape(F.normalized(input, mean, scale, layout), layout)
        return F.reshape(h * (-g * s * s / (layout[0] * layout[2])), tuple(input.shape))

    def batch(F, b, input, mean, scale, layout):
        outer, channels, inner = layout
        spread = F.inverse_deviation(among_channels(F, input, layout), mean, scale, (outer, b.size * channels, inner))
        return F.reshape(spread, (b.size, 1, channels, 1))


def among_channels(F, value, layout):
    """A batch (B, ...) in a layout whose channels are those of all samples."""
    outer, channels, inner = layout
    size = value.shape[0]
    value = F.movedim(F.reshape(value, (size, *layout)), 0, 1) if outer != 1 else value
    return F.reshape(value, (outer, size * channels, inner))


def from_channels(F, value, size: int, shape: tuple, layout):
    """The same turned back: (B, *shape)."""
    outer, channels, inner = layout
    value = F.reshape(value, (outer, size, channels, inner))
    return F.reshape(F.movedim(value, 1, 0) if outer != 1 else value, (size, *shape))


def of_all_samples(b, statistic):
    """Returns a raw statistic of the channels of all samples, which is the same for each if the input is."""
    return statistic if "input" in b.batched else np.tile(statistic.reshape(-1), b.size)


def scaled_channels(F, value, weight, bias, rank: int):
    """A value whose samples have a rank, times the weight of each channel, plus its bias; any may have the batch."""
    spread = lambda each: F.reshape(each, (*each.shape[:-1], *[1] * (rank > 1), each.shape[-1], *[1] * (rank - 2)))
    if weight is not None:
        value = value * spread(weight)
    return value if bias is None else value + spread(bias)


def moved_affinely(F, input_t, weight_t, bias_t, input, weight, statistics, layout, spread):
    """The tangent of `normalized(input) * weight + bias`; `spread` brings weight and bias to the input's dimensions."""
    mean, scale, terms = statistics.mean, statistics.scale, []
    if input_t is not None:
        moved = F.normalized_gradient(input_t, input, mean, scale, layout)  # the derivative is symmetric
        terms.append(moved if weight is None else moved * spread(weight))
    if weight_t is not None:
        terms.append(F.normalized(input, mean, scale, layout) * spread(weight_t))
    if bias_t is not None:
        terms.append(spread(bias_t))
    return total_of(terms)


def total_of(terms: list):
    """The sum of some terms, at least one."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def over_layout(F, values, shape, layout, per_feature):
    """One number per channel, or per feature, in the shape of the input."""
    spread = F.reshape(values, (1, 1, -1) if per_feature else (1, -1, 1))
    return F.reshape(F.expand(spread, layout), tuple(shape))


def meta_results(input, layout, statistics) -> MetaArray:
    """Returns the results on meta: shapes only."""
    kind = checks.FLOAT32 if input.dtype.itemsize == 2 else input.dtype
    statistics.mean = statistics.scale = MetaArray(layout[1:2], kind)
    return MetaArray(input.shape, input.dtype)


def widened(xp, array):
    """Half precision as float32; None as it is."""
    return xp.astype(array, checks.FLOAT32) if array is not None and array.dtype.itemsize == 2 else array


def channel_layout(shape) -> tuple:
    """(batch, channels, *size) as (batch, channels, positions)."""
    return (*shape[:2], math.prod(shape[2:])) if len(shape) > 1 else (*shape, 0, 1)


def per_channel(F, values, rank: int):
    """One number per channel, to be combined with (batch, channels, *size)."""
    return F.reshape(values, (1, -1, *[1] * (rank - 2))[-rank:])


def shown_statistics(F, input, dims, eps: float) -> tuple:
    """The means and inverse deviations inside a transform, where raw ones are those of all samples."""
    wide = F.cast(input, checks.FLOAT32) if raw_dtype(input).itemsize == 2 else input
    wide = wide.detach()
    return F.mean(wide, dims, True), F.rsqrt(F.var(wide, dims, keepdim=True, correction=0) + eps)


def as_shown(F, statistic, input, *others):
    """Returns a raw statistic as a tensor on the input's device, in PyTorch's dtype.

    That is the input's, or float32 if a weight or statistic has it.
    """
    kind = raw_dtype(input)
    mixed = any(each is not None and raw_dtype(each) != kind for each in others)
    statistic = BACKENDS.of(input._array).adopt(statistic)
    return F.to_copy(wrap(statistic), None if mixed else input.dtype.numpy)


# ---- without a mean


@composite(samples=lambda r: [(r(2, 3, 4), (4,)), (r(2, 3, 4), (3, 4), r(3, 4), 1e-3)])
def rms_norm(F, input, normalized_shape, weight=None, eps=None):
    """The last dimensions over the root of their mean square (Zhang and Sennrich, 2019)."""
    shape = integers("rms_norm", "normalized_shape", normalized_shape)
    checks.check_rms_norm(input, shape, weight)
    kind = raw_dtype(input)
    wide = F.cast(input, checks.FLOAT32) if kind in REDUCED_NUMPY else input
    if eps is None:
        eps = float(np.finfo(raw_dtype(wide)).eps)
    dims = -1 if len(shape) == 1 else tuple(range(-len(shape), 0))
    scale = F.rsqrt(F.mean(F.pow(wide, 2), dims, True) + eps)
    result = wide * scale if weight is None else wide * scale * weight
    return F.cast(result, kind)


face(rms_norm, method=None)


@composite(samples=lambda r: [(r(2, 4, 3), 2), (r(2, 4, 3, 2), 3, 0.1, 0.5, 2.0)])
def local_response_norm(F, input, size: int, alpha: float = 1e-4, beta: float = 0.75, k=1.0):
    """Each element over `(k + alpha * mean of squares of `size` neighbouring channels) ** beta` (Krizhevsky, 2012)."""
    checks.check_local_response_norm_rank(input)
    if not math.prod(input.shape):
        return input
    batch, channels, *rest = input.shape
    squares = F.reshape(input * input, (batch, 1, channels, math.prod(rest)))
    padded = F.constant_pad_nd(squares, (0, 0, size // 2, (size - 1) // 2))
    if input.ndim > 3 and raw_dtype(input) in REDUCED_NUMPY:
        # PyTorch pools in three dimensions: half precision is refused, or computed in float32 under autocast
        means = F.avg_pool3d(F.unsqueeze(padded, -1), (size, 1, 1), 1)
    else:
        means = F.avg_pool(padded, (size, 1), (1, 1), (0, 0), False, True, None)
    return input / F.pow(F.reshape(means, tuple(input.shape)) * alpha + k, beta)


face(local_response_norm, spaces=("nn.functional",))


@composite(internal=True, samples=lambda r: [(r(2, 5, 3, 2), 3), (r(2, 3, 2, 2), 4, 0.1, 0.5, 2.0)])
def cross_map_lrn(F, input, size: int, alpha: float = 1e-4, beta: float = 0.75, k=1.0):
    """`local_response_norm` of Torch 7: `alpha / size` times the sum over a window that ends where the channels do.

    As in PyTorch the window never leaves the first channel behind, and has one channel less where `size` is even.
    """
    checks.check_cross_map_lrn_rank(input)
    batch, channels, *rest = input.shape
    reach = min(int((size - 1) / 2 + 1), channels)
    squares = F.reshape(input * input, (batch, 1, channels, math.prod(rest)))
    padded = F.constant_pad_nd(squares, (0, 0, reach - 1, reach - 1))
    sums = F.avg_pool(padded, (2 * reach - 1, 1), (1, 1), (0, 0), False, True, None) * (2 * reach - 1)
    if channels > reach:
        first = F.expand(F.narrow(squares, 2, 0, 1), (batch, 1, channels - reach, math.prod(rest)))
        sums = sums + F.constant_pad_nd(first, (0, 0, reach, 0))
    return input * F.pow(F.reshape(sums, tuple(input.shape)) * (alpha / size) + k, -beta)
