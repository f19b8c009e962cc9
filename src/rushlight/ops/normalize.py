"""Normalization: by the statistics of the batch, of a row, of a group of channels.

All are one function h = (x - mean(x)) / sqrt(var(x) + eps) on tensors of layout (outer, channels, inner), with means over
outer and inner. Its derivative J is symmetric: J g = s (g - mean(g) - h mean(g h)), where s = 1 / sqrt(var + eps). Mean and
s are results, kept so that backward need not compute them again. They are functions of x, and the derivatives of
`normalized`, `normalized_gradient` and `inverse_deviation` treat them so: to these they are constants that save work.
Ioffe and Szegedy, "Batch normalization", 2015.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.dtype import BY_NUMPY, REDUCED_NUMPY
from rushlight.core.tensor import Tensor
from rushlight.ops.declare import composite, op
from rushlight.ops.kinds import raw_dtype, refuse, unimplemented
from rushlight.ops.shapes import integers

FLOAT32 = np.dtype(np.float32)
MIXED = "mixed dtype (CPU): all inputs must share same datatype."


# ---- the one function and its derivatives


@op(exact=True, quiet=False, spaces=(), out=False)
class normalized:
    """`(input - mean) * scale` in a layout, where mean and scale are those of `input`."""

    def forward(xp, input: Tensor, mean: Constant, scale: Constant, layout):
        wide = widened(xp, input)
        return xp.astype(xp.normalized(wide.reshape(layout), mean, scale).reshape(input.shape), input.dtype)

    def d_input(F, g, input, mean, scale, layout):
        return F.normalized_gradient(g, input, mean, scale, layout)


@op(exact=True, quiet=False, spaces=(), out=False)
class normalized_gradient:
    """The derivative of `normalized` at `input`, applied to `grad`."""

    def forward(xp, grad: Tensor, input: Tensor, mean: Constant, scale: Constant, layout):
        wide = xp.normalized_gradient(
            widened(xp, grad).reshape(layout), widened(xp, input).reshape(layout), mean, scale
        )
        return xp.astype(wide.reshape(input.shape), input.dtype)

    def d_grad(F, g, input, mean, scale, layout):
        return F.normalized_gradient(g, input, mean, scale, layout)

    def d_input(F, g, grad, input, mean, scale, layout):
        # s(g . grad) - with sums over a channel of count numbers: s (g.grad - sum g sum grad / count - g.h grad.h / count)
        count = layout[0] * layout[2]
        sum_of = lambda value: F.sum(F.reshape(value, layout), (0, 2), True)
        shape = input.shape
        s = F.inverse_deviation(input, mean, scale, layout)
        h = F.normalized(input, mean, scale, layout)
        along_g, along_grad = sum_of(g * h), sum_of(grad * h)
        common = sum_of(g * grad) - sum_of(g) * sum_of(grad) / count - along_g * along_grad / count
        direct = F.reshape(F.reshape(h, layout) * (common * s * s / count), shape)
        through_h = F.reshape(
            F.reshape(F.normalized_gradient(g, input, mean, scale, layout), layout) * along_grad
            + F.reshape(F.normalized_gradient(grad, input, mean, scale, layout), layout) * along_g,
            layout,
        )
        return -direct - F.reshape(through_h * (s / count), shape)


@op(exact=True, quiet=False, spaces=(), out=False)
class inverse_deviation:
    """The scale as a function of `input`: (1, channels, 1)."""

    def forward(xp, input: Tensor, mean: Constant, scale: Constant, layout):
        return xp.reshape(scale, (1, -1, 1))

    def d_input(F, g, input, mean, scale, layout):
        return of_inverse_deviation(F, g, input, mean, scale, layout)


def of_inverse_deviation(F, g, input, mean, scale, layout):
    """The gradient of the inverse deviations, brought to the input: ds/dx = - s^2 h / count."""
    s = F.inverse_deviation(input, mean, scale, layout)
    h = F.normalized(input, mean, scale, layout)
    return F.reshape(F.reshape(h, layout) * (-g * s * s / (layout[0] * layout[2])), tuple(input.shape))


def widened(xp, array):
    """Half precision as float32."""
    return xp.astype(array, FLOAT32) if array.dtype in REDUCED_NUMPY else array


def of_output(g):
    """The gradient of the first of a step's results; the others are not shown to anybody."""
    return g[0] if isinstance(g, tuple) else g


def constant(value):
    """A saved value, not to be differentiated."""
    return value.detach() if isinstance(value, Tensor) else value


