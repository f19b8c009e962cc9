"""Normalization: by the statistics of the batch, of a row, of a group of channels.

All are one function h = (x - mean(x)) s with s = 1 / sqrt(var(x) + eps), on tensors of layout (outer, channels, inner),
with means over outer and inner. Its derivative J is symmetric: J g = s (g - mean(g) - h mean(g h)). `forward` leaves
mean and s in `statistics`, so that backward need not compute them again; they are functions of x, and the derivatives
of the four primitives below treat them so. Ioffe and Szegedy, "Batch normalization", 2015.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import BY_NUMPY, REDUCED_NUMPY, SCALAR_NAMES
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor, wrap
from rushlight.ops.declare import composite, op
from rushlight.ops.kinds import raw_dtype, refuse, unimplemented
from rushlight.ops.shapes import integers

FLOAT32 = np.dtype(np.float32)


class Statistics:
    """What forward has found of an input, raw and one number per channel, and leaves for backward."""

    mean: np.ndarray
    scale: np.ndarray


# ---- the one function and its derivatives


@op(exact=True, quiet=False, spaces=(), out=False)
class normalized:
    """`(input - mean) * scale` in a layout, where mean and scale are those of `input`."""

    def forward(xp, input: Tensor, mean, scale, layout):
        wide = widened(xp, input).reshape(layout)
        return xp.astype(xp.normalized(wide, mean, scale).reshape(input.shape), input.dtype)

    def shape(input, mean, scale, layout):
        return MetaArray(input.shape, input.dtype)

    def d_input(F, g, input, mean, scale, layout):
        return F.normalized_gradient(g, input, mean, scale, layout)


@op(exact=True, quiet=False, spaces=(), out=False)
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
        # what is differentiated, with sums over a channel of n numbers: s (sum g u - sum g sum u / n - sum g h sum u h
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


@op(exact=True, quiet=False, spaces=(), out=False)
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


@op(exact=True, quiet=False, spaces=(), out=False)
class inverse_deviation:
    """The scale as a function of `input`: (1, channels, 1)."""

    def forward(xp, input: Tensor, mean, scale, layout):
        return xp.reshape(scale, (1, -1, 1))

    def d_input(F, g, input, mean, scale, layout):
        s = F.inverse_deviation(input, mean, scale, layout)
        h = F.reshape(F.normalized(input, mean, scale, layout), layout)
        return F.reshape(h * (-g * s * s / (layout[0] * layout[2])), tuple(input.shape))


def over_layout(F, values, shape, layout, per_feature):
    """One number per channel, or per feature, in the shape of the input."""
    spread = F.reshape(values, (1, 1, -1) if per_feature else (1, -1, 1))
    return F.reshape(F.expand(spread, layout), tuple(shape))


def unnumbered(input, layout, statistics) -> MetaArray:
    """What is left on meta: shapes."""
    kind = FLOAT32 if input.dtype.itemsize == 2 else input.dtype
    statistics.mean = statistics.scale = MetaArray(layout[1:2], kind)
    return MetaArray(input.shape, input.dtype)


def widened(xp, array):
    """Half precision as float32."""
    return array.astype(FLOAT32) if array.dtype.itemsize == 2 else array


def check_one_dtype(input, *others) -> None:
    """Statistics and weights are of the input's dtype; beside a half-precision input they may be float32."""
    kinds = list(dict.fromkeys(each.dtype for each in others if each is not None))
    if not kinds or kinds == [input.dtype] or (kinds == [FLOAT32] and input.dtype in REDUCED_NUMPY):
        return
    if kinds[0] == input.dtype:
        words = "expected scalar type {} but found {}".format(*(SCALAR_NAMES[BY_NUMPY[each]] for each in kinds[:2]))
    elif kinds == [FLOAT32]:
        words = "mixed dtype (CPU): all inputs must share same datatype."
    else:
        words = "mixed dtype (CPU): expect parameter to have scalar type of Float"
    names = ", ".join(sorted({str(each) for each in (input.dtype, *kinds)}))
    note = f"The dtypes are {names}: bring the module and its input to one, module.to(dtype) or x.to(dtype)."
    raise noted(RuntimeError(words), note)


# ---- batch norm


