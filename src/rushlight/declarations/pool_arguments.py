"""Arguments of poolings: their defaults and checks, with PyTorch's messages."""

from __future__ import annotations

import math
from functools import lru_cache, wraps
from operator import index

from rushlight.arrays.meta import MetaArray
from rushlight.arrays.pooling import pooled_size
from rushlight.arrays.size_limits import LIMIT, check_size_fits
from rushlight.core.dtype import BY_NUMPY, REDUCED_NUMPY
from rushlight.declarations.dtype_rules import raw_dtype, refuse, scalar_names, unimplemented
from rushlight.declarations.shapes import length, one_or_each

COUNTS = {1: "one", 2: "two", 3: "three"}
# A volume without a batch: its channels moved behind its size, and back.
INNERMOST, OUTERMOST = (1, 2, 3, 0), (3, 0, 1, 2)
PLACES = {1: ("W",), 2: ("H", "W"), 3: ("T", "H", "W")}


# ---- batches


def batched(array, dims: int):
    """A raw array with a batch dimension before its channels."""
    return array if array.ndim == dims + 2 else array[None]


def unbatched(xp, result, input, dims: int):
    """The result in the format of the input, without the batch dimension that it did not have."""
    if input.ndim == dims + 2:
        return xp.laid_out_as(input, result)
    if dims == 3 and not input.flags.c_contiguous and input.transpose(INNERMOST).flags.c_contiguous:
        return xp.in_order(result[0].transpose(INNERMOST)).transpose(OUTERMOST)
    return xp.laid_out_as(input, result[0])


def means_unbatched(xp, result, input, dims: int):
    """The same of means, and of adaptive and fractional maxima, which PyTorch gives contiguous in three dimensions."""
    result = unbatched(xp, result, input, dims)
    return xp.in_planes(result) if dims == 3 else result


def meta_result(input, size, dtype=None) -> MetaArray:
    """Returns a result on meta, with `size` instead of the input's."""
    return MetaArray((*input.shape[: input.ndim - len(size)], *size), dtype or input.dtype)


# ---- checks


def check_rank(name: str, input, dims: int) -> None:
    """A batch or one input."""
    if name == "avg_pool2d":
        length(input, -3)
    elif input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")


def check_not_empty(name: str, input, dims: int) -> None:
    """An input that is empty in the batch at most."""
    if input.ndim not in (dims + 1, dims + 2):
        raise no_plane(input)
    if 0 in input.shape[-dims - 1 :]:
        if dims == 2:
            raise no_plane(input)
        dim = input.shape[-dims - 1 :].index(0)
        raise RuntimeError(
            f"{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{list(input.shape)} and non-batch dimension {dim} has length zero!"
        )


def no_plane(input) -> RuntimeError:
    """An input that is no image, nor a batch of them."""
    return RuntimeError(
        f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(input.shape)}"
    )


def check_steps(kernel_size, stride, padding, dilation) -> None:
    """Checks each dimension before its windows are counted, as PyTorch does."""
    for kernel, step, pad, apart in zip(kernel_size, stride, padding, dilation, strict=True):
        if step == 0:
            raise RuntimeError("stride should not be zero")
        if pad < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
        if pad > int(((kernel - 1) * apart + 1) / 2):
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={kernel} and "
                f"dilation={apart}"
            )


def check_windows(kernel_size, stride, dilation) -> None:
    """Windows hold something and advance."""
    indices = PLACES[len(kernel_size)]
    for words, letter, values in (
        ("kernel size", "k", kernel_size), ("stride", "d", stride), ("dilation", "dilation", dilation),
    ):  # fmt: skip
        if min(values) <= 0:
            given = " ".join(f"{letter}{position}: {each}" for position, each in zip(indices, values, strict=True))
            raise RuntimeError(f"{words} should be greater than zero, but got {given}")