def shown(F, statistics, input, *others):
    """Statistics in the dtype that PyTorch returns them in: the input's, unless it stands beside float32."""
    mixed = any(each is not None and raw_dtype(each) != raw_dtype(input) for each in others)
    return [each if mixed else F.cast(each, raw_dtype(input)) for each in statistics]


def check_one_dtype(input, *others) -> None:
    """Statistics and weights are of the input's dtype; beside a half-precision input they may be float32."""
    kinds = {each.dtype for each in others if each is not None}
    if len(kinds) > 1 or (kinds - {input.dtype} and not (input.dtype in REDUCED_NUMPY and kinds == {FLOAT32})):
        error = RuntimeError(MIXED)
        names = ", ".join(sorted({str(each) for each in (input.dtype, *kinds)}))
        error.add_note(f"The dtypes are {names}: bring the module and its input to one, module.to(dtype) or x.to(dtype).")
        raise error


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
    ):
        check_channels(input, weight, bias, running_mean, running_var, training=training)
        refuse(input, "biuc", "batch_norm")
        check_one_dtype(input, weight, bias, running_mean, running_var)
        wide = xp.reshape(widened(xp, input), channel_layout(input.shape))
        if training:
            mean, variance, scale, centred = xp.moments(wide, eps)
            if wide.size:
                update_running(running_mean, running_var, mean, variance, wide, momentum)
        else:
            mean, variance = widened(xp, running_mean), widened(xp, running_var)
            scale, centred = 1 / xp.sqrt(variance + eps), wide - mean.reshape(1, -1, 1)
        centred *= (scale if weight is None else scale * weight).reshape(1, -1, 1)
        if bias is not None:
            centred += bias.reshape(1, -1, 1)
        return xp.astype(centred.reshape(input.shape), input.dtype), mean, scale

    def d_input(F, g, input, weight, mean, scale, training):
        g = of_output(g)
        scaled = g if weight is None else g * per_channel(F, weight, len(input.shape))
        if not training:
            return scaled * per_channel(F, constant(scale), len(input.shape))
        return F.normalized_gradient(scaled, input, mean, scale, channel_layout(input.shape))

    def d_weight(F, g, input, mean, scale, training):
        if training:
            return F.channel_sum(of_output(g) * F.normalized(input, mean, scale, channel_layout(input.shape)))
        mean, scale = constant(mean), constant(scale)
        centred = input - per_channel(F, mean, len(input.shape))
        return F.channel_sum(of_output(g) * centred) * scale

    def d_bias(F, g):
        return F.channel_sum(of_output(g))

    returns = "out, mean, scale"
    node = "NativeBatchNormBackward0"
    samples = lambda r: [
        (r(4, 3, 2), r(3), r(3), None, None, True, 0.1, 1e-5),
        (r(4, 3), None, None, None, None, True, 0.1, 1e-5),
        (r(4, 3), r(3), r(3), r(3).detach(), r.positive(3).detach(), False, 0.1, 1e-5),
    ]


def channel_layout(shape) -> tuple:
    """(batch, channels, *size) as (batch, channels, positions)."""
    return (*shape[:2], math.prod(shape[2:])) if len(shape) > 1 else (*shape, 0, 1)


def per_channel(F, values, rank: int):
    """One number per channel, to be combined with (batch, channels, *size)."""
    return F.reshape(values, (1, -1, *[1] * (rank - 2)))


def check_channels(input, weight, bias, running_mean, running_var, *, training: bool) -> None:
    """One number for each channel."""
    channels = input.shape[1] if input.ndim > 1 else 0
    named = (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias))
    for name, each in named:
        if each is None:
            if name.startswith("running") and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif each.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {each.size}")


def update_running(running_mean, running_var, mean, variance, wide, momentum) -> None:
    """Moves the running statistics, in place and, as PyTorch does, uncounted by their version."""
    count = wide.shape[0] * wide.shape[2]
    if running_mean is not None:
        running_mean[...] = momentum * mean + (1 - momentum) * running_mean
    if running_var is not None:
        unbiased = variance * (count / (count - 1)) if count > 1 else variance * np.nan
        running_var[...] = momentum * unbiased + (1 - momentum) * running_var


def as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps):
    """The normalized input, its means and inverse deviations."""
    for name, each in (("running_mean", running_mean), ("running_var", running_var)):
        if getattr(each, "requires_grad", False):
            raise RuntimeError(
                f"The function 'native_batch_norm' is not differentiable with respect to argument '{name}'. This input "
                "cannot have requires_grad True."
            )
    return F.native_batch_normalization(input, weight, bias, running_mean, running_var, training, momentum, eps)


