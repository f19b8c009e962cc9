"""Layers that rearrange channels and pixels."""

from rushlight.core.tensor import Tensor

from .. import functional as F
from .module import Module


class PixelShuffle(Module):
    """Rearranges (..., C * r * r, H, W) to (..., C, H * r, W * r) for a factor r (Shi et al., 2016).

    >>> import rushlight as torch
    >>> torch.nn.PixelShuffle(3)(torch.zeros(1, 9, 4, 4)).shape
    torch.Size([1, 1, 12, 12])
    """

    _shown = ("upscale_factor",)

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Module):
    """Rearranges (..., C, H * r, W * r) to (..., C * r * r, H, W) for a factor r: the inverse of `PixelShuffle`."""

    _shown = ("downscale_factor",)

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Module):
    """Interleaves the channel groups of (N, C, ...): the first channels, then the second ones (Zhang et al., 2017)."""

    _shown = ("groups",)

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)
