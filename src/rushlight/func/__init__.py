"""`torch.func`: functions of functions. Derivatives, batches, and modules as functions of their parameters.

See https://docs.pytorch.org/docs/stable/func.html.
"""

from rushlight.func.functionalize import debug_unwrap, functionalize
from rushlight.func.jacobians import hessian, jacfwd, jacrev
from rushlight.func.modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from rushlight.func.rearranging import rearrange
from rushlight.func.reverse import grad, grad_and_value, vjp
from rushlight.func.tangents import jvp, linearize
from rushlight.func.taylor import jet as jet
from rushlight.func.vmap import vmap

__all__ = [
    "grad", "grad_and_value", "vmap", "replace_all_batch_norm_modules_", "functionalize", "hessian", "jacfwd", "jacrev",
    "jvp", "linearize", "rearrange", "vjp", "functional_call", "stack_module_state", "debug_unwrap",
]  # fmt: skip  # noqa: RUF022  # PyTorch's order
