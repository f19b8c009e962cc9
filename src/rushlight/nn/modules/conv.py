"""Convolutions as layers."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.annotations import Device, Dtype, Ints
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.filled import empty

from .. import functional as F
from .elsewhere import finder
from .linear import reset_weight_and_bias
from .module import Module, pair
from .utils import _ntuple

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """Base of convolutions: weight (out_channels, in_channels / groups, *kernel_size), bias, settings.

    `padding` may be "valid", "same" or integers; a `padding_mode` other than "zeros" pads before the convolution.
    """

    _rank: int
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints | str = 0,
        dilation: Ints = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        as_tuple = _ntuple(self._rank)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = as_tuple(kernel_size)
        self.stride = as_tuple(stride)
        self.padding = padding if isinstance(padding, str) else as_tuple(padding)
        self.dilation = as_tuple(dilation)
        self.transposed = type(self).transposed  # of the layer itself: PyTorch reads it from a checkpoint
        self.output_padding = as_tuple(0)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_settings()
        sides = self._sides()
        self._reversed_padding_repeated_twice = sides if isinstance(padding, str) else tuple(sides)
        self.weight = Parameter(empty(self._weight_shape(), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def _check_settings(self):
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(self.padding, str) and self.padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'same', 'valid'}}")
        if self.padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {set(PADDING_MODES)}, but got padding_mode='{self.padding_mode}'"
            )

    def _sides(self):
        """Returns the padding before and after each dimension, the last dimension first, as arguments of `pad`."""
        if self.padding == "valid":
            return [0, 0] * self._rank
        if self.padding != "same":
            return [side for width in reversed(self.padding) for side in (width, width)]
        totals = [step * (size - 1) for step, size in zip(self.dilation, self.kernel_size, strict=True)]
        return [side for total in reversed(totals) for side in (total // 2, total - total // 2)]

    def _weight_shape(self):
        return self.out_channels, self.in_channels // self.groups, *self.kernel_size

    def reset_parameters(self) -> None:
        """Draws weight and bias again, uniformly within one over the square root of the fan-in."""
        reset_weight_and_bias(self)

    def extra_repr(self) -> str:
        shown = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}",
            f"padding={self.padding}" if self.padding != (0,) * self._rank else None,
            f"dilation={self.dilation}" if self.dilation != (1,) * self._rank else None,
            f"output_padding={self.output_padding}" if self.output_padding != (0,) * self._rank else None,
            f"groups={self.groups}" if self.groups != 1 else None,
            "bias=False" if self.bias is None else None,
            f"padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else None,
        ]
        return ", ".join(part for part in shown if part)

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._rank
        return self._convolution(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, *pair(self, "_parameters", "weight", "bias"))


class Conv1d(_ConvNd):
    """Convolves (N, C, L) or (C, L) with a kernel."""

    _rank = 1
    _convolution = staticmethod(F.conv1d)


class Conv2d(_ConvNd):
    """Convolves (N, C, H, W) or (C, H, W) with a kernel.

    >>> import rushlight as torch
    >>> torch.nn.Conv2d(1, 8, 3, padding="same")(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 8, 28, 28])
    """

    _rank = 2
    _convolution = staticmethod(F.conv2d)


class Conv3d(_ConvNd):
    """Convolves (N, C, D, H, W) or (C, D, H, W) with a kernel."""

    _rank = 3
    _convolution = staticmethod(F.conv3d)


class _ConvTransposeNd(_ConvNd):
    """Base of transposed convolutions: weight (in_channels, out_channels / groups, *kernel_size).

    `output_padding` extends the result at one end; a call may pass `output_size` instead.
    """

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Ints = 1,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, "zeros", device, dtype
        )
        self.output_padding = _ntuple(self._rank)(output_padding)

    def _weight_shape(self):
        return self.in_channels, self.out_channels // self.groups, *self.kernel_size

    def _output_padding(self, input, output_size):
        if output_size is None:
            return self.output_padding
        before = 2 if input.dim() == self._rank + 2 else 1
        sizes = output_size[before:] if len(output_size) == before + self._rank else output_size
        if len(sizes) != self._rank:
            raise ValueError(
                f"ConvTranspose{self._rank}D: for {input.dim()}D input, output_size must have {self._rank} or "
                f"{before + self._rank} elements (got {len(sizes)})"
            )
        settings = zip(input.shape[before:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        least = [(n - 1) * step - 2 * pad + apart * (size - 1) + 1 for n, step, pad, apart, size in settings]
        most = [size + step - 1 for size, step in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(least, sizes, most, strict=True)):
            raise ValueError(
                f"requested an output size of {sizes}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.size()[2:]})"
            )
        return [size - low for size, low in zip(sizes, least, strict=True)]

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        output_padding = self._output_padding(input, output_size)
        weight, bias = pair(self, "_parameters", "weight", "bias")
        return self._convolution(
            input, weight, bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of `Conv1d` with respect to its input, as a layer: (N, C, L) or (C, L)."""

    _rank = 1
    _convolution = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of `Conv2d` with respect to its input, as a layer: (N, C, H, W) or (C, H, W).

    >>> import rushlight as torch
    >>> torch.nn.ConvTranspose2d(3, 1, 4, stride=2, padding=1)(torch.zeros(1, 3, 8, 8)).shape
    torch.Size([1, 1, 16, 16])
    """

    _rank = 2
    _convolution = staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_ConvTransposeNd):
    """The gradient of `Conv3d` with respect to its input, as a layer: (N, C, D, H, W) or (C, D, H, W)."""

    _rank = 3
    _convolution = staticmethod(F.conv_transpose3d)


__getattr__ = finder(
    __name__, "lazy", "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"
)
