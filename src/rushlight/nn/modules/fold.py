"""Sliding blocks as columns, and the reverse."""

from __future__ import annotations

from rushlight.core.annotations import Ints
from rushlight.core.tensor import Tensor

from .. import functional as F
from .module import Module


class Fold(Module):
    """Sums columns into their blocks in images of `output_size`: (N, C * taps, blocks) to (N, C, H, W)."""

    _shown = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, output_size: Ints, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


class Unfold(Module):
    """Extracts the blocks under a sliding kernel as columns: (N, C, H, W) to (N, C * taps, blocks).

    >>> import rushlight as torch
    >>> torch.nn.Unfold(kernel_size=(2, 3))(torch.zeros(2, 5, 3, 4)).shape
    torch.Size([2, 30, 4])
    """

    _shown = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)
