"""Pooling: the largest element or the mean of each window, of a batch (N, C, *size) or of one input (C, *size).

A window's maximum is kept with its position, counted through the pooled dimensions; taking elements at positions and
adding them back there are each other's derivative, as are averaging and spreading.
"""

from __future__ import annotations

import math

from rushlight.arrays.layouts import suggested_format
from rushlight.arrays.meta import MetaArray
from rushlight.core.determinism import alert
from rushlight.core.formats import CONTIGUOUS
from rushlight.core.tensor import Tensor
from rushlight.core.traced import differentiated
from rushlight.declarations.declare import Direct, composite, face, linear, op
from rushlight.declarations.dtype_rules import INT64, raw_dtype, refuse
from rushlight.declarations.pool_arguments import (
    batched,
    boxes,
    check_adaptive,
    check_adaptive_gradient,
    check_adaptive_maxima,
    check_adaptive_means,
    check_max_pool1d,
    check_mean_dtype,
    check_row,
    check_unpool,
    checked_maxima,
    checked_means,
    is_left_out,
    means_unbatched,
    meta_result,
    no_plane,
    per_dim,
    single,
    unbatched,
    unpool_size,
    windows,
)  # fmt: skip

# ---- primitives, for two and three dimensions


@op(internal=True, zero_second_derivative=True)
class max_pool:
    """The largest element of each window, and its position."""

    def forward(xp, input: Tensor, kernel_size, stride, padding, dilation, ceil_mode):
        dims = len(kernel_size)
        checked_maxima(input, kernel_size, stride, padding, dilation, ceil_mode)
        values, indices = xp.max_pool(batched(input, dims), kernel_size, stride, padding, dilation, ceil_mode)
        return unbatched(xp, values, input, dims), unbatched(xp, indices, input, dims)

    def shape(input, kernel_size, stride, padding, dilation, ceil_mode):
        size = checked_maxima(input, kernel_size, stride, padding, dilation, ceil_mode)
        return meta_result(input, size), meta_result(input, size, INT64)

    def d_input(F, g, indices, input_shape, kernel_size):
        return F.put_pooled(g, indices, input_shape, len(kernel_size))

    def jvp(F, input_t, indices, kernel_size):
        return F.take_pooled(input_t, indices, len(kernel_size)), None

    returns = "out, indices"
    samples = lambda r: [
        (r.distinct(2, 2, 4, 5), (2, 2), (2, 2), (0, 0), (1, 1), False),
        (r.distinct(1, 2, 4, 5), (3, 2), (1, 2), (1, 1), (1, 2), True),
        (r.distinct(2, 4, 5), (4, 3), (1, 1), (0, 1), (1, 1), False),
        (r.distinct(1, 2, 3, 4, 3), (2, 2, 2), (1, 2, 1), (0, 1, 1), (1, 1, 1), False),
    ]


face(max_pool, node="MaxPool2DWithIndicesBackward0 if len(kernel_size) == 2 else MaxPool3DWithIndicesBackward0")


@op(internal=True, zero_second_derivative=True)
class max_pool_values:
    """The largest element of each window, without its index: if no gradient is needed."""

    def forward(xp, input: Tensor, kernel_size, stride, padding, dilation, ceil_mode):
        dims = len(kernel_size)
        checked_maxima(input, kernel_size, stride, padding, dilation, ceil_mode)
        result = xp.max_pool_values(batched(input, dims), kernel_size, stride, padding, dilation, ceil_mode)
        return unbatched(xp, result, input, dims)

    def shape(input, kernel_size, stride, padding, dilation, ceil_mode):
        return meta_result(input, checked_maxima(input, kernel_size, stride, padding, dilation, ceil_mode))

    def d_input(F, g, input, kernel_size, stride, padding, dilation, ceil_mode):
        indices = F.max_pool(input, kernel_size, stride, padding, dilation, ceil_mode)[1]
        return F.put_pooled(g, indices, tuple(input.shape), len(kernel_size))

    samples = lambda r: [
        (r.distinct(2, 2, 4, 5), (2, 2), (2, 2), (0, 0), (1, 1), False),
        (r.distinct(1, 2, 4, 5), (3, 2), (1, 2), (1, 1), (1, 2), True),
        (r.distinct(2, 4, 5), (4, 3), (1, 1), (0, 1), (1, 1), False),
    ]