def check_margins(kernel_size, padding) -> None:
    """Raises unless padding is at most half of a window, whatever the dilation."""
    if not [pad for kernel, pad in zip(kernel_size, padding, strict=True) if pad > kernel // 2]:
        return
    if len(kernel_size) == 3:
        (kt, kh, kw), (pt, ph, pw) = kernel_size, padding
        given = f"kT: {kt} kW: {kw} kH: {kh} padT: {pt} padW: {pw} padH: {ph}"
    else:
        (kh, kw), (ph, pw) = kernel_size, padding
        given = f"padW = {pw}, padH = {ph}, kW = {kw}, kH = {kh}"
    raise RuntimeError(f"pad should be smaller than or equal to half of kernel size, but got {given}")


def checked_extent(input, kernel_size, stride, padding, dilation, ceil_mode) -> tuple:
    """How many windows each dimension holds. Raises RuntimeError for none."""
    size = input.shape[-len(kernel_size) :]
    spans = zip(size, kernel_size, stride, padding, dilation, strict=True)
    result = [pooled_size(*each, ceil_mode) for each in spans]
    if min(result) < 1:
        channels = input.shape[-len(kernel_size) - 1]
        given, value = ("x".join(map(str, (channels, *each))) for each in (size, result))
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({value}). Output size is too small")
    return tuple(result)


def cached_check(check):
    """Caches a check that passed, by shapes, dtypes and settings."""

    @lru_cache(maxsize=256, typed=True)
    def passed(shape, dtype, *settings):
        return check(MetaArray(shape, dtype), *settings)

    @wraps(check)
    def checked(input, *settings):
        return passed(tuple(input.shape), input.dtype, *settings)

    return checked


@cached_check
def checked_maxima(input, kernel_size, stride, padding, dilation, ceil_mode) -> tuple:
    """The size of a maximum pooling's result."""
    dims = len(kernel_size)
    if kernel_size[0] != 1:  # a row: max_pool1d counts in 64 bits
        check_narrow(kernel_size, stride, padding, dilation)
    check_rank(f"max_pool{dims}d", input, dims)
    check_steps(kernel_size, stride, padding, dilation)
    check_windows(kernel_size, stride, dilation)
    check_not_empty(f"max_pool{dims}d", input, dims)
    check_margins(kernel_size, padding)
    refuse(input, "bc", f"max_pool{dims}d")
    return checked_extent(input, kernel_size, stride, padding, dilation, ceil_mode)


@cached_check
def checked_means(input, kernel_size, stride, padding, ceil_mode, divisor_override) -> tuple:
    """The size of a mean pooling's result."""
    dims = len(kernel_size)
    check_narrow(kernel_size, stride, padding)
    check_rank(f"avg_pool{dims}d", input, dims)
    check_steps(kernel_size, stride, padding, (1,) * dims)
    check_windows(kernel_size, stride, (1,) * dims)
    check_not_empty(f"avg_pool{dims}d", input, dims)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    size = input.shape[-dims:]
    if dims == 3 and any(extent < kernel for extent, kernel in zip(size, kernel_size, strict=True)):
        (time, height, width), (kt, kh, kw) = size, kernel_size
        raise RuntimeError(
            f"input image (T: {time} H: {height} W: {width}) smaller than kernel size (kT: {kt} kH: {kh} kW: {kw})"
        )
    check_mean_dtype(input.dtype, dims)
    return checked_extent(input, kernel_size, stride, padding, (1,) * dims, ceil_mode)


@cached_check
def check_adaptive_maxima(input, output_size) -> None:
    """Raises PyTorch's errors for an adaptive maximum pooling."""
    dims = len(output_size)
    check_adaptive(f"adaptive_max_pool{dims}d", input, dims, channels=True)
    if min(output_size) < 0:
        shape = [*input.shape[:-dims], *output_size]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(output_size)}: {shape}")
    check_size_fits((*input.shape[:-dims], *output_size), input.dtype.itemsize + 8)  # with the positions
    refuse(input, "biuc", "adaptive_max_pool2d" if dims == 2 else "adaptive_max_pool3d_cpu")


@cached_check
def check_adaptive_means(input, output_size) -> None:
    """Raises PyTorch's errors for an adaptive mean pooling."""
    dims = len(output_size)
    check_adaptive(f"adaptive_avg_pool{dims}d", input, dims, channels=False)
    if min(output_size) < 0:
        first, *others = map(str, output_size)
        given = ", ".join([first, ",".join(others)])
        raise RuntimeError(
            f"adaptive_avg_pool{dims}d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{given}}}"
        )
    if math.prod((*input.shape[:-dims], *output_size)) >= LIMIT:
        raise RuntimeError("numel: integer multiplication overflow")
    check_size_fits((*input.shape[:-dims], *output_size), input.dtype.itemsize)
    refuse(input, "biuc", "adaptive_avg_pool2d" if dims == 2 else "adaptive_avg_pool3d_cpu")


def check_adaptive(name: str, input, dims: int, *, channels: bool) -> None:
    """A batch or one input, with something in it."""
    if input.ndim not in (dims + 1, dims + 2):
        colon = ":" if channels else ""
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{colon} {list(input.shape)}")
    for dim in range(1 if channels else input.ndim - dims, input.ndim):
        if input.shape[dim] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {dim} being empty"
            )


