"""Pooling: the largest element or the mean of each window, of a batch (N, C, *size) or of one input (C, *size).

A window's maximum is kept with its position, counted through the pooled dimensions; taking elements at positions and
adding them back there are each other's derivative, as are averaging and spreading.
"""

from __future__ import annotations

import math

from rushlight.arrays.pooling import pooled_size
from rushlight.ops.declare import composite, linear, op
from rushlight.ops.kinds import refuse, scalar_names

COUNTS = {1: "one", 2: "two", 3: "three"}
PLACES = {2: ("H", "W"), 3: ("T", "H", "W")}


# ---- primitives, for two and three dimensions


@op(spaces=(), out=False)
class max_pool:
    """The largest element of each window, and its position."""

    def forward(xp, input: Tensor, kernel_size, stride, padding, dilation, ceil_mode):
        dims = len(kernel_size)
        check_settings(kernel_size, stride, padding, dilation)
        check_rank(f"max_pool{dims}d", input, dims)
        check_extent(input, kernel_size, stride, padding, dilation, ceil_mode)
        refuse(input, "bc", f"max_pool{dims}d")
        return unbatched(
            xp.max_pool(batched(input, dims), kernel_size, stride, padding, dilation, ceil_mode), input, dims
        )

    def d_input(F, g, indices, input_shape, kernel_size):
        return F.put_pooled(g, indices, input_shape, len(kernel_size))

    returns = "out, indices"
    node = "MaxPool2DWithIndicesBackward0 if len(kernel_size) == 2 else MaxPool3DWithIndicesBackward0"
    samples = lambda r: [
        (r.distinct(2, 2, 4, 5), (2, 2), (2, 2), (0, 0), (1, 1), False),
        (r.distinct(1, 2, 4, 5), (3, 2), (1, 2), (1, 1), (1, 2), True),
        (r.distinct(2, 4, 5), (4, 3), (1, 1), (0, 1), (1, 1), False),
        (r.distinct(1, 2, 3, 4, 3), (2, 2, 2), (1, 2, 1), (0, 1, 1), (1, 1, 1), False),
    ]


@op(spaces=(), out=False)
class adaptive_max_pool:
    """The largest element of each of `output_size` even boxes, and its position."""

    def forward(xp, input: Tensor, output_size):
        dims = len(output_size)
        check_adaptive(f"adaptive_max_pool{dims}d", input, dims, channels=True)
        if min(output_size) < 0:
            shape = [*input.shape[:-dims], *output_size]
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(output_size)}: {shape}")
        refuse(input, "biu", "adaptive_max_pool2d" if dims == 2 else "adaptive_max_pool3d_cpu")
        return unbatched(xp.adaptive_max_pool(batched(input, dims), output_size), input, dims)

    def d_input(F, g, indices, input_shape, output_size):
        return F.put_pooled(g, indices, input_shape, len(output_size))

    returns = "out, indices"
    node = "AdaptiveMaxPool2DBackward0 if len(output_size) == 2 else AdaptiveMaxPool3DBackward0"
    samples = lambda r: [
        (r.distinct(2, 2, 4, 5), (2, 3)), (r.distinct(2, 4, 6), (2, 3)), (r.distinct(1, 2, 3, 4, 3), (2, 2, 1)),
    ]  # fmt: skip


@linear(spaces=(), out=False)
class take_pooled:
    """The elements of `input` at positions in its last `dims` dimensions."""

    def forward(xp, input: Tensor, indices: Constant, dims):
        return unbatched(xp.take_pooled(batched(input, dims), batched(indices, dims)), input, dims)

    def d_input(F, g, indices, input_shape, dims):
        return F.put_pooled(g, indices, input_shape, dims)

    samples = lambda r: [(r(2, 3, 4, 4), r.integers(16, 2, 3, 2, 3), 2)]


@linear(spaces=(), out=False)
class put_pooled:
    """Each element of `grad` added at its position in zeros of `shape`."""

    def forward(xp, grad: Tensor, indices: Constant, shape, dims):
        batch = shape if len(shape) == dims + 2 else (1, *shape)
        return xp.max_pool_input(batched(grad, dims), batched(indices, dims), batch).reshape(shape)

    def d_grad(F, g, indices, dims):
        return F.take_pooled(g, indices, dims)

    samples = lambda r: [(r(2, 3, 2, 3), r.integers(16, 2, 3, 2, 3), (2, 3, 4, 4), 2)]