@op(exact=True, quiet=False, spaces=(), out=False)
class native_batch_normalization:
    """Each channel less its mean, over its deviation; in training the running statistics move towards the batch's."""

    def forward(
        xp,
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        running_mean: Constant | None,
        running_var: Constant | None,
        training,
        momentum,
        eps,
        statistics,
    ):
        check_batch_norm(input, weight, bias, running_mean, running_var, training=training)
        wide = widened(xp, input).reshape(channel_layout(input.shape))
        if training:
            result, mean, variance, scale = xp.batch_normalized(wide, eps, weight, bias)
            if wide.size:
                update_running(running_mean, running_var, mean, variance, wide, momentum)
        else:
            mean, scale = widened(xp, running_mean), 1 / xp.sqrt(widened(xp, running_var) + eps)
            result = xp.fixed_normalized(wide, mean, scale, weight, bias)
        statistics.mean, statistics.scale = mean, scale
        return xp.astype(result.reshape(input.shape), input.dtype)

    def shape(input, weight, bias, running_mean, running_var, training, momentum, eps, statistics):
        check_batch_norm(input, weight, bias, running_mean, running_var, training=training)
        return unnumbered(input, channel_layout(input.shape), statistics)

    def common(F, g, input, weight, training, statistics):
        if not isinstance(g, Tensor):
            layout = channel_layout(input.shape)
            return F.batch_norm_slopes(g, input, weight, statistics.mean, statistics.scale, layout, training)

    def d_input(F, g, input, weight, training, statistics, common):
        if common is not None:
            return common[0]
        shape, mean, scale = input.shape, statistics.mean, statistics.scale
        scaled = g if weight is None else g * per_channel(F, weight, len(shape))
        if training:
            return F.normalized_gradient(scaled, input, mean, scale, channel_layout(shape))
        return scaled * over_channels(scale, scaled)

    def d_weight(F, g, input, training, statistics, common):
        if common is not None:
            return common[1]
        shape, mean, scale = input.shape, statistics.mean, statistics.scale
        if training:
            return F.normalized_weight(g, input, mean, scale, channel_layout(shape), False)
        return F.channel_sum(g * (input - over_channels(mean, input)) * over_channels(scale, input))

    def d_bias(F, g, common):
        return F.channel_sum(g) if common is None else common[2]

    node = "NativeBatchNormBackward0"
    samples = lambda r: [
        (r(4, 3, 2), r(3), r(3), None, None, True, 0.1, 1e-5, Statistics()),
        (r(4, 3), None, None, None, None, True, 0.1, 1e-5, Statistics()),
        (r(4, 3), r(3), r(3), r(3).detach(), r.positive(3).detach(), False, 0.1, 1e-5, Statistics()),
    ]


@op(exact=True, quiet=False, spaces=(), out=False)
class batch_norm_slopes:
    """All three gradients of batch norm, which have most of their sums in common."""

    returns = "to_input, to_weight, to_bias"

    def forward(xp, grad: Tensor, input: Tensor, weight: Tensor | None, mean, scale, layout, training):
        wide, pull = widened(xp, input).reshape(layout), widened(xp, grad).reshape(layout)
        gradients = xp.batch_normalized_gradients if training else xp.fixed_normalized_gradients
        to_input, *others = gradients(pull, wide, weight, mean, scale)
        return [xp.astype(each, input.dtype) for each in (to_input.reshape(input.shape), *others)]

    def shape(grad, input, weight, mean, scale, layout, training):
        return [MetaArray(shape, input.dtype) for shape in (input.shape, layout[1:2], layout[1:2])]


def channel_layout(shape) -> tuple:
    """(batch, channels, *size) as (batch, channels, positions)."""
    return (*shape[:2], math.prod(shape[2:])) if len(shape) > 1 else (*shape, 0, 1)


def per_channel(F, values, rank: int):
    """One number per channel, to be combined with (batch, channels, *size)."""
    return F.reshape(values, (1, -1, *[1] * (rank - 2))[-rank:])


def over_channels(statistic, value):
    """A raw statistic of the channels, to be combined with a raw array or tensor (batch, channels, *size)."""
    rank = len(value.shape)
    spread = statistic.reshape((1, -1, *[1] * (rank - 2))[-rank:])
    return wrap(spread) if isinstance(value, Tensor) else spread


def check_both_running(mean, variance) -> None:
    """Raises where only one running statistic is kept."""
    if (mean is None) != (variance is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")


def check_batch_norm(input, weight, bias, running_mean, running_var, *, training: bool) -> None:
    """One number for each channel, all of a dtype that goes with the input's."""
    channels = input.shape[1] if input.ndim > 1 else 0
    named = (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias))
    for name, each in named:
        if each is None:
            if name.startswith("running") and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif each.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {each.size}")
    refuse(input, "biuc", "batch_norm")
    check_one_dtype(input, weight, bias, running_mean, running_var)


