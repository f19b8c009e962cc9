"""`torch._functorch.apis`: an address of `vmap`, `grad` and `grad_and_value`."""

from rushlight.func.reverse import grad, grad_and_value
from rushlight.func.vmap import chunk_vmap, vmap

__all__ = ["chunk_vmap", "grad", "grad_and_value", "vmap"]
