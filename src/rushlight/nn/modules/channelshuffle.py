"""PyTorch's module for the layer in `shuffle.py`."""

from .shuffle import ChannelShuffle

__all__ = ["ChannelShuffle"]
