"""Checks of `conv.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY, int64
from rushlight.core.errors import noted
from rushlight.declarations.dtype_rules import cpp_names, raw_dtype, scalar_names, unimplemented


def check_settings(stride, padding, dilation, output_padding, *, transposed: bool) -> None:
    """Strides and dilations advance, paddings do not cut."""
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero{_got(dilation, transposed=transposed)}")


def _got(dilation, *, transposed: bool) -> str:
    """What PyTorch says of a dilation of 0; it takes a line for an image of one row."""
    if min(dilation) < 0:
        return ""
    values = [1] * (len(dilation) == 1) + list(dilation)
    if not transposed:
        return f", but got {values}"
    names = ("depth", "height", "width")[-len(values) :]
    return f", but got {', '.join(f'dilation_{name}: {each}' for name, each in zip(names, values, strict=True))}"


def check_weight(input, weight, groups: int, *, transposed: bool) -> None:
    """The weight fits the input's rank and channels."""
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    shape = list(weight.shape)
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if weight.ndim != input.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight {shape}, but got "
            f"{input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    if shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{shape} instead"
        )
    if shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{shape}] instead"
        )
    channels = shape[0] if transposed else shape[1] * groups
    if input.shape[1] != channels:
        given = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {shape}, expected input{list(input.shape)} to have {channels} channels, "
            f"but got {input.shape[1]} channels instead"
        )


def check_bias(weight, bias, groups: int, *, transposed: bool) -> None:
    """The bias has an element for each output channel."""
    channels = weight.shape[1] * groups if transposed else weight.shape[0]
    if bias is not None and bias.shape != (channels,):
        given = "Given transposed=1, weight" if transposed else "Given weight"
        raise RuntimeError(
            f"{given} of size {list(weight.shape)}, expected bias to be 1-dimensional with {channels} elements, but "
            f"got bias of size {list(bias.shape)} instead"
        )


def check_dtypes(input, weight, bias, *, transposed: bool) -> None:
    """One dtype for all, and one that the kernels know."""
    dtype = BY_NUMPY[input.dtype]
    words = None
    if bias is not None and bias.dtype != input.dtype:
        words = "Input type ({}) and bias type ({}) should be the same".format(*cpp_names(input, bias))
    elif weight.dtype != input.dtype:
        words = "expected scalar type {} but found {}".format(*scalar_names(input, weight))
    if words is not None:
        raise noted(
            RuntimeError(words),
            "Convolutions do not promote dtypes: convert input, weight and bias to one dtype, x.to(dtype).",
        )
    spatial = input.ndim - 2
    if dtype.category == 0 or (transposed and dtype.category == 1 and dtype is not int64):
        names = ("slow_conv_transpose2d_out_cpu",) if transposed else ("slow_conv2d_cpu", "compute_columns3d")
        raise unimplemented(names[-1] if spatial == 3 else names[0])(dtype)


def check_output_padding(output_padding, stride, dilation) -> None:
    """Extra rows of a transposed convolution are fewer than a step."""
    spans = zip(output_padding, stride, dilation, strict=True)
    if any(extra >= step and extra >= apart for extra, step, apart in spans):
        indices = ("depth", "height", "width")[-len(stride) :]
        settings = (("output_padding", output_padding), ("stride", stride), ("dilation", dilation))
        texts = [
            f"{name}_{position}: {n}" for name, each in settings for position, n in zip(indices, each, strict=True)
        ]
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(texts)}")


def check_extent(input, weight, padding, dilation) -> None:
    """The kernel fits into the padded input."""
    size = [n + 2 * p for n, p in zip(input.shape[2:], padding, strict=True)]
    kernel = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)]
    if min(weight.shape[2:]) == 0:
        raise RuntimeError(f"kernel size should be greater than zero, but got weight of size {list(weight.shape)}")
    if any(n < k for n, k in zip(size, kernel, strict=True)) or min(input.shape[2:]) == 0:
        raise noted(
            RuntimeError(
                f"Calculated padded input size per channel: ({' x '.join(map(str, size))}). Kernel size: "
                f"({' x '.join(map(str, kernel))}). Kernel size can't be greater than actual input size"
            ),
            "Make the input larger, the kernel or its dilation smaller, or pad the input: padding=...",
        )


def check_time_first(input, weight, bias) -> None:
    """Ranks and channels that go together, in PyTorch's words."""
    if input.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.shape[2] != bias.shape[0]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")


def check_convolution_dtype(input, transposed) -> None:
    if raw_dtype(input).kind == "c":
        raise unimplemented("slow_conv_transpose2d_out_cpu" if transposed else "slow_conv2d_cpu")(
            BY_NUMPY[raw_dtype(input)]
        )
