"""`functorch.experimental`: names that were not yet stable in the former package functorch."""

from rushlight.func.functionalize import functionalize
from rushlight.func.jacobians import hessian, jacfwd
from rushlight.func.modules import replace_all_batch_norm_modules_
from rushlight.func.tangents import jvp
from rushlight.func.vmap import chunk_vmap

__all__ = ["chunk_vmap", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_"]
