"""PyTorch's address of a layer that shuffles."""

from .shuffle import ChannelShuffle

__all__ = ["ChannelShuffle"]