@linear(spaces=(), out=False)
class max_unpool:
    """Zeros of `output_size` with each element of `input` at its position, which pooling has found."""

    def forward(xp, input: Tensor, indices: Constant, output_size):
        dims = len(output_size)
        check_unpool(input, indices, output_size)
        refuse(input, "bc", f"max_unpool{dims}d")
        planes = math.prod(input.shape[:-dims])
        out = xp.zeros_like(input, shape=(planes, math.prod(output_size)))
        xp.put_along_axis(out, indices.reshape(planes, -1), input.reshape(planes, -1), 1)
        return out.reshape(*input.shape[:-dims], *output_size)

    def d_input(F, g, indices, output_size):
        return F.take_pooled(g, indices, len(output_size))

    node = "MaxUnpool2DBackward0 if len(output_size) == 2 else MaxUnpool3DBackward0"
    samples = lambda r: [(r(1, 1, 1, 3), r(1, 1, 1, 3).argsort(), (2, 2))]


@linear(spaces=(), out=False)
class avg_pool:
    """The mean of each window."""

    def forward(xp, input: Tensor, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        dims = len(kernel_size)
        check_settings(kernel_size, stride, padding, (1,) * dims)
        check_rank(f"avg_pool{dims}d", input, dims)
        check_extent(input, kernel_size, stride, padding, (1,) * dims, ceil_mode)
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        refuse(input, "bc", "avg_pool2d" if dims == 2 else "avg_pool3d_out_frame")
        rows = batched(input, dims)
        means = xp.avg_pool(rows, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return unbatched(means, input, dims)

    def d_input(F, g, input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        return F.avg_spread(
            g, input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )

    node = "AvgPool2DBackward0 if len(kernel_size) == 2 else AvgPool3DBackward0"
    samples = lambda r: [
        (r(2, 2, 4, 5), (2, 2), (2, 2), (0, 0), False, True, None),
        (r(2, 4, 5), (3, 2), (1, 2), (1, 1), True, False, None),
        (r(1, 2, 3, 4, 3), (2, 2, 2), (1, 2, 1), (0, 1, 1), True, True, 5),
    ]


@linear(spaces=(), out=False)
class avg_spread:
    """The transpose of `avg_pool`: each element of `grad` spread evenly over its window in a tensor of `shape`."""

    def forward(xp, grad: Tensor, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        dims = len(kernel_size)
        batch = shape if len(shape) == dims + 2 else (1, *shape)
        settings = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        return xp.avg_pool_input(batched(grad, dims), batch, *settings).reshape(shape)

    def d_grad(F, g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        return F.avg_pool(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    samples = lambda r: [(r(2, 2, 2, 2), (2, 2, 4, 5), (2, 2), (2, 2), (0, 0), False, True, None)]


@linear(spaces=(), out=False)
class adaptive_avg_pool:
    """The mean of each of `output_size` even boxes."""

    def forward(xp, input: Tensor, output_size):
        dims = len(output_size)
        check_adaptive(f"adaptive_avg_pool{dims}d", input, dims, channels=False)
        if min(output_size) < 0:
            first, *others = map(str, output_size)
            given = ", ".join([first, ",".join(others)])
            raise RuntimeError(
                f"adaptive_avg_pool{dims}d: elements of output_size must be greater than or equal to 0 but received "
                f"{{{given}}}"
            )
        refuse(input, "biu", "adaptive_avg_pool2d" if dims == 2 else "adaptive_avg_pool3d_cpu")
        return unbatched(xp.adaptive_avg_pool(batched(input, dims), output_size), input, dims)

    def d_input(F, g, input_shape, output_size):
        return F.adaptive_avg_spread(g, input_shape, output_size)

    node = "AdaptiveAvgPool2DBackward0 if len(output_size) == 2 else AdaptiveAvgPool3DBackward0"
    samples = lambda r: [(r(2, 2, 4, 5), (2, 3)), (r(2, 4, 6), (2, 3)), (r(1, 2, 3, 4, 3), (2, 2, 5))]


@linear(spaces=(), out=False)
class adaptive_avg_spread:
    """The transpose of `adaptive_avg_pool`."""

    def forward(xp, grad: Tensor, shape, output_size):
        dims = len(output_size)
        batch = shape if len(shape) == dims + 2 else (1, *shape)
        return xp.adaptive_avg_pool_input(batched(grad, dims), batch).reshape(shape)

    def d_grad(F, g, output_size):
        return F.adaptive_avg_pool(g, output_size)

    samples = lambda r: [(r(2, 2, 2, 3), (2, 2, 4, 5), (2, 3))]


# ---- batches


def batched(array, dims: int):
    """A raw array with a batch dimension before its channels."""
    return array if array.ndim == dims + 2 else array[None]


def unbatched(results, input, dims: int):
    """Results without the batch dimension that the input did not have."""
    if input.ndim == dims + 2:
        return results
    return tuple(each[0] for each in results) if isinstance(results, tuple) else results[0]


# ---- checks


def check_rank(name: str, input, dims: int) -> None:
    """A batch or one input, not empty but for the batch."""
    if input.ndim not in (dims + 1, dims + 2):
        words = "non-empty" if dims == 3 or name.startswith("max") else "Expected"
        raise RuntimeError(f"{words} {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")
    if 0 in input.shape[-dims - 1 :]:
        if dims == 2:
            raise RuntimeError(
                "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
                f"{list(input.shape)}"
            )
        dim = input.shape[-dims - 1 :].index(0)
        raise RuntimeError(
            f"{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{list(input.shape)} and non-batch dimension {dim} has length zero!"
        )


def check_settings(kernel_size, stride, padding, dilation) -> None:
    """Windows advance, and are larger than their padding."""
    if min(stride) == 0:
        raise RuntimeError("stride should not be zero")
    if min(*kernel_size, *stride) < 0:
        raise RuntimeError("kernel size and stride should be greater than zero")
    if min(dilation) <= 0:
        given = " ".join(
            f"dilation{place}: {each}" for place, each in zip(PLACES[len(dilation)], dilation, strict=True)
        )
        raise RuntimeError(f"dilation should be greater than zero, but got {given}")
    for kernel, pad, apart in zip(kernel_size, padding, dilation, strict=True):
        if pad < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
        if pad > ((kernel - 1) * apart + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={kernel} and "
                f"dilation={apart}"
            )


def check_extent(input, kernel_size, stride, padding, dilation, ceil_mode) -> None:
    """There are windows."""
    size = input.shape[-len(kernel_size) :]
    spans = zip(size, kernel_size, stride, padding, dilation, strict=True)
    result = [pooled_size(*each, ceil_mode) for each in spans]
    if min(result) < 1:
        channels = input.shape[-len(kernel_size) - 1]
        given, found = ("x".join(map(str, (channels, *each))) for each in (size, result))
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({found}). Output size is too small")


def check_adaptive(name: str, input, dims: int, *, channels: bool) -> None:
    """A batch or one input, with something in it."""
    if input.ndim not in (dims + 1, dims + 2):
        colon = ":" if channels else ""
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{colon} {list(input.shape)}")
    for dim in range(input.ndim - dims - channels, input.ndim):
        if input.shape[dim] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {dim} being empty"
            )


def check_unpool(input, indices, output_size) -> None:
    """Positions are integers within the result, one for each element."""
    dims = len(output_size)
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Input to max_unpooling{dims}d should be a {dims + 1}d or {dims + 2}d Tensor, but got a tensor with "
            f"{input.ndim} dimensions."
        )
    if indices.dtype.char not in "lq":
        raise RuntimeError(f"elements in indices should be type int64 but got: {scalar_names(indices)[0]}")
    if indices.shape != input.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got indices "
            f"tensor with shape: {list(indices.shape)}"
        )
    count = math.prod(output_size)
    outside = indices[(indices < 0) | (indices >= count)]
    if outside.size:
        size = "x".join(map(str, output_size))
        raise RuntimeError(f"Found an invalid max index: {outside[0]} (output volumes are of size {size})")


# ---- settings


def per_dim(name: str, argument: str, value, dims: int) -> tuple:
    """A setting for each dimension: given once, or one by one."""
    if isinstance(value, int):
        return (value,) * dims
    value = tuple(value)
    if len(value) == dims:
        return value
    if len(value) == 1:
        return value * dims
    rest = "be omitted, a single int, or" if argument == "stride" else "either be a single int, or"
    raise RuntimeError(f"{name}: {argument} must {rest} a tuple of {COUNTS[dims]} ints")


def windows(name: str, dims: int, kernel_size, stride, padding) -> tuple:
    """Kernel, stride (that of the kernel if it is not given) and padding for each dimension."""
    kernel = per_dim(name, "kernel_size", kernel_size, dims)
    steps = kernel if stride is None or stride == () or stride == [] else per_dim(name, "stride", stride, dims)
    return kernel, steps, per_dim(name, "padding", padding, dims)


def boxes(name: str, output_size, input, dims: int) -> tuple:
    """The size of an adaptive pooling's result; None keeps a dimension's."""
    if isinstance(output_size, int):
        return (output_size,) * dims
    output_size = tuple(output_size)
    if len(output_size) >= input.ndim:
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    if len(output_size) != dims:
        words = "(): internal error: output_size.size() must be" if "max" in name else ": output_size must be"
        raise RuntimeError(f"{name}{words} {dims}")
    sizes = input.shape[-dims:]
    return tuple(size if each is None else each for each, size in zip(output_size, sizes, strict=True))


def single(name: str, argument: str, value) -> int:
    """A setting of the one dimension of a pooling in 1-D."""
    if isinstance(value, int):
        return value
    if len(value) != 1:
        raise RuntimeError(f"{name}() argument '{argument}' should contain one int (got {len(value)})")
    return value[0]


def check_row(name: str, input) -> None:
    """The rank of the input of a pooling in 1-D."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' (while "
            f"checking arguments for {name})"
        )


# ---- maxima


def _pooled(F, dims, input, kernel_size, stride, padding, dilation, ceil_mode):
    name = f"max_pool{dims}d"
    kernel, steps, margin = windows(name, dims, kernel_size, stride, padding)
    return F.max_pool(input, kernel, steps, margin, per_dim(name, "dilation", dilation, dims), ceil_mode)


@composite(method=None)
def max_pool1d_with_indices(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last dimension, and its position."""
    check_max_row(input)
    kernel = single("max_pool1d", "kernel_size", kernel_size)
    step = kernel if stride is None or stride == () or stride == [] else single("max_pool1d", "stride", stride)
    padding, dilation = single("max_pool1d", "padding", padding), single("max_pool1d", "dilation", dilation)
    rows = F.unsqueeze(input, -2)
    values, indices = F.max_pool(rows, (1, kernel), (1, step), (0, padding), (1, dilation), ceil_mode)
    return F.squeeze(values, -2), F.squeeze(indices, -2)


def check_max_row(input) -> None:
    """The rank of the input of a maximum pooling in 1-D."""
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )


def check_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode) -> None:
    """What PyTorch checks, in words of its own, before a pooling in 1-D of which it wants no gradient."""
    name = "max_pool1d"
    check_max_row(input)
    for argument, value in (
        ("kernel_size", kernel_size),
        ("stride", stride),
        ("padding", padding),
        ("dilation", dilation),
    ):
        if isinstance(value, (tuple, list)) and len(value) > 1:
            optional = "None, an int, list of ints, or" if argument == "stride" else "an int, list of ints or"
            raise RuntimeError(
                f"{name}() {argument} must be {optional} tuple of ints of size 1 but got size {len(value)}"
            )
    kernel = single(name, "kernel_size", kernel_size)
    step = kernel if stride is None or stride == () or stride == [] else single(name, "stride", stride)
    margin, apart = single(name, "padding", padding), single(name, "dilation", dilation)
    for argument, value in (("kernel_size", kernel), ("stride", step), ("dilation", apart)):
        if value <= 0:
            raise RuntimeError(f"{name}() {argument} must be greater than zero, but got {value}")
    if margin < 0:
        raise RuntimeError(f"{name}() padding must be non-negative, but got {margin}")
    if margin > kernel // 2:
        raise RuntimeError(
            f"{name}() padding should be at most half of kernel size, but got padding={margin} and kernel_size={kernel}"
        )
    count = pooled_size(input.shape[-1], kernel, step, margin, apart, ceil_mode)
    if count <= 0:
        raise RuntimeError(f"{name}() Invalid computed output size: {count}")


@composite(method=None, samples=lambda r: [(r.distinct(2, 3, 6), 2), (r.distinct(3, 6), 3, 1, 1, 2, True)])
def max_pool1d(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last dimension."""
    if not getattr(input, "requires_grad", False):
        check_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)
    return F.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)[0]


@composite(spaces=("nn.functional",))
def max_pool2d_with_indices(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last two dimensions, and its position."""
    return _pooled(F, 2, input, kernel_size, stride, padding, dilation, ceil_mode)


@composite(method=None, samples=lambda r: [(r.distinct(1, 2, 4, 4), 2), (r.distinct(2, 4, 4), (3, 2), 1, 1, 1, True)])
def max_pool2d(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last two dimensions."""
    return _pooled(F, 2, input, kernel_size, stride, padding, dilation, ceil_mode)[0]


@composite(spaces=("nn.functional",))
def max_pool3d_with_indices(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last three dimensions, and its position."""
    return _pooled(F, 3, input, kernel_size, stride, padding, dilation, ceil_mode)


@composite(method=None, samples=lambda r: [(r.distinct(1, 2, 4, 4, 2), 2), (r.distinct(2, 3, 3, 2), (3, 2, 2), 1, 1)])
def max_pool3d(F, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of each window of the last three dimensions."""
    return _pooled(F, 3, input, kernel_size, stride, padding, dilation, ceil_mode)[0]


@composite(method=None, samples=lambda r: [(r.distinct(2, 3, 6), 2)])
def adaptive_max_pool1d(F, input, output_size):
    """The largest element of each of `output_size` windows of the last dimension, and its position."""
    check_row("adaptive_max_pool1d", input)
    check_adaptive("adaptive_max_pool1d", input, 1, channels=True)
    size = single("adaptive_max_pool1d", "output_size", output_size)
    values, indices = F.adaptive_max_pool(F.unsqueeze(input, -2), (1, size))
    return F.squeeze(values, -2), F.squeeze(indices, -2)


@composite(spaces=("nn.functional",), samples=lambda r: [(r.distinct(1, 2, 4, 5), 2), (r.distinct(2, 4, 5), (2, None))])
def adaptive_max_pool2d(F, input, output_size):
    """The largest element of each of `output_size` windows of the last two dimensions, and its position."""
    return F.adaptive_max_pool(input, boxes("adaptive_max_pool2d", output_size, input, 2))


@composite(spaces=("nn.functional",), samples=lambda r: [(r.distinct(1, 2, 4, 5, 3), 2)])
def adaptive_max_pool3d(F, input, output_size):
    """The largest element of each of `output_size` windows of the last three dimensions, and its position."""
    return F.adaptive_max_pool(input, boxes("adaptive_max_pool3d", output_size, input, 3))


# ---- the way back


def _unpool_size(input, dims: int, kernel_size, stride, padding, output_size) -> tuple:
    """The size that the pooled input had, if its windows left no rest; or the one that is asked for, if it may have."""
    kernel, steps, margin = windows(f"max_unpool{dims}d", dims, kernel_size, stride, padding)
    sizes = input.shape[-dims:]
    default = [(n - 1) * s + k - 2 * p for n, k, s, p in zip(sizes, kernel, steps, margin, strict=True)]
    if output_size is None:
        return tuple(default)
    wanted = list(output_size)
    wanted = wanted[2:] if len(wanted) == dims + 2 else wanted
    if len(wanted) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
            f"'{len(wanted)}'"
        )
    for dim, (size, middle, step) in enumerate(zip(wanted, default, steps, strict=True)):
        if not middle - step < size < middle + step:
            raise ValueError(
                f'invalid output_size "{tuple(wanted)}" (dim {dim} must be between {middle - step} and {middle + step})'
            )
    return tuple(wanted)


@composite(spaces=("nn.functional",))
def max_unpool1d(F, input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool1d` had found them."""
    size = _unpool_size(input, 1, kernel_size, stride, padding, output_size)
    return F.squeeze(F.max_unpool(F.unsqueeze(input, -2), F.unsqueeze(indices, -2), (1, *size)), -2)


@composite(spaces=("nn.functional",))
def max_unpool2d(F, input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool2d` had found them."""
    return F.max_unpool(input, indices, _unpool_size(input, 2, kernel_size, stride, padding, output_size))


@composite(spaces=("nn.functional",))
def max_unpool3d(F, input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros, with the elements of `input` where `max_pool3d` had found them."""
    return F.max_unpool(input, indices, _unpool_size(input, 3, kernel_size, stride, padding, output_size))


# ---- means


@composite(method=None, samples=lambda r: [(r(2, 3, 6), 2), (r(3, 6), 3, 1, 1, True, False)])
def avg_pool1d(F, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of the last dimension; padding counts as zeros unless `count_include_pad` is False."""
    check_row("avg_pool1d", input)
    kernel = single("avg_pool1d", "kernel_size", kernel_size)
    step = kernel if stride is None or stride == () or stride == [] else single("avg_pool1d", "stride", stride)
    margin = single("avg_pool1d", "padding", padding)
    rows = F.unsqueeze(input, -2)
    return F.squeeze(F.avg_pool(rows, (1, kernel), (1, step), (0, margin), ceil_mode, count_include_pad, None), -2)


@composite(
    out=True,
    spaces=("nn.functional",),
    samples=lambda r: [(r(1, 2, 4, 4), 2), (r(2, 4, 4), (3, 2), 1, 1, True, False, 5)],
)
def avg_pool2d(
    F, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of each window of the last two dimensions; padding counts as zeros unless not `count_include_pad`."""
    settings = windows("avg_pool2d", 2, kernel_size, stride, padding)
    return F.avg_pool(input, *settings, ceil_mode, count_include_pad, divisor_override)


@composite(
    out=True,
    spaces=("nn.functional",),
    samples=lambda r: [(r(1, 2, 4, 4, 2), 2), (r(2, 4, 4, 3), (3, 2, 2), 1, 1, True)],
)
def avg_pool3d(
    F, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of each window of the last three dimensions; padding counts as zeros unless not `count_include_pad`."""
    settings = windows("avg_pool3d", 3, kernel_size, stride, padding)
    return F.avg_pool(input, *settings, ceil_mode, count_include_pad, divisor_override)


def _adaptive_mean(F, input, size):
    """One box is a mean over everything, in PyTorch too."""
    dims = len(size)
    if set(size) == {1} and input.ndim in (dims + 1, dims + 2) and 0 not in input.shape:
        return F.mean(input, tuple(range(-1, -dims - 1, -1)), True)
    return F.adaptive_avg_pool(input, size)


@composite(method=None, samples=lambda r: [(r(2, 3, 6), 2), (r(3, 6), 4), (r(3, 6), 1)])
def adaptive_avg_pool1d(F, input, output_size):
    """The mean of each of `output_size` windows of the last dimension."""
    check_row("adaptive_avg_pool1d", input)
    size = single("adaptive_avg_pool1d", "output_size", output_size)
    return F.squeeze(_adaptive_mean(F, F.unsqueeze(input, -2), (1, size)), -2)


@composite(spaces=("nn.functional",), samples=lambda r: [(r(1, 2, 4, 5), 2), (r(2, 4, 5), (3, None)), (r(2, 4, 5), 1)])
def adaptive_avg_pool2d(F, input, output_size):
    """The mean of each of `output_size` windows of the last two dimensions."""
    return _adaptive_mean(F, input, boxes("adaptive_avg_pool2d", output_size, input, 2))


@composite(spaces=("nn.functional",), samples=lambda r: [(r(1, 2, 4, 5, 3), 2), (r(2, 4, 5, 2), (3, None, 1))])
def adaptive_avg_pool3d(F, input, output_size):
    """The mean of each of `output_size` windows of the last three dimensions."""
    return _adaptive_mean(F, input, boxes("adaptive_avg_pool3d", output_size, input, 3))


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


@composite(
    spaces=("nn.functional",), samples=lambda r: [(r.positive(2, 3, 6), 2.0, 2), (r.positive(3, 6), 3.0, 2, 1, True)]
)
def lp_pool1d(F, input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last dimension."""
    return _norm_of_windows(F, 1, input, norm_type, kernel_size, stride, ceil_mode)


@composite(spaces=("nn.functional",), samples=lambda r: [(r.positive(1, 2, 4, 4), 2.0, 2)])
def lp_pool2d(F, input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last two dimensions."""
    return _norm_of_windows(F, 2, input, norm_type, kernel_size, stride, ceil_mode)


@composite(spaces=("nn.functional",), samples=lambda r: [(r.positive(1, 2, 4, 4, 2), 2.0, 2)])
def lp_pool3d(F, input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The `norm_type`-norm of each window of the last three dimensions."""
    return _norm_of_windows(F, 3, input, norm_type, kernel_size, stride, ceil_mode)
