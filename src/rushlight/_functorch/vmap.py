"""`torch._functorch.vmap`: an address of `vmap`."""

from rushlight.func.vmap import vmap

__all__ = ["vmap"]