def update_running(running_mean, running_var, mean, variance, wide, momentum) -> None:
    """Moves the running statistics, in place and, as PyTorch does, uncounted by their version."""
    count = wide.shape[0] * wide.shape[2]
    if running_mean is not None:
        running_mean[...] = momentum * mean + (1 - momentum) * running_mean
    if running_var is not None:
        unbiased = variance * (count / (count - 1)) if count > 1 else variance * np.nan
        running_var[...] = momentum * unbiased + (1 - momentum) * running_var


def as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps, statistics):
    """The normalized input; `statistics` receives its means and inverse deviations."""
    for name, each in (("running_mean", running_mean), ("running_var", running_var)):
        if each is not None and getattr(each, "requires_grad", False):
            raise RuntimeError(
                f"The function 'native_batch_norm' is not differentiable with respect to argument '{name}'. This input "
                "cannot have requires_grad True."
            )
    return F.native_batch_normalization(
        input, weight, bias, running_mean, running_var, training, momentum, eps, statistics
    )


@composite(
    method=None,
    out=True,
    samples=lambda r: [
        (r(4, 3), r(3), r(3), None, None, True, 0.1, 1e-5),
        (r(2, 3, 2), None, None, r(3).detach(), r.positive(3).detach(), False, 0.1, 1e-5),
    ],
)
def native_batch_norm(
    F,
    input,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training,
    momentum,
    eps,
):
    """`batch_norm`, with the means and inverse deviations of the channels; none outside training."""
    check_both_running(running_mean, running_var)
    statistics = Statistics()
    out = as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps, statistics)
    shown = [each if training else each[:0] for each in (statistics.mean, statistics.scale)]
    return out, *(as_shown(each, input, weight, running_mean) for each in shown)


def as_shown(statistic, input, *others):
    """A statistic in the dtype that PyTorch returns: the input's, unless something of float32 stands beside it."""
    kind = raw_dtype(input)
    mixed = any(each is not None and raw_dtype(each) != kind for each in others)
    return wrap(statistic if mixed else statistic.astype(input.dtype.numpy))


@composite(
    spaces=("nn.functional",),
    samples=lambda r: [
        (r(4, 3, 2), None, None, r(3), r(3), True), (r(4, 3, 2), r(3).detach(), r.positive(3).detach(), r(3), r(3)),
    ],
)  # fmt: skip
def batch_norm(
    F,
    input,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight=None,
    bias=None,
    training=False,
    momentum=0.1,
    eps=1e-5,
):
    """Each channel less its mean, over its deviation: of the batch in training, the running ones otherwise."""
    if momentum is None:
        raise TypeError("batch_norm(): argument 'momentum' (position 7) must be float, not NoneType")
    if training:
        check_both_running(running_mean, running_var)
    return as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps, Statistics())


@composite(spaces=("nn.functional",), samples=lambda r: [(r(2, 3, 4),), (r(2, 3, 2, 2), None, None, r(3), r(3))])
def instance_norm(
    F,
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
):
    """Each channel of each example less its mean, over its deviation."""
    if use_input_stats:
        check_positions(input.shape)
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


@composite(method=None, samples=lambda r: [(r(4, 3, 2), r(3), r(3), None, None, True, 0.1, 1e-5, False)])
def torch_batch_norm(
    F,
    input,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training,
    momentum,
    eps,
    cudnn_enabled,
):
    """`nn.functional.batch_norm` with its arguments in another order; `cudnn_enabled` changes nothing."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@composite(method=None, samples=lambda r: [(r(2, 3, 4), r(3), r(3), None, None, True, 0.1, 1e-5, False)])
def torch_instance_norm(
    F,
    input,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats,
    momentum,
    eps,
    cudnn_enabled,
):
    """`nn.functional.instance_norm` with its arguments in another order; `cudnn_enabled` changes nothing."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def check_positions(shape) -> None:
    """A deviation takes more than one number."""
    if math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {shape}")


# ---- layer norm


@op(exact=True, quiet=False, spaces=(), out=False)
class native_layer_normalization:
    """The last dimensions less their mean, over their deviation."""

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
        return unnumbered(input, row_layout(input.shape, normalized_shape), statistics)

    def d_input(F, g, input, normalized_shape, weight, statistics):
        scaled = g if weight is None else g * weight
        return F.normalized_gradient(
            scaled, input, statistics.mean, statistics.scale, row_layout(input.shape, normalized_shape)
        )

    def d_weight(F, g, input, normalized_shape, statistics):
        total = F.normalized_weight(
            g, input, statistics.mean, statistics.scale, row_layout(input.shape, normalized_shape), True
        )
        return F.reshape(total, normalized_shape)

    def d_bias(F, g, normalized_shape):
        return F.sum_to_size_of(g, normalized_shape)

    node = "NativeLayerNormBackward0"
    samples = lambda r: [
        (r(2, 3, 4), (4,), r(4), r(4), 1e-5, Statistics()), (r(2, 3, 4), (3, 4), None, None, 1e-5, Statistics()),
        (r(0, 4), (4,), r(4), None, 1e-5, Statistics()),
    ]  # fmt: skip


