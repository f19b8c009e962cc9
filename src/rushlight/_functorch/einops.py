"""`torch._functorch.einops`: an address of `rearrange`."""

from rushlight.func.rearranging import rearrange

__all__ = ["rearrange"]
