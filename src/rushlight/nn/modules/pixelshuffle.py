"""PyTorch's module for two layers in `shuffle.py`."""

from .shuffle import PixelShuffle, PixelUnshuffle

__all__ = ["PixelShuffle", "PixelUnshuffle"]