@op(internal=True, zero_second_derivative=True)
class adaptive_max_pool:
    """The largest element of each of `output_size` even boxes, and its position."""

    def forward(xp, input: Tensor, output_size):
        dims = len(output_size)
        check_adaptive_maxima(input, output_size)
        values, indices = xp.adaptive_max_pool(batched(input, dims), output_size)
        return means_unbatched(xp, values, input, dims), means_unbatched(xp, indices, input, dims)

    def shape(input, output_size):
        check_adaptive_maxima(input, output_size)
        return meta_result(input, output_size), meta_result(input, output_size, INT64)

    def d_input(F, g, indices, input_shape, output_size):
        check_adaptive_gradient(f"adaptive_max_pool{len(output_size)}d_backward", g.shape, len(output_size))
        return F.put_pooled(g, indices, input_shape, len(output_size))

    returns = "out, indices"
    samples = lambda r: [
        (r.distinct(2, 2, 4, 5), (2, 3)), (r.distinct(2, 4, 6), (2, 3)), (r.distinct(1, 2, 3, 4, 3), (2, 2, 1)),
    ]  # fmt: skip


face(adaptive_max_pool, node="AdaptiveMaxPool2DBackward0 if len(output_size) == 2 else AdaptiveMaxPool3DBackward0")


@linear(internal=True)
class take_pooled:
    """The elements of `input` at positions in its last `dims` dimensions."""

    def forward(xp, input: Tensor, indices: Constant, dims):
        return unbatched(xp, xp.take_pooled(batched(input, dims), batched(indices, dims)), input, dims)

    def shape(input, indices, dims):
        return MetaArray(indices.shape, input.dtype)

    def d_input(F, g, indices, input_shape, dims):
        return F.put_pooled(g, indices, input_shape, dims)

    samples = lambda r: [(r(2, 3, 4, 4), r.integers(16, 2, 3, 2, 3), 2)]


@linear(internal=True)
class put_pooled:
    """Each element of `grad` added at its position in zeros of `shape`."""

    def forward(xp, grad: Tensor, indices: Constant, shape, dims):
        batch = shape if len(shape) == dims + 2 else (1, *shape)
        spread = xp.max_pool_input(batched(grad, dims), batched(indices, dims), batch)
        return xp.laid_out_as(indices, spread.reshape(shape))

    def shape(grad, indices, shape, dims):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, indices, dims):
        return F.take_pooled(g, indices, dims)

    samples = lambda r: [(r(2, 3, 2, 3), r.integers(16, 2, 3, 2, 3), (2, 3, 4, 4), 2)]


@linear(internal=True, zero_second_derivative=True)
class max_unpool:
    """Zeros of `output_size` with each element of `input` at its position, which pooling has found."""

    def forward(xp, input: Tensor, indices: Constant, output_size):
        dims = len(output_size)
        alert(f"max_unpooling{dims}d_forward_out")
        check_unpool(input, indices, output_size)
        refuse(input, "biuc", f"max_unpool{dims}d")
        planes, count = math.prod(input.shape[:-dims]), math.prod(input.shape[-dims:])
        out = xp.zeros_like(input, shape=(planes, math.prod(output_size)))
        xp.put_along_axis(out, indices.reshape(planes, count), input.reshape(planes, count), 1)
        out = out.reshape(*input.shape[:-dims], *output_size)
        return xp.laid_out_as(input, out) if dims == 2 else out

    def shape(input, indices, output_size):
        return meta_result(input, output_size)

    def d_input(F, g, indices, output_size):
        return F.take_pooled(g, indices, len(output_size))

    samples = lambda r: [(r(1, 1, 1, 3), r(1, 1, 1, 3).argsort(), (2, 2))]


face(max_unpool, node="MaxUnpool2DBackward0 if len(output_size) == 2 else MaxUnpool3DBackward0")