def row_layout(shape, normalized_shape) -> tuple:
    """(*rows, *normalized_shape) as (1, rows, features)."""
    return (1, math.prod(shape[: len(shape) - len(normalized_shape)]), math.prod(normalized_shape))


def check_layer_norm(input, normalized_shape, weight, bias) -> None:
    """The shape is that of the input's last dimensions, and of weight and bias; the dtypes go together."""
    shape = tuple(normalized_shape)
    kind = input.dtype
    if shape and kind.char in "fd" and input.shape[-len(shape) :] == shape:
        if weight is None or (weight.shape == shape and weight.dtype is kind):
            if bias is None or (bias.shape == shape and bias.dtype is kind):
                return
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(each.shape)} "
                f"and normalized_shape = {list(shape)}"
            )
    if input.shape[max(input.ndim - len(shape), 0) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but "
            f"got input of size{list(input.shape)}"
        )
    refuse(input, "biuc", "LayerNormKernelImpl")
    check_one_dtype(input, weight, bias)


@composite(method=None, samples=lambda r: [(r(2, 4), (4,), r(4), r(4), 1e-5), (r(2, 3, 2), (3, 2), None, None, 1e-5)])
def native_layer_norm(F, input, normalized_shape, weight: Tensor | None, bias: Tensor | None, eps):
    """`layer_norm`, with the means and inverse deviations of the rows."""
    shape = integers("native_layer_norm", "normalized_shape", normalized_shape)
    statistics = Statistics()
    out = F.native_layer_normalization(input, shape, weight, bias, eps, statistics)
    rows = (*input.shape[: len(input.shape) - len(shape)], *[1] * len(shape))
    return out, *(as_shown(each.reshape(rows), input, weight) for each in (statistics.mean, statistics.scale))


