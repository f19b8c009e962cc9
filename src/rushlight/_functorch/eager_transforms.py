"""`torch._functorch.eager_transforms`: an address of derivatives and of `functionalize`."""

from rushlight.func.argnums import selected_tuple as _slice_argnums  # noqa: F401
from rushlight.func.functionalize import debug_unwrap, functionalize
from rushlight.func.jacobians import hessian, jacfwd, jacrev
from rushlight.func.reverse import grad, grad_and_value, vjp
from rushlight.func.tangents import jvp, linearize

__all__ = [
    "debug_unwrap", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp",
]  # fmt: skip
