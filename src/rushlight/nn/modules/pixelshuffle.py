"""PyTorch's address of two layers that shuffle."""

from .shuffle import PixelShuffle, PixelUnshuffle

__all__ = ["PixelShuffle", "PixelUnshuffle"]