@composite(method=None, samples=lambda r: [(r(2, 3, 4), (4,), r(4), r(4)), (r(2, 3, 4), (3, 4))])
def layer_norm(F, input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    """The last dimensions less their mean, over their deviation."""
    shape = integers("layer_norm", "normalized_shape", normalized_shape)
    return F.native_layer_normalization(input, shape, weight, bias, eps, Statistics())


# ---- group norm


@op(exact=True, quiet=False, spaces=(), out=False)
class native_group_normalization:
    """Each group of channels less its mean, over its deviation."""

    def forward(xp, input: Tensor, num_groups, weight: Tensor | None, bias: Tensor | None, eps, statistics):
        check_group_norm(input, num_groups, weight, bias)
        wide = widened(xp, input).reshape(channel_layout(input.shape))
        result, statistics.mean, statistics.scale = xp.group_normalized(wide, num_groups, eps, weight, bias)
        return xp.astype(result.reshape(input.shape), input.dtype)

    def shape(input, num_groups, weight, bias, eps, statistics):
        check_group_norm(input, num_groups, weight, bias)
        return unnumbered(input, group_layout(input.shape, num_groups), statistics)

    def common(F, g, input, num_groups, weight, statistics):
        if not isinstance(g, Tensor):
            return F.group_norm_slopes(g, input, num_groups, weight, statistics.mean, statistics.scale)

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

    node = "NativeGroupNormBackward0"
    samples = lambda r: [(r(2, 6, 2), 3, r(6), r(6), 1e-5, Statistics()), (r(2, 6), 2, None, None, 1e-5, Statistics())]


@op(exact=True, quiet=False, spaces=(), out=False)
class group_norm_slopes:
    """All three gradients of group norm, which have most of their sums in common."""

    returns = "to_input, to_weight, to_bias"

    def forward(xp, grad: Tensor, input: Tensor, num_groups, weight: Tensor | None, mean, scale):
        wide, pull = (widened(xp, each).reshape(channel_layout(each.shape)) for each in (input, grad))
        to_input, *others = xp.group_normalized_gradients(pull, wide, num_groups, weight, mean, scale)
        return [xp.astype(each, input.dtype) for each in (to_input.reshape(input.shape), *others)]

    def shape(grad, input, num_groups, weight, mean, scale):
        return [MetaArray(shape, input.dtype) for shape in (input.shape, input.shape[1:2], input.shape[1:2])]


def group_layout(shape, num_groups) -> tuple:
    """(batch, channels, *size) as (1, batch * groups, rest)."""
    return (1, shape[0] * num_groups, shape[1] // num_groups * math.prod(shape[2:]))


def check_group_norm(input, num_groups, weight, bias) -> None:
    """Groups are equally large, weight and bias have an element for each channel, and the dtypes go together."""
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    shape, channels = list(input.shape), input.shape[1]
    if channels % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {shape} and "
            f"num_groups={num_groups}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(each.shape)} and input of shape {shape}"
            )
    refuse(input, "biuc", "GroupNormKernelImpl")
    check_one_dtype(input, weight, bias)


@composite(
    method=None,
    samples=lambda r: [(r(2, 4, 3), r(4), r(4), 2, 4, 3, 2, 1e-5), (r(2, 4, 3), None, None, 2, 4, 3, 4, 1e-5)],
)
def native_group_norm(F, input, weight: Tensor | None, bias: Tensor | None, N, C, HxW, group, eps):
    """`group_norm`, with the means and inverse deviations of the groups, which here have gradients, as in PyTorch."""
    out = F.group_norm(input, group, weight, bias, eps)
    wide = input if weight is None or raw_dtype(weight) == raw_dtype(input) else F.cast(input, raw_dtype(weight))
    rows = F.reshape(wide, (N, group, C // group * HxW))
    mean = F.mean(rows, 2, True)
    centred = rows - mean
    return out, F.squeeze(mean, 2), F.rsqrt(F.mean(centred * centred, 2) + eps)


@composite(method=None, samples=lambda r: [(r(2, 6, 2), 3, r(6), r(6)), (r(2, 6), 2)])
def group_norm(F, input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    """Each group of channels less its mean, over its deviation."""
    return F.native_group_normalization(input, num_groups, weight, bias, eps, Statistics())


# ---- without a mean


@composite(method=None, samples=lambda r: [(r(2, 3, 4), (4,)), (r(2, 3, 4), (3, 4), r(3, 4), 1e-3)])
def rms_norm(F, input, normalized_shape, weight=None, eps=None):
    """The last dimensions over the root of their mean square (Zhang and Sennrich, 2019)."""
    shape = integers("rms_norm", "normalized_shape", normalized_shape)
    check_rms_norm(input, shape, weight)
    kind = raw_dtype(input)
    wide = F.cast(input, FLOAT32) if kind in REDUCED_NUMPY else input
    if eps is None:
        eps = float(np.finfo(raw_dtype(wide)).eps)
    scale = F.rsqrt(F.mean(F.pow(wide, 2), tuple(range(-len(shape), 0)), True) + eps)
    result = wide * scale if weight is None else wide * scale * weight
    return F.cast(result, kind)


def check_rms_norm(input, shape: tuple, weight) -> None:
    """The shape is that of the input's last dimensions, and of the weight."""
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    if weight is not None and tuple(weight.shape) != shape:
        raise RuntimeError(
            f"Expected weight to be of same shape as normalized_shape, but got weight of shape {list(weight.shape)} "
            f"and normalized_shape = {list(shape)}"
        )
    if tuple(input.shape[max(input.ndim - len(shape), 0) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{', '.join(map(str, shape))}], but got "
            f"input of size{list(input.shape)}"
        )
    if raw_dtype(input).kind in "biu":
        raise unimplemented("rms_norm")(BY_NUMPY[raw_dtype(input)])


@composite(spaces=("nn.functional",), samples=lambda r: [(r(2, 4, 3), 2), (r(2, 4, 3, 2), 3, 0.1, 0.5, 2.0)])
def local_response_norm(F, input, size: int, alpha: float = 1e-4, beta: float = 0.75, k=1.0):
    """Each element over `(k + alpha * mean of squares of `size` neighbouring channels) ** beta` (Krizhevsky, 2012)."""
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)"
        )
    if not math.prod(input.shape):
        return input
    if input.ndim > 3 and raw_dtype(input) in REDUCED_NUMPY:
        raise unimplemented("avg_pool3d_out_frame")(BY_NUMPY[raw_dtype(input)])
    batch, channels, *rest = input.shape
    squares = F.reshape(input * input, (batch, 1, channels, math.prod(rest)))
    padded = F.constant_pad_nd(squares, (0, 0, size // 2, (size - 1) // 2))
    means = F.reshape(F.avg_pool(padded, (size, 1), (1, 1), (0, 0), False, True, None), tuple(input.shape))
    return input / F.pow(means * alpha + k, beta)