@composite(method=None, out=True)
def native_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps):
    """`batch_norm`, with the means and inverse deviations of the channels; none outside training."""
    out, *statistics = as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps)
    statistics = [constant(each) if training else F.new_zeros_of(input, (0,)) for each in statistics]
    return out, *shown(F, statistics, input, weight, running_mean)


@composite(
    method=None,
    samples=lambda r: [
        (r(4, 3, 2), None, None, r(3), r(3), True), (r(4, 3, 2), r(3).detach(), r.positive(3).detach(), r(3), r(3)),
    ],
)  # fmt: skip
def batch_norm(
    F, input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5
):
    """Each channel less its mean, over its deviation: of the batch in training, the running ones otherwise."""
    if momentum is None:
        raise TypeError("batch_norm(): argument 'momentum' (position 7) must be float, not NoneType")
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    return as_batch_norm(F, input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@composite(
    spaces=("nn.functional",), samples=lambda r: [(r(2, 3, 4),), (r(2, 3, 2, 2), None, None, r(3), r(3))]
)
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


def check_positions(shape) -> None:
    """A deviation takes more than one number."""
    if math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {shape}")


# ---- layer norm


@op(exact=True, quiet=False, spaces=(), out=False)
class native_layer_normalization:
    """The last dimensions less their mean, over their deviation."""

    def forward(xp, input: Tensor, normalized_shape, weight: Tensor | None, bias: Tensor | None, eps):
        check_normalized_shape(input, normalized_shape, weight, bias)
        refuse(input, "biuc", "LayerNormKernelImpl")
        check_one_dtype(input, weight, bias)
        layout = row_layout(input.shape, normalized_shape)
        mean, _, scale, centred = xp.moments(xp.reshape(widened(xp, input), layout), eps)
        centred *= scale.reshape(1, -1, 1)
        if weight is not None:
            centred *= weight.reshape(-1)
        if bias is not None:
            centred += bias.reshape(-1)
        return xp.astype(centred.reshape(input.shape), input.dtype), mean, scale

    def d_input(F, g, input, normalized_shape, weight, mean, scale):
        scaled = of_output(g) if weight is None else of_output(g) * weight
        return F.normalized_gradient(scaled, input, mean, scale, row_layout(input.shape, normalized_shape))

    def d_weight(F, g, input, normalized_shape, mean, scale):
        product = of_output(g) * F.normalized(input, mean, scale, row_layout(input.shape, normalized_shape))
        return F.sum_to_size_of(product, normalized_shape)

    def d_bias(F, g, normalized_shape):
        return F.sum_to_size_of(of_output(g), normalized_shape)

    returns = "out, mean, scale"
    node = "NativeLayerNormBackward0"
    samples = lambda r: [
        (r(2, 3, 4), (4,), r(4), r(4), 1e-5), (r(2, 3, 4), (3, 4), None, None, 1e-5), (r(0, 4), (4,), r(4), None, 1e-5),
    ]  # fmt: skip


def row_layout(shape, normalized_shape) -> tuple:
    """(*rows, *normalized_shape) as (1, rows, features)."""
    return (1, math.prod(shape[: len(shape) - len(normalized_shape)]), math.prod(normalized_shape))


def check_normalized_shape(input, normalized_shape, weight, bias) -> None:
    """The shape is that of the input's last dimensions, and of weight and bias."""
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(each.shape)} and "
                f"normalized_shape = {list(shape)}"
            )
    if input.shape[max(input.ndim - len(shape), 0) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but got "
            f"input of size{list(input.shape)}"
        )


@composite(method=None)
def native_layer_norm(F, input, normalized_shape, weight, bias, eps):
    """`layer_norm`, with the means and inverse deviations of the rows."""
    shape = integers("native_layer_norm", "normalized_shape", normalized_shape)
    out, *statistics = F.native_layer_normalization(input, shape, weight, bias, eps)
    rows = (*input.shape[: len(input.shape) - len(shape)], *[1] * len(shape))
    return out, *shown(F, [F.reshape(constant(each), rows) for each in statistics], input, weight)