def check_adaptive_gradient(name: str, shape, dims: int) -> None:
    """Raises RuntimeError for the gradient of a result without elements."""
    for dim in range(1, len(shape)):
        if shape[dim] == 0:
            raise RuntimeError(
                f"{name}(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has "
                f"sizes {list(shape)} with dimension {dim} being empty"
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


def check_mean_dtype(kind, dims: int) -> None:
    """Raises unless means of windows take the dtype: floating point and int64; in 3-D no half precision."""
    if kind.kind in "buc" or (kind.kind == "i" and kind.itemsize < 8) or (dims == 3 and kind in REDUCED_NUMPY):
        raise unimplemented("avg_pool2d" if dims == 2 else "avg_pool3d_out_frame")(BY_NUMPY[kind])


# ---- settings


def per_dim(name: str, argument: str, value, dims: int) -> tuple:
    """A setting for each dimension: given once, or one by one."""
    if type(value) is int:
        return (value,) * dims
    if type(value) is not tuple or not value or type(value[0]) is not int:
        value = one_or_each(value)
    if len(value) == dims:
        return value
    if len(value) == 1:
        return value * dims
    rest = "be omitted, a single int, or" if argument == "stride" else "either be a single int, or"
    rest = rest.removeprefix("either ") if name == "avg_pool3d" else rest
    raise RuntimeError(f"{name}: {argument} must {rest} a tuple of {COUNTS[dims]} ints")


def fitting(name: str, argument: str, values: tuple) -> tuple:
    """Sizes that fit into 64 bits, all of them. Raises TypeError for others."""
    for at, each in enumerate(values, 1):
        if type(each) is int and not -LIMIT <= each < LIMIT:
            where = f"argument '{argument}' failed to unpack the object at pos {at}"
            raise TypeError(f'{name}(): {where} with error "Overflow when unpacking long long"')
    return values


def check_narrow(*settings: tuple) -> None:
    """Raises RuntimeError for a setting of windows of more than 32 bits, in which PyTorch counts there."""
    for each in settings:
        if max(each) >= 1 << 31 or min(each) < -(1 << 31):
            raise RuntimeError("value cannot be converted to type int without overflow")


def windows(name: str, dims: int, kernel_size, stride, padding) -> tuple:
    """Kernel, stride (that of the kernel if it is not given) and padding for each dimension."""
    kernel = per_dim(name, "kernel_size", kernel_size, dims)
    steps = kernel if stride is None or is_left_out(stride) else per_dim(name, "stride", stride, dims)
    return kernel, steps, per_dim(name, "padding", padding, dims)


def boxes(name: str, output_size, input, dims: int) -> tuple:
    """The size of an adaptive pooling's result; None keeps a dimension's."""
    if not isinstance(output_size, (tuple, list)):
        return fitting(name, "output_size", (index(output_size),) * dims)
    output_size = fitting(name, "output_size", tuple(output_size))
    if len(output_size) >= input.ndim:
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    if len(output_size) != dims:
        words = "(): internal error: output_size.size() must be" if "max" in name else ": output_size must be"
        raise RuntimeError(f"{name}{words} {dims}")
    sizes = input.shape[-dims:]
    return tuple(size if each is None else each for each, size in zip(output_size, sizes, strict=True))


def is_left_out(stride) -> bool:
    """Whether the stride is to be the size of the window."""
    return isinstance(stride, (tuple, list)) and not stride


def single(name: str, argument: str, value) -> int:
    """A setting of the one dimension of a pooling in 1-D."""
    value = one_or_each(value)
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


def check_max_row(input) -> None:
    """The rank of the input of a maximum pooling in 1-D."""
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )


def check_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode) -> tuple:
    """Checks the arguments of a pooling in 1-D, with messages of its own.

    Returns kernel, stride, padding and dilation, each as one integer.
    """
    name = "max_pool1d"
    check_max_row(input)
    if (kind := raw_dtype(input)).kind in "biuc":
        raise unimplemented("max_pool1d_impl")(BY_NUMPY[kind])
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
    step = kernel if stride is None or is_left_out(stride) else single(name, "stride", stride)
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
    return kernel, step, margin, apart


def unpool_size(input, dims: int, kernel_size, stride, padding, output_size) -> tuple:
    """Returns the size of the pooled input if its windows left no rest; or the requested size, if it is possible."""
    kernel, steps, margin = windows(f"max_unpool{dims}d", dims, kernel_size, stride, padding)
    sizes = input.shape[-dims:]
    default = [(n - 1) * s + k - 2 * p for n, k, s, p in zip(sizes, kernel, steps, margin, strict=True)]
    if output_size is None:
        return counted(dims, tuple(default))
    wanted = output_size[2:] if len(output_size) == dims + 2 else output_size
    if len(wanted) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
            f"'{len(wanted)}'"
        )
    for dim, (size, middle, step) in enumerate(zip(wanted, default, steps, strict=True)):
        if not middle - step < size < middle + step:
            raise ValueError(
                f'invalid output_size "{wanted}" (dim {dim} must be between {middle - step} and {middle + step})'
            )
    return counted(dims, tuple(wanted))


def counted(dims: int, size: tuple) -> tuple:
    """A size that an unpooling can have."""
    for dim, each in enumerate(size):
        if each < 0:
            words = "output_size must contain non-negative spatial dimensions"
            raise ValueError(f"max_unpooling: {words}, but got output_size[{dim}]={each}")
    return fitting(f"max_unpool{dims}d", "output_size", size)
