"""Convolution and its two transposes, closed under differentiation.

With y = convolve(x, w): the gradient of x is `convolution_input(g, w)`, the transposed convolution, that of w is
`convolution_weight(g, x)`, and the derivatives of these three are again these three. Arrays come as they are
(`exact=True`), because operands of different dtypes are refused, not promoted; half precision is summed in float32.
"""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import REDUCED_NUMPY
from rushlight.core.formats import CONTIGUOUS
from rushlight.declarations.batches import folded, into_channels, out_of_channels, rank_of, unfolded
from rushlight.declarations.checks import conv as checks
from rushlight.declarations.declare import composite, face, linear, multilinear
from rushlight.declarations.shapes import one_or_each

FLOAT32 = np.dtype(np.float32)
SIMPLE = lambda stride: (stride, (0,) * len(stride), (1,) * len(stride), False, (0,) * len(stride), 1)


@multilinear(internal=True, exact=True, no_fp_errors=False)
class convolve:
    """`weight` slid over `input`, or with `transposed` the reverse, and `bias` added to every channel."""

    def forward(
        xp, input: Tensor, weight: Tensor, bias: Tensor | None, stride, padding, dilation, transposed, output_padding,
        groups,
    ):  # fmt: skip
        settings = stride, padding, dilation, transposed, output_padding, groups
        (stride, padding, dilation, output_padding), shape = settled(input, weight, bias, *settings)
        dtype = input.dtype
        if dtype in REDUCED_NUMPY:
            input, weight = xp.astype(input, FLOAT32), xp.astype(weight, FLOAT32)
        if transposed:
            beyond = [(0, extra // step) for extra, step in zip(output_padding, stride, strict=True)]
            rows = xp.constant_pad(input, beyond) if any(map(any, beyond)) else input
            out = xp.convolve_input(rows, weight, shape, stride, padding, dilation, groups, bias)
        else:
            out = xp.convolve(input, weight, stride, padding, dilation, groups, bias)
        return xp.laid_out_as(input, xp.astype(out, dtype), weight)

    def shape(input, weight, bias, *settings):
        return MetaArray(settled(input, weight, bias, *settings)[1], input.dtype)

    def d_input(F, g, weight, input_shape, stride, padding, dilation, transposed, groups):
        if not transposed:
            return F.convolution_input(g, F.conj(weight), input_shape, stride, padding, dilation, groups)
        seen = F.convolve(g, F.conj(weight), None, stride, padding, dilation, False, (0,), groups)
        return first(F, seen, input_shape)

    def d_weight(F, g, input, weight_shape, stride, padding, dilation, transposed, output_padding, groups):
        if not transposed:
            return F.convolution_weight(g, F.conj(input), weight_shape, stride, padding, dilation, groups)
        margin = margins(output_padding, stride, len(weight_shape) - 2)
        rows = F.constant_pad_nd(input, margin) if any(margin) else input
        return F.convolution_weight(F.conj(rows), g, weight_shape, stride, padding, dilation, groups)

    def d_bias(F, g):
        return F.channel_sum(g)

    def batch(F, b, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
        if "bias" in b.batched or "weight" in b.batched:
            added = (
                None
                if bias is None
                else F.reshape(bias, (*bias.shape[:-1], 1, -1, *[1] * (rank_of(b, "weight", weight) - 2)))
            )
            bias = None
        else:
            added = None
        settings = stride, padding, dilation, transposed, output_padding
        if "weight" not in b.batched:
            if "input" not in b.batched:
                result = F.convolve(input, weight, bias, *settings, groups)
            else:
                result = unfolded(F, F.convolve(folded(F, input), weight, bias, *settings, groups), b.size)
        elif "input" not in b.batched:
            if transposed:
                weight = into_channels(F, weight, 1, 1)
            else:
                weight = into_channels(F, weight, groups, 0)
            result = out_of_channels(F, F.convolve(input, weight, None, *settings, groups), groups, 1, b.size)
        else:
            wide = into_channels(F, input, 1, 1)
            result = F.convolve(wide, folded(F, weight), None, *settings, groups * b.size)
            result = out_of_channels(F, result, 1, 1, b.size)
        return result if added is None else result + added

    samples = lambda r: [
        (r(2, 3, 5), r(4, 3, 2), r(4), *SIMPLE((1,))),
        (r(2, 4, 6, 5), r(6, 2, 3, 2), None, (2, 1), (1, 0), (1, 2), False, (0, 0), 2),
        (r(1, 2, 4, 3, 3), r(2, 2, 2, 2, 2), r(2), *SIMPLE((1, 1, 1))),
        (r(2, 4, 5), r(4, 3, 3), r(6), (2,), (1,), (2,), True, (1,), 2),
        (r(1, 2, 3, 3), r(2, 2, 2, 2), None, (1, 1), (0, 0), (2, 2), True, (1, 1), 1),
        (r(0, 3, 5), r(4, 3, 2), r(4), *SIMPLE((1,))),
    ]


face(convolve, node="ConvolutionBackward0")


@multilinear(internal=True, exact=True, no_fp_errors=False)
class convolution_input:
    """The transpose of `convolve` in its input: `grad` spread back over `shape`."""

    def forward(xp, grad: Tensor, weight: Tensor, shape, stride, padding, dilation, groups):
        spatial = len(shape) - 2
        stride, padding, dilation = (full("", each, spatial) for each in (stride, padding, dilation))
        return xp.laid_out_as(grad, xp.convolve_input(grad, weight, shape, stride, padding, dilation, groups), weight)

    def shape(grad, weight, shape, *settings):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, weight, stride, padding, dilation, groups):
        return F.convolve(g, F.conj(weight), None, stride, padding, dilation, False, (0,), groups)

    def d_weight(F, g, grad, weight_shape, stride, padding, dilation, groups):
        return F.convolution_weight(F.conj(grad), g, weight_shape, stride, padding, dilation, groups)

    def batch(F, b, grad, weight, shape, stride, padding, dilation, groups):
        settings = stride, padding, dilation
        count, channels, *size = shape
        if "weight" not in b.batched:
            spread = F.convolution_input(folded(F, grad), weight, (b.size * count, channels, *size), *settings, groups)
            return unfolded(F, spread, b.size)
        shape = (count, b.size * channels, *size)
        if "grad" not in b.batched:
            spread = F.convolution_input(grad, into_channels(F, weight, 1, 1), shape, *settings, groups)
            return out_of_channels(F, spread, groups, 1, b.size)
        spread = F.convolution_input(into_channels(F, grad, 1, 1), folded(F, weight), shape, *settings, groups * b.size)
        return out_of_channels(F, spread, 1, 1, b.size)

    samples = lambda r: [(r(2, 4, 3), r(4, 3, 2), (2, 3, 7), (2,), (0,), (1,), 1)]


@multilinear(internal=True, exact=True, no_fp_errors=False)
class convolution_weight:
    """The transpose of `convolve` in its weight: what each tap of a kernel of `shape` saw, weighed by `grad`."""

    def forward(xp, grad: Tensor, input: Tensor, shape, stride, padding, dilation, groups):
        spatial = len(shape) - 2
        stride, padding, dilation = (full("", each, spatial) for each in (stride, padding, dilation))
        result = xp.convolve_weight(grad, input, shape, stride, padding, dilation, groups)
        return xp.laid_out_as(input, result, grad) if result.dtype == FLOAT32 else result

    def shape(grad, input, shape, *settings):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, input, stride, padding, dilation, groups):
        return F.convolve(F.conj(input), g, None, stride, padding, dilation, False, (0,), groups)

    def d_input(F, g, grad, input_shape, stride, padding, dilation, groups):
        return F.convolution_input(F.conj(grad), g, input_shape, stride, padding, dilation, groups)

    def batch(F, b, grad, input, shape, stride, padding, dilation, groups):
        settings = stride, padding, dilation
        out, channels, *size = shape
        if "input" not in b.batched:
            seen = F.convolution_weight(
                into_channels(F, grad, groups, 1), input, (b.size * out, channels, *size), *settings, groups
            )
            return out_of_channels(F, seen, groups, 0, b.size)
        if "grad" not in b.batched:
            seen = F.convolution_weight(
                grad, into_channels(F, input, groups, 1), (out, b.size * channels, *size), *settings, groups
            )
            return out_of_channels(F, seen, 1, 1, b.size)
        grad, input = into_channels(F, grad, 1, 1), into_channels(F, input, 1, 1)
        seen = F.convolution_weight(grad, input, (b.size * out, channels, *size), *settings, groups * b.size)
        return unfolded(F, seen, b.size)

    samples = lambda r: [(r(2, 4, 3), r(2, 3, 7), (4, 3, 2), (2,), (0,), (1,), 1)]


@linear(internal=True)
class channel_sum:
    """The sum over all dimensions but the second, that of the channels."""

    def forward(xp, input: Tensor):
        return xp.channel_sum(input)

    def shape(input):
        return MetaArray(input.shape[1:2], input.dtype)

    def d_input(F, g, input_shape):
        return F.expand(F.reshape(g, (1, -1, *[1] * (len(input_shape) - 2))), input_shape)

    def batch(F, b, input):
        dims = tuple(dim for dim in range(input.ndim) if dim not in (0, 2))
        return F.sum(input, dims)

    samples = lambda r: [(r(2, 3),), (r(2, 3, 4),), (r(2, 3, 4, 5),), (r(0, 3, 2),)]


@composite(samples=lambda r: [
    (r(2, 3, 5), r(4, 3, 2), r(4), *SIMPLE((1,))),
    (r(2, 4, 5), r(4, 3, 3), r(6), (2,), (1,), (2,), True, (1,), 2),
])  # fmt: skip
def convolution(
    F, input, weight, bias: Tensor | None, stride: Ints, padding: Ints, dilation: Ints, transposed,
    output_padding: Ints, groups,
):  # fmt: skip
    """`weight` slid over `input` (batch, channels, *size), or with `transposed` the reverse, and `bias` added."""
    checks.check_convolution_dtype(input, transposed)
    return F.convolve(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


face(convolution, method=None)


# ---- settings and sizes


def settled(input, weight, bias, *settings) -> tuple:
    """Stride, padding, dilation and output padding for each spatial dimension; and the result's shape; all checked."""
    like = None if bias is None else (tuple(bias.shape), bias.dtype)
    settings = [tuple(each) if type(each) is list else each for each in settings]
    return _settled_alike(tuple(input.shape), input.dtype, tuple(weight.shape), weight.dtype, like, *settings)


@lru_cache(maxsize=256, typed=True)
def _settled_alike(
    input_shape, input_dtype, weight_shape, weight_dtype, like_bias, stride, padding, dilation, transposed,
    output_padding, groups,
) -> tuple:  # fmt: skip
    """`settled`, once for each kind of arrays and their settings."""
    input, weight = MetaArray(input_shape, input_dtype), MetaArray(weight_shape, weight_dtype)
    bias = None if like_bias is None else MetaArray(*like_bias)
    spatial = input.ndim - 2
    names = ("stride", "padding", "dilation", "output_padding")
    given = (stride, padding, dilation, output_padding)
    settings = tuple(full(name, each, spatial) for name, each in zip(names, given, strict=True))
    stride, padding, dilation, output_padding = settings
    checks.check_settings(*settings, transposed=transposed)
    checks.check_weight(input, weight, groups, transposed=transposed)
    checks.check_bias(weight, bias, groups, transposed=transposed)
    checks.check_dtypes(input, weight, bias, transposed=transposed)
    if transposed:
        checks.check_output_padding(output_padding, stride, dilation)
        return settings, transposed_shape(input.shape, weight.shape, *settings, groups)
    checks.check_extent(input, weight, padding, dilation)
    spans = zip(input.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True)
    size = ((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in spans)
    return settings, (input.shape[0], weight.shape[0], *size)


def transposed_shape(shape, weight_shape, stride, padding, dilation, output_padding, groups) -> tuple:
    """The shape of the result of a transposed convolution."""
    spans = zip(shape[2:], weight_shape[2:], stride, padding, dilation, output_padding, strict=True)
    size = tuple((n - 1) * s - 2 * p + d * (k - 1) + extra + 1 for n, k, s, p, d, extra in spans)
    if min(size) <= 0 and min(shape[2:]) > 0:
        # PyTorch convolves lines as images of one row.
        given, result = (" x ".join(map(str, (*[1] * (len(size) == 1), *each))) for each in (shape[2:], size))
        raise RuntimeError(
            f"Given input size per channel: ({given}). Calculated output size per channel: ({result}). "
            "Output size is too small"
        )
    return (shape[0], weight_shape[1] * groups, *size)


def margins(output_padding, stride, spatial: int) -> list:
    """How many more windows than the input has fit on the result, as `pad` wants it: an output padding of strides."""
    spans = zip(full("output_padding", output_padding, spatial), full("stride", stride, spatial), strict=True)
    return [n for extra, step in reversed(list(spans)) for n in (0, extra // step)]


def first(F, values, shape):
    """As many windows of each dimension as `shape` has."""
    for dim, length in enumerate(shape):
        if values.shape[dim] > length:
            values = F.clone(F.narrow(values, dim, 0, length), memory_format=CONTIGUOUS)
    return values


# ---- checks


def full(name: str, value, spatial: int) -> tuple:
    """A setting for each spatial dimension."""
    value = one_or_each(value)
    if len(value) == spatial:
        return value
    if len(value) == 1:
        return value * spatial
    raise RuntimeError(
        f"expected {name} to be a single integer value or a list of {spatial} values to match the convolution "
        f"dimensions, but got {name}={list(value)}"
    )


# ---- one, two and three dimensions


def slid(F, spatial, input, weight, bias, stride, padding, dilation, groups):
    """A convolution of `spatial` dimensions, of a batch or of one input."""
    rows, batched = as_batch(F, f"conv{spatial}d", spatial, input)
    if isinstance(padding, str):
        checks.check_weight(rows, weight, groups, transposed=False)
        rows, padding = padded_by_name(F, rows, weight, stride, padding, dilation)
    out = F.convolve(rows, weight, bias, stride, padding, dilation, False, (0,) * spatial, groups)
    return out if batched else F.squeeze(out, 0)


def as_batch(F, name: str, spatial: int, input):
    """The input with a batch dimension, and whether it had one."""
    if input.ndim == spatial + 2:
        return input, True
    if input.ndim == spatial + 1:
        return F.unsqueeze(input, 0), False
    raise RuntimeError(
        f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to {name}, but got input of size: "
        f"{list(input.shape)}"
    )


def padded_by_name(F, input, weight, stride, padding: str, dilation):
    """Returns input and padding for "valid" and "same"; an odd amount is padded here, on the right."""
    spatial = input.ndim - 2
    if padding == "valid":
        return input, (0,) * spatial
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(each != 1 for each in full("stride", stride, spatial)):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for k, d in zip(weight.shape[2:], full("dilation", dilation, spatial), strict=True)]
    if any(total % 2 for total in totals):
        warnings.warn(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created",
            stacklevel=5,
        )
        input = F.constant_pad_nd(input, [n for total in reversed(totals) for n in (0, total % 2)])
    return input, tuple(total // 2 for total in totals)


def spread_back(F, spatial, input, weight, bias, stride, padding, output_padding, groups, dilation):
    """A transposed convolution of `spatial` dimensions, of a batch or of one input."""
    rows, batched = as_batch(F, f"conv_transpose{spatial}d", spatial, input)
    out = F.convolve(rows, weight, bias, stride, padding, dilation, True, output_padding, groups)
    return out if batched else F.squeeze(out, 0)


def _samples(*size):
    """Sample inputs of a convolution over `size`."""
    kernel = (2,) * len(size)
    return lambda r: [
        (r(2, 4, *size), r(6, 4, *kernel), r(6)),
        (r(2, 4, *size), r(6, 2, *kernel), None, 2, 1, 1, 2),
        (r(4, *size), r(6, 4, *kernel), r(6), 1, "valid", 2),
        (r(2, 4, *size), r(6, 4, *(3,) * len(size)), None, 1, "same"),
    ]


def _transposed_samples(*size):
    kernel = (2,) * len(size)
    return lambda r: [
        (r(2, 4, *size), r(4, 3, *kernel), r(3)),
        (r(2, 4, *size), r(4, 3, *kernel), None, 2, 1, 1, 2),
        (r(4, *size), r(4, 3, *kernel), r(3), 1, 0, 0, 1, 2),
    ]


@composite(samples=_samples(5))
def conv1d(F, input, weight, bias=None, stride=1, padding: Ints | int | str = 0, dilation=1, groups=1):
    """Slides `weight` (out, channels / groups, kernel) over `input` (batch, channels, length)."""
    return slid(F, 1, input, weight, bias, stride, padding, dilation, groups)


face(conv1d, method=None)


@composite(samples=_samples(5, 4))
def conv2d(F, input, weight, bias=None, stride=1, padding: Ints | int | str = 0, dilation=1, groups=1):
    """Slides `weight` (out, channels / groups, *kernel) over `input` (batch, channels, height, width)."""
    return slid(F, 2, input, weight, bias, stride, padding, dilation, groups)


face(conv2d, method=None)


@composite(samples=_samples(3, 4, 3))
def conv3d(F, input, weight, bias=None, stride=1, padding: Ints | int | str = 0, dilation=1, groups=1):
    """Slides `weight` (out, channels / groups, *kernel) over `input` (batch, channels, depth, height, width)."""
    return slid(F, 3, input, weight, bias, stride, padding, dilation, groups)


face(conv3d, method=None)


@composite(samples=_transposed_samples(4))
def conv_transpose1d(F, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transpose of `conv1d` in its input, for `weight` (channels, out / groups, kernel)."""
    return spread_back(F, 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


face(conv_transpose1d, method=None)


@composite(samples=_transposed_samples(4, 3))
def conv_transpose2d(F, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transpose of `conv2d` in its input, for `weight` (channels, out / groups, *kernel)."""
    return spread_back(F, 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


face(conv_transpose2d, method=None)


@composite(samples=_transposed_samples(2, 3, 2))
def conv_transpose3d(F, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """The transpose of `conv3d` in its input, for `weight` (channels, out / groups, *kernel)."""
    return spread_back(F, 3, input, weight, bias, stride, padding, output_padding, groups, dilation)


face(conv_transpose3d, method=None)


@composite(samples=lambda r: [(r(5, 2, 4), r(3, 4, 6), r(6)), (r(5, 2, 4), r(2, 4, 3), r(3), 1)])
def conv_tbc(F, input, weight, bias, pad: int = 0):
    """`conv1d` of (time, batch, channels) with `weight` (kernel, channels, out)."""
    checks.check_time_first(input, weight, bias)
    rows, taps = F.permute(input, (1, 2, 0)), F.permute(weight, (2, 1, 0))
    return F.permute(F.convolve(rows, taps, bias, (1,), (pad,), (1,), False, (0,), 1), (2, 0, 1))


face(conv_tbc, method=None)