@linear(internal=True, zero_second_derivative=True)
class avg_pool:
    """The mean of each window."""

    def forward(xp, input: Tensor, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        dims = len(kernel_size)
        checked_means(input, kernel_size, stride, padding, ceil_mode, divisor_override)
        rows = batched(input, dims)
        means = xp.avg_pool(rows, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return means_unbatched(xp, means, input, dims)

    def shape(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        return meta_result(input, checked_means(input, kernel_size, stride, padding, ceil_mode, divisor_override))

    def d_input(F, g, input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        return F.avg_spread(
            g, input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )

    samples = lambda r: [
        (r(2, 2, 4, 5), (2, 2), (2, 2), (0, 0), False, True, None),
        (r(2, 4, 5), (3, 2), (1, 2), (1, 1), True, False, None),
        (r(1, 2, 3, 4, 3), (2, 2, 2), (1, 2, 1), (0, 1, 1), True, True, 5),
    ]


face(avg_pool, node="AvgPool2DBackward0 if len(kernel_size) == 2 else AvgPool3DBackward0")


@linear(internal=True)
class avg_spread:
    """The transpose of `avg_pool`: each element of `grad` spread evenly over its window in a tensor of `shape`."""

    def forward(xp, grad: Tensor, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        dims = len(kernel_size)
        batch = shape if len(shape) == dims + 2 else (1, *shape)
        settings = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        return xp.laid_out_as(grad, xp.avg_pool_input(batched(grad, dims), batch, *settings).reshape(shape))

    def shape(grad, shape, *settings):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        return F.avg_pool(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    samples = lambda r: [(r(2, 2, 2, 2), (2, 2, 4, 5), (2, 2), (2, 2), (0, 0), False, True, None)]


@linear(internal=True, zero_second_derivative=True)
class adaptive_avg_pool:
    """The mean of each of `output_size` even boxes."""

    def forward(xp, input: Tensor, output_size):
        dims = len(output_size)
        check_adaptive_means(input, output_size)
        return means_unbatched(xp, xp.adaptive_avg_pool(batched(input, dims), output_size), input, dims)

    def shape(input, output_size):
        check_adaptive_means(input, output_size)
        return meta_result(input, output_size)

    def d_input(F, g, input_shape, output_size):
        check_adaptive_gradient(f"adaptive_avg_pool{len(output_size)}d_backward", g.shape, len(output_size))
        return F.adaptive_avg_spread(g, input_shape, output_size)

    samples = lambda r: [(r(2, 2, 4, 5), (2, 3)), (r(2, 4, 6), (2, 3)), (r(1, 2, 3, 4, 3), (2, 2, 5))]


face(adaptive_avg_pool, node="AdaptiveAvgPool2DBackward0 if len(output_size) == 2 else AdaptiveAvgPool3DBackward0")


@linear(internal=True)
class adaptive_avg_spread:
    """The transpose of `adaptive_avg_pool`."""

    def forward(xp, grad: Tensor, shape, output_size):
        dims = len(output_size)
        batch = shape if len(shape) == dims + 2 else (1, *shape)
        return xp.laid_out_as(grad, xp.adaptive_avg_pool_input(batched(grad, dims), batch).reshape(shape))

    def shape(grad, shape, output_size):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, output_size):
        return F.adaptive_avg_pool(g, output_size)

    samples = lambda r: [(r(2, 2, 2, 3), (2, 2, 4, 5), (2, 3))]


# Source for generated code: settings that are equal in all dimensions, as most are.
ALIKE = "type(kernel_size) is type(padding) is int and (stride is None or type(stride) is int)"
UNRECORDED = "type(input) in PLAIN_TYPES and not input.requires_grad"


def repeated(dims: int, *names: str) -> dict[str, str]:
    """These settings and the stride, each once for every dimension."""
    tuples = {name: f"({f'{name}, ' * dims})" for name in (*names, "stride")}
    return tuples | {"stride": f"kernel_size if stride is None else {tuples['stride']}"}


# ---- maxima


def is_differentiated(input) -> bool:
    """Whether the positions of the maxima will be wanted, for a derivative."""
    return isinstance(input, Tensor) and differentiated(input)


def _pooled(F, dims, input, kernel_size, stride, padding, dilation, ceil_mode):
    name = f"max_pool{dims}d"
    kernel, steps, margin = windows(name, dims, kernel_size, stride, padding)
    return F.max_pool(input, kernel, steps, margin, per_dim(name, "dilation", dilation, dims), ceil_mode)


def _largest(F, dims, input, kernel_size, stride, padding, dilation, ceil_mode):
    if is_differentiated(input):
        return _pooled(F, dims, input, kernel_size, stride, padding, dilation, ceil_mode)[0]
    name = f"max_pool{dims}d"
    kernel, steps, margin = windows(name, dims, kernel_size, stride, padding)
    return F.max_pool_values(input, kernel, steps, margin, per_dim(name, "dilation", dilation, dims), ceil_mode)


def _pooled_rows(F, input, kernel_size, stride, padding, dilation, ceil_mode):
    check_row("max_pool1d", input)
    kernel = single("max_pool1d", "kernel_size", kernel_size)
    step = kernel if stride is None or is_left_out(stride) else single("max_pool1d", "stride", stride)
    padding, dilation = single("max_pool1d", "padding", padding), single("max_pool1d", "dilation", dilation)
    rows = F.unsqueeze(input, -2)
    if 0 in rows.shape[-3:]:
        raise no_plane(rows)
    return F.max_pool(rows, (1, kernel), (1, step), (0, padding), (1, dilation), ceil_mode)


@composite(samples=lambda r: [(r.distinct(2, 6), 2), (r.distinct(1, 2, 7), 3, 2, 1)])
def max_pool1d_with_indices(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last dimension, and its position."""
    values, indices = _pooled_rows(F, input, kernel_size, stride, padding, dilation, ceil_mode)
    return F.squeeze(values, -2), F.squeeze(indices, -2)


face(max_pool1d_with_indices, method=None)


@composite(samples=lambda r: [(r.distinct(2, 3, 6), 2), (r.distinct(3, 6), 3, 1, 1, 2, True)])
def max_pool1d(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last dimension."""
    kernel, *rest = check_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)
    if not is_differentiated(input):
        return F.max_pool_values(input, (kernel,), *((each,) for each in rest), ceil_mode)
    return F.squeeze(_pooled_rows(F, input, kernel_size, stride, padding, dilation, ceil_mode)[0], -2)


face(
    max_pool1d,
    method=None,
    direct=(
        Direct(
            f"{ALIKE} and type(dilation) is int and 2 * padding <= kernel_size and {UNRECORDED} "
            "and input._array.dtype.kind == 'f'",
            "max_pool_values",
            repeated(1, "kernel_size", "padding", "dilation"),
        ),
    ),
)


@composite(samples=lambda r: [(r.distinct(1, 2, 4, 4), 2), (r.distinct(2, 5, 5), 3, 2, 1)])
def max_pool2d_with_indices(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last two dimensions, and its position."""
    return _pooled(F, 2, input, kernel_size, stride, padding, dilation, ceil_mode)


face(max_pool2d_with_indices, spaces=("nn.functional",))


@composite(samples=lambda r: [(r.distinct(1, 2, 4, 4), 2), (r.distinct(2, 4, 4), (3, 2), 1, 1, 1, True)])
def max_pool2d(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last two dimensions."""
    return _largest(F, 2, input, kernel_size, stride, padding, dilation, ceil_mode)


face(
    max_pool2d,
    method=None,
    direct=(
        Direct(
            f"{ALIKE} and type(dilation) is int and {UNRECORDED}",
            "max_pool_values",
            repeated(2, "kernel_size", "padding", "dilation"),
        ),
    ),
)


@composite(samples=lambda r: [(r.distinct(1, 1, 4, 2, 4), 2), (r.distinct(1, 3, 3, 3), 2, 1)])
def max_pool3d_with_indices(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last three dimensions, and its position."""
    return _pooled(F, 3, input, kernel_size, stride, padding, dilation, ceil_mode)


face(max_pool3d_with_indices, spaces=("nn.functional",))


@composite(samples=lambda r: [(r.distinct(1, 2, 4, 4, 2), 2), (r.distinct(2, 3, 3, 2), (3, 2, 2), 1, 1)])
def max_pool3d(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last three dimensions."""
    return _largest(F, 3, input, kernel_size, stride, padding, dilation, ceil_mode)


face(max_pool3d, method=None)


@composite(samples=lambda r: [(r.distinct(2, 3, 6), 2)])
def adaptive_max_pool1d(F, input, output_size):
    """The largest element of each of `output_size` windows of the last dimension, and its position."""
    check_row("adaptive_max_pool1d", input)
    check_adaptive("adaptive_max_pool1d", input, 1, channels=True)
    size = single("adaptive_max_pool1d", "output_size", output_size)
    values, indices = F.adaptive_max_pool(F.unsqueeze(input, -2), (1, size))
    return F.squeeze(values, -2), F.squeeze(indices, -2)


face(adaptive_max_pool1d, method=None)


@composite(samples=lambda r: [(r.distinct(1, 2, 4, 5), 2), (r.distinct(2, 4, 5), (2, None))])
def adaptive_max_pool2d(F, input, output_size: Ints | int | Sizes):
    """The largest element of each of `output_size` windows of the last two dimensions, and its position."""
    return F.adaptive_max_pool(input, boxes("adaptive_max_pool2d", output_size, input, 2))


face(adaptive_max_pool2d, spaces=("nn.functional",))


@composite(samples=lambda r: [(r.distinct(1, 2, 4, 5, 3), 2)])
def adaptive_max_pool3d(F, input, output_size: Ints | int | Sizes):
    """The largest element of each of `output_size` windows of the last three dimensions, and its position."""
    return F.adaptive_max_pool(input, boxes("adaptive_max_pool3d", output_size, input, 3))


face(adaptive_max_pool3d, spaces=("nn.functional",))


# ---- the way back


@composite(samples=lambda r: [(r(1, 2, 3), r(1, 2, 3).argsort(), 2)])
def max_unpool1d(F, input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool1d` had found them."""
    size = unpool_size(input, 1, kernel_size, stride, padding, output_size)
    return F.squeeze(F.max_unpool(F.unsqueeze(input, -1), F.unsqueeze(indices, -1), (*size, 1)), -1)


face(max_unpool1d, spaces=("nn.functional",))


@composite(samples=lambda r: [(r(1, 2, 2, 2), r(1, 2, 4).argsort().reshape(1, 2, 2, 2), 2)])
def max_unpool2d(F, input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool2d` had found them."""
    return F.max_unpool(input, indices, unpool_size(input, 2, kernel_size, stride, padding, output_size))


face(max_unpool2d, spaces=("nn.functional",))


@composite(samples=lambda r: [(r(1, 1, 2, 1, 2), r(1, 1, 4).argsort().reshape(1, 1, 2, 1, 2), 2)])
def max_unpool3d(F, input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool3d` had found them."""
    return F.max_unpool(input, indices, unpool_size(input, 3, kernel_size, stride, padding, output_size))


face(max_unpool3d, spaces=("nn.functional",))


# ---- means


@composite(samples=lambda r: [(r(2, 3, 6), 2), (r(3, 6), 3, 1, 1, True, False)])
def avg_pool1d(F, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of the last dimension; padding counts as zeros unless `count_include_pad` is False."""
    check_row("avg_pool1d", input)
    kernel = single("avg_pool1d", "kernel_size", kernel_size)
    step = kernel if stride is None or is_left_out(stride) else single("avg_pool1d", "stride", stride)
    margin = single("avg_pool1d", "padding", padding)
    rows = F.unsqueeze(input, -2)
    return F.squeeze(F.avg_pool(rows, (1, kernel), (1, step), (0, margin), ceil_mode, count_include_pad, None), -2)


face(
    avg_pool1d,
    method=None,
    direct=(
        Direct(
            f"{ALIKE} and {UNRECORDED}",
            "avg_pool",
            repeated(1, "kernel_size", "padding") | {"divisor_override": "None"},
        ),
    ),
)


@composite(samples=lambda r: [(r(1, 2, 4, 4), 2), (r(2, 4, 4), (3, 2), 1, 1, True, False, 5)])
def avg_pool2d(
    F, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of each window of the last two dimensions; padding counts as zeros unless not `count_include_pad`."""
    settings = windows("avg_pool2d", 2, kernel_size, stride, padding)
    return F.avg_pool(input, *settings, ceil_mode, count_include_pad, divisor_override)


face(
    avg_pool2d,
    spaces=("nn.functional",),
    direct=(Direct(ALIKE, "avg_pool", repeated(2, "kernel_size", "padding")),),
    out=True,
    out_same_dtype=True,
)


@composite(samples=lambda r: [(r(1, 2, 4, 4, 2), 2), (r(2, 4, 4, 3), (3, 2, 2), 1, 1, True)])
def avg_pool3d(
    F, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of each window of the last three dimensions; padding counts as zeros unless not `count_include_pad`."""
    settings = windows("avg_pool3d", 3, kernel_size, stride, padding)
    check_mean_dtype(raw_dtype(input), 3)
    return F.avg_pool(input, *settings, ceil_mode, count_include_pad, divisor_override)


face(avg_pool3d, spaces=("nn.functional",), out=True, out_same_dtype=True)


def _adaptive_mean(F, input, size):
    """One box is a mean over everything, in PyTorch too."""
    dims = len(size)
    if set(size) == {1}:
        mean = F.mean(input, tuple(range(-1, -dims - 1, -1)), True)
        layout = suggested_format(input._array if isinstance(input, Tensor) else input)
        # One pixel has both formats: its strides decide.
        return mean if layout is CONTIGUOUS else F.clone(mean, memory_format=layout)
    return F.adaptive_avg_pool(input, size)


@composite(samples=lambda r: [(r(2, 3, 6), 2), (r(3, 6), 4), (r(3, 6), 1)])
def adaptive_avg_pool1d(F, input, output_size):
    """The mean of each of `output_size` windows of the last dimension."""
    check_row("adaptive_avg_pool1d", input)
    size = single("adaptive_avg_pool1d", "output_size", output_size)
    return F.squeeze(_adaptive_mean(F, F.unsqueeze(input, -2), (1, size)), -2)


face(adaptive_avg_pool1d, method=None)


@composite(samples=lambda r: [(r(1, 2, 4, 5), 2), (r(2, 4, 5), (3, None)), (r(2, 4, 5), 1)])
def adaptive_avg_pool2d(F, input, output_size: Ints | int | Sizes):
    """The mean of each of `output_size` windows of the last two dimensions."""
    return _adaptive_mean(F, input, boxes("adaptive_avg_pool2d", output_size, input, 2))


face(adaptive_avg_pool2d, spaces=("nn.functional",))


@composite(samples=lambda r: [(r(1, 2, 4, 5, 3), 2), (r(2, 4, 5, 2), (3, None, 1))])
def adaptive_avg_pool3d(F, input, output_size: Ints | int | Sizes):
    """The mean of each of `output_size` windows of the last three dimensions."""
    return _adaptive_mean(F, input, boxes("adaptive_avg_pool3d", output_size, input, 3))


face(adaptive_avg_pool3d, spaces=("nn.functional",))


# ---- norms


def _norm_of_windows(F, dims, input, norm_type, kernel_size, stride, ceil_mode):
    """The mean of powers, times how many there are, as PyTorch has it."""
    kernel = per_dim(f"lp_pool{dims}d", "kernel_size", kernel_size, dims)
    if norm_type == float("inf"):
        largest = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}[dims]
        return largest(F.abs(input), kernel, stride, 0, 1, ceil_mode)
    mean = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}[dims]
    means = mean(F.pow(input, norm_type), kernel, stride, 0, ceil_mode)
    return F.pow(F.sign(means) * F.relu(F.abs(means)) * math.prod(kernel), 1.0 / norm_type)


@composite(samples=lambda r: [(r.positive(2, 3, 6), 2.0, 2), (r.positive(3, 6), 3.0, 2, 1, True)])
def lp_pool1d(F, input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last dimension."""
    return _norm_of_windows(F, 1, input, norm_type, kernel_size, stride, ceil_mode)


face(lp_pool1d, spaces=("nn.functional",))


@composite(samples=lambda r: [(r.positive(1, 2, 4, 4), 2.0, 2)])
def lp_pool2d(F, input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last two dimensions."""
    return _norm_of_windows(F, 2, input, norm_type, kernel_size, stride, ceil_mode)


face(lp_pool2d, spaces=("nn.functional",))


@composite(samples=lambda r: [(r.positive(1, 2, 4, 4, 2), 2.0, 2)])
def lp_pool3d(F, input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last three dimensions."""
    return _norm_of_windows(F, 3, input, norm_type, kernel_size, stride, ceil_mode)


face(lp_pool3d, spaces=("nn.functional",))
