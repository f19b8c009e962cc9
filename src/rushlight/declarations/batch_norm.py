"""Normalization by the statistics of a batch, or of each of its images: one mean and one scale per channel."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import SMALL_PROGRAM
from rushlight.core.tensor import Tensor
from rushlight.core.traced import TRACED
from rushlight.declarations.batches import folded, front, into_channels, out_of_channels, rank_of, unfolded
from rushlight.declarations.checks import batch_norm as checks
from rushlight.declarations.checks.normalize import FLOAT32
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
    total_of,
    widened,
)
from rushlight.declarations.orders import is_last_order
from rushlight.declarations.reduction import refuse_gradient


@op(internal=True, exact=True, no_fp_errors=False)
class native_batch_normalization:
    """`y = (x - mean) / sqrt(variance + eps) * weight + bias`, channel by channel.

    In training, mean and variance are those of the batch, and the running statistics move towards them by `momentum`;
    else they are the running statistics. `statistics` receives mean and scale = 1 / sqrt(variance + eps). With these,
    x^ = (x - mean) scale, s = g weight and means over a channel, the gradient of x is in training
    scale (s - mean(s) - x^ mean(s x^)) (`normalized_gradient`), else s scale. First derivatives come from one kernel,
    `common`; when they are differentiated again, from formulas.
    """

    def forward(
        xp, input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Constant | None,
        running_var: Constant | None, training, momentum, eps, statistics,
    ):  # fmt: skip
        checks.check_batch_norm(input, weight, bias, running_mean, running_var, training=training)
        weight, bias = widened(xp, weight), widened(xp, bias)
        if training:
            wide = xp.by_channel(widened(xp, input), input)
            result, mean, variance, scale = xp.batch_normalized(wide, eps, weight, bias)
            if wide.size:
                update_running(running_mean, running_var, mean, variance, wide, momentum)
            else:
                scale = xp.zeros_like(scale)  # multiplies an empty sum: the gradient is 0
        else:
            mean, scale = widened(xp, running_mean), 1 / xp.sqrt(widened(xp, running_var) + eps)
            result = xp.fixed_normalized(xp.by_channel(input, input), mean, scale, weight, bias)
        statistics.mean, statistics.scale = mean, scale
        return xp.astype(xp.of_channels(result, input), input.dtype)

    def shape(input, weight, bias, running_mean, running_var, training, momentum, eps, statistics):
        checks.check_batch_norm(input, weight, bias, running_mean, running_var, training=training)
        return meta_results(input, channel_layout(input.shape), statistics)

    def common(F, g, input, weight, training, statistics):
        if is_last_order(g, input, weight, least=SMALL_PROGRAM):
            return F.batch_norm_backward(g, input, weight, statistics.mean, statistics.scale, training)

    def d_input(F, g, input, weight, training, statistics, common):
        if common is not None:
            return common[0]
        shape, mean, scale = input.shape, statistics.mean, statistics.scale
        scaled = g if weight is None else g * per_channel(F, weight, len(shape))
        if training:
            return F.normalized_gradient(scaled, input, mean, scale, channel_layout(shape))
        return scaled * F.channel_statistic(scaled, scale)

    def d_weight(F, g, input, training, statistics, common):
        if common is not None:
            return common[1]
        shape, mean, scale = input.shape, statistics.mean, statistics.scale
        if training:
            return F.normalized_weight(g, input, mean, scale, channel_layout(shape), False)
        return F.channel_sum(g * (input - F.channel_statistic(input, mean)) * F.channel_statistic(input, scale))

    def d_bias(F, g, common):
        return F.channel_sum(g) if common is None else common[2]

    def jvp(F, input_t, weight_t, bias_t, running_mean_t, running_var_t, input, weight, training, statistics):
        if input_t is None and weight_t is None and bias_t is None:
            return None  # only the running statistics have tangents: the result has none
        checks.check_forward_gradients(running_mean_t, running_var_t)
        spread = lambda each: per_channel(F, each, len(input.shape))
        if training:
            layout = channel_layout(input.shape)
            return moved_affinely(F, input_t, weight_t, bias_t, input, weight, statistics, layout, spread)
        scale, terms = F.channel_statistic(input, statistics.scale), []
        if input_t is not None:
            terms.append(input_t * scale if weight is None else input_t * scale * spread(weight))
        if weight_t is not None:
            terms.append((input - F.channel_statistic(input, statistics.mean)) * scale * spread(weight_t))
        if bias_t is not None:
            terms.append(spread(bias_t))
        return total_of(terms)

    def batch(F, b, input, weight, bias, running_mean, running_var, training, momentum, eps, statistics):
        rank = rank_of(b, "input", input)
        if rank < 2:
            return NotImplemented
        settings = training, momentum, eps, statistics
        running = {"running_mean": running_mean, "running_var": running_var}
        if training and "input" not in b.batched:
            normal = of_one_input(F, input, running.values(), momentum, eps, statistics)
            if b.batched.isdisjoint(("weight", "bias")):
                normal = F.expand(normal, (b.size, *normal.shape))
        elif b.batched <= {"weight", "bias", "input"} and not training:
            rows = folded(F, input) if "input" in b.batched else input
            normal = F.native_batch_normalization(rows, None, None, running_mean, running_var, *settings)
            normal = unfolded(F, normal, b.size) if "input" in b.batched else normal
        else:
            if training:
                check_running(b, running)
            wide = into_channels(F, front(F, b, "input", input), 1, 1)
            flat = [
                None if each is None else F.reshape(front(F, b, name, each), (-1,)) for name, each in running.items()
            ]
            normal = out_of_channels(F, F.native_batch_normalization(wide, None, None, *flat, *settings), 1, 1, b.size)
            if training:
                keep_running(F, running.values(), flat)
        return scaled_channels(F, normal, weight, bias, rank)

    samples = lambda r: [
        (r(4, 3, 2), r(3), r(3), None, None, True, 0.1, 1e-5, Statistics()),
        (r(4, 3), None, None, None, None, True, 0.1, 1e-5, Statistics()),
        (r(4, 3), r(3), r(3), r(3).detach(), r.positive(3).detach(), False, 0.1, 1e-5, Statistics()),
    ]


face(native_batch_normalization, node="NativeBatchNormBackward0")


@op(internal=True, exact=True, no_fp_errors=False)
class batch_norm_backward:
    """All three gradients of batch norm, which share most of their sums."""

    returns = "to_input, to_weight, to_bias"

    def forward(xp, grad: Tensor, input: Tensor, weight: Tensor | None, mean, scale, training):
        wide, pull = (xp.by_channel(widened(xp, each), input) for each in (input, grad))
        gradients = xp.batch_normalized_gradients if training else xp.fixed_normalized_gradients
        to_input, *others = gradients(pull, wide, widened(xp, weight), mean, scale)
        return [xp.astype(xp.of_channels(to_input, input), input.dtype), *others]

    def shape(grad, input, weight, mean, scale, training):
        return [MetaArray(shape, input.dtype) for shape in (input.shape, input.shape[1:2], input.shape[1:2])]


@op(internal=True, exact=True)
class channel_statistic:
    """A raw statistic of the channels of `input` (batch, channels, *size), shaped to broadcast with it."""

    def forward(xp, input: Constant, statistic):
        return statistic.reshape((1, -1, *[1] * (input.ndim - 2))[-input.ndim :])

    def batch(F, b, input, statistic):
        if statistic.size == input.shape[2]:
            spread = F.channel_statistic(F.select(input, 0, 0), statistic)
            return F.expand(spread, (b.size, *spread.shape))
        return out_of_channels(
            F, F.channel_statistic(into_channels(F, input, 1, 1), statistic), 1, min(1, input.ndim - 2), b.size
        )

    samples = lambda r: [(r(4, 3, 2), np.arange(3.0)), (r(4, 3), np.arange(3.0))]


def check_running(b, running: dict) -> None:
    """Raises RuntimeError if the statistics of a batch would be written to running ones that all samples share."""
    if any(each is not None and name not in b.batched for name, each in running.items()):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched.\nIf you are using a module and do not need eval mode, please set "
            "`track_running_stats` to be False.If you are using a prebuilt module and do not need eval mode, please "
            "see the functorch website for resources on how to patch your module to work with vmap"
        )


def of_one_input(F, input, running, momentum, eps, statistics):
    """Normalizes an input that all samples share, in training; running statistics may differ between samples."""
    kind = FLOAT32 if raw_dtype(input).itemsize == 2 else raw_dtype(input)
    mean, variance = (F.cast(F.new_zeros_of(input, (input.shape[1],)), kind) for _ in range(2))
    normal = F.native_batch_normalization(input, None, None, mean, variance, True, 1.0, eps, statistics)
    for each, current in zip(running, (mean, variance), strict=True):
        if each is not None:
            each.copy_(each * (1 - momentum) + current * momentum)
    return normal


def keep_running(F, running, moved) -> None:
    """Writes running statistics that were moved in copies back to those that they are copies of."""
    for each, copy in zip(running, moved, strict=True):
        if each is not None and copy._storage is not each._storage:
            each.copy_(F.reshape(copy, tuple(each.shape)))


def update_running(running_mean, running_var, mean, variance, wide, momentum) -> None:
    """Moves the running statistics in place, without counting a version, as PyTorch does."""
    count = wide.shape[0] * wide.shape[2]
    if running_mean is not None:
        move(running_mean, mean, momentum)
    if running_var is not None:
        move(running_var, variance * (count / (count - 1)) if count > 1 else variance * np.nan, momentum)


def move(running, current, momentum) -> None:
    """Moves a running statistic towards that of the batch: `(1 - momentum) * running + momentum * current`."""
    if running.dtype is not current.dtype or type(running) is not np.ndarray:  # a GPU takes no array of the CPU
        running[...] = momentum * current + (1 - momentum) * running
        return
    numbers = ARRAY_NUMBERS[current.dtype]
    running *= numbers[1 - momentum]
    running += current * numbers[momentum]


def as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps, statistics):
    """The normalized input; `statistics` receives its means and inverse deviations."""
    for name, each in (("running_mean", running_mean), ("running_var", running_var)):
        refuse_gradient("native_batch_norm", name, each)
    return F.native_batch_normalization(
        input, weight, bias, running_mean, running_var, training, momentum, eps, statistics
    )


@composite(
    samples=lambda r: [
        (r(4, 3), r(3), r(3), None, None, True, 0.1, 1e-5),
        (r(2, 3, 2), None, None, r(3).detach(), r.positive(3).detach(), False, 0.1, 1e-5),
    ]
)
def native_batch_norm(
    F, input, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training, momentum, eps,
):  # fmt: skip
    """`batch_norm`, with the means and inverse deviations of the channels; none outside training."""
    checks.check_both_running(running_mean, running_var)
    statistics = Statistics()
    out = as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps, statistics)
    if type(input._array) in TRACED:
        dims = (0, *range(2, input.ndim))
        shown = shown_statistics(F, input, dims, eps) if training else [F.new_zeros_of(input, (0,))] * 2
        return out, *(F.reshape(each, (-1,)) for each in shown)
    shown = [each if training else each[:0] for each in (statistics.mean, statistics.scale)]
    return out, *(as_shown(F, each, input, weight, running_mean) for each in shown)


face(native_batch_norm, method=None, out=True)


# Both running statistics are given, as plain tensors without history.
KEPT = Direct(
    "type(running_mean) is type(running_var) is Tensor and momentum is not None and "
    "running_mean._edge is running_mean._base is running_var._edge is running_var._base is None",
    "native_batch_normalization",
    {"statistics": "Statistics()"},
)


@composite(samples=lambda r: [
    (r(4, 3, 2), None, None, r(3), r(3), True), (r(4, 3, 2), r(3).detach(), r.positive(3).detach(), r(3), r(3)),
])  # fmt: skip
def batch_norm(
    F, input, running_mean: Tensor | None, running_var: Tensor | None, weight=None, bias=None, training=False,
    momentum=0.1, eps=1e-5,
):  # fmt: skip
    """Each channel less its mean, over its deviation: of the batch in training, the running ones otherwise."""
    checks.check_momentum(momentum)
    if training:
        checks.check_both_running(running_mean, running_var)
    return as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps, Statistics())


face(batch_norm, spaces=("nn.functional",), direct=(KEPT,))


@composite(samples=lambda r: [(r(2, 3, 4),), (r(2, 3, 2, 2), None, None, r(3), r(3))])
def instance_norm(
    F, input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1,
    eps=1e-5,
):  # fmt: skip
    """Each channel of each example less its mean, over its deviation."""
    if use_input_stats:
        checks.check_positions(input.shape)
    elif running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels, *size = input.shape
    repeated = lambda each: None if each is None else F.repeat(each, (batch,))
    folded = F.reshape(input, (1, batch * channels, *size))
    mean, variance = repeated(running_mean), repeated(running_var)
    out = F.batch_norm(folded, mean, variance, repeated(weight), repeated(bias), use_input_stats, momentum, eps)
    if use_input_stats:
        for running, moved in ((running_mean, mean), (running_var, variance)):
            if running is not None:
                running.copy_(F.mean(F.reshape(moved, (batch, channels)), 0))
    return F.view(out, tuple(input.shape))


face(instance_norm, spaces=("nn.functional",))


@composite(samples=lambda r: [(r(4, 3, 2), r(3), r(3), None, None, True, 0.1, 1e-5, False)])
def torch_batch_norm(
    F, input, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training, momentum, eps, cudnn_enabled,
):  # fmt: skip
    """`nn.functional.batch_norm` with its arguments in another order; `cudnn_enabled` changes nothing."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


face(torch_batch_norm, method=None)


@composite(samples=lambda r: [(r(2, 3, 4), r(3), r(3), None, None, True, 0.1, 1e-5, False)])
def torch_instance_norm(
    F, input, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    use_input_stats, momentum, eps, cudnn_enabled,
):  # fmt: skip
    """`nn.functional.instance_norm` with its arguments in another order; `cudnn_enabled` changes nothing."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


face(torch_instance_norm, method=None)