@composite(method=None, samples=lambda r: [(r(2, 3, 4), (4,), r(4), r(4)), (r(2, 3, 4), (3, 4))])
def layer_norm(F, input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    """The last dimensions less their mean, over their deviation."""
    shape = integers("layer_norm", "normalized_shape", normalized_shape)
    return F.native_layer_normalization(input, shape, weight, bias, eps)[0]


# ---- group norm


@op(exact=True, quiet=False, spaces=(), out=False)
class native_group_normalization:
    """Each group of channels less its mean, over its deviation."""

    def forward(xp, input: Tensor, num_groups, weight: Tensor | None, bias: Tensor | None, eps):
        check_groups(input, num_groups, weight, bias)
        refuse(input, "biuc", "GroupNormKernelImpl")
        check_one_dtype(input, weight, bias)
        layout = group_layout(input.shape, num_groups)
        mean, _, scale, centred = xp.moments(xp.reshape(widened(xp, input), layout), eps)
        centred *= scale.reshape(1, -1, 1)
        centred = centred.reshape(channel_layout(input.shape))
        if weight is not None:
            centred *= weight.reshape(1, -1, 1)
        if bias is not None:
            centred += bias.reshape(1, -1, 1)
        return xp.astype(centred.reshape(input.shape), input.dtype), mean, scale

    def d_input(F, g, input, num_groups, weight, mean, scale):
        layout = group_layout(input.shape, num_groups)
        g, g_mean, g_scale = g if isinstance(g, tuple) else (g, None, None)
        parts = []
        if g is not None:
            scaled = g if weight is None else g * per_channel(F, weight, len(input.shape))
            parts.append(F.normalized_gradient(scaled, input, mean, scale, layout))
        if g_mean is not None:
            even = F.expand(F.reshape(g_mean / layout[2], (1, -1, 1)), layout)
            parts.append(F.reshape(even, tuple(input.shape)))
        if g_scale is not None:
            parts.append(of_inverse_deviation(F, F.reshape(g_scale, (1, -1, 1)), input, mean, scale, layout))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1] if len(parts) == 2 else parts[0] + parts[1] + parts[2]

    def d_weight(F, g, input, num_groups, mean, scale):
        g = of_output(g)
        if g is None:
            return None
        return F.channel_sum(g * F.normalized(input, mean, scale, group_layout(input.shape, num_groups)))

    def d_bias(F, g):
        g = of_output(g)
        return None if g is None else F.channel_sum(g)

    returns = "out, mean, scale"
    node = "NativeGroupNormBackward0"
    samples = lambda r: [(r(2, 6, 2), 3, r(6), r(6), 1e-5), (r(2, 6), 2, None, None, 1e-5)]


def group_layout(shape, num_groups) -> tuple:
    """(batch, channels, *size) as (1, batch * groups, rest)."""
    return (1, shape[0] * num_groups, shape[1] // num_groups * math.prod(shape[2:]))


def check_groups(input, num_groups, weight, bias) -> None:
    """Groups are equally large, and weight and bias have an element for each channel."""
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
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape "
                f"{list(each.shape)} and input of shape {shape}"
            )


@composite(method=None)
def native_group_norm(F, input, weight, bias, N, C, HxW, group, eps):
    """`group_norm`, with the means and inverse deviations of the groups."""
    out, *statistics = F.native_group_normalization(input, group, weight, bias, eps)
    return out, *shown(F, [F.reshape(each, (N, group)) for each in statistics], input, weight)


@composite(method=None, samples=lambda r: [(r(2, 6, 2), 3, r(6), r(6)), (r(2, 6), 2)])
def group_norm(F, input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    """Each group of channels less its mean, over its deviation."""
    return F.native_group_normalization(input, num_groups, weight, bias, eps)[0]


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
            f"Expected weight to be of same shape as normalized_shape, but got weight of shape {list(weight.shape)} and "
            f"normalized_shape = {list(shape)}"
        )
    if tuple(input.shape[max(input.ndim - len(shape), 0) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{', '.join(map(str, shape))}], but got "
            f"input of size{list(input.shape)}"
        )
    if raw_dtype(input).kind in "biu":
        raise unimplemented("rms_norm")(BY_NUMPY[raw_dtype(input)])


@composite(spaces=("nn.functional",), samples=lambda r: [(r(2, 4, 3), 2), (r(2, 4, 3, 2), 3, 0.1, 0.5, 2.0)])
def local_response_norm(F, input, size, alpha=1e-4, beta=0.75, k=1.0):
    """Each element over `(k + alpha * mean of squares of `size` neighbouring channels) ** beta` (Krizhevsky, 2012)."""
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    if not math.prod(input.shape):
        return input
    batch, channels, *rest = input.shape
    squares = F.reshape(input * input, (batch, 1, channels, math.prod(rest)))
    padded = F.constant_pad_nd(squares, (0, 0, size // 2, (size - 1) // 2))
    means = F.reshape(F.avg_pool(padded, (size, 1), (1, 1), (0, 0), False, True, None), tuple(input.shape))
    return input / F.pow(means * alpha + k, beta)
