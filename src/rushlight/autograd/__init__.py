"""torch.autograd: the engine, hooks, custom functions and grad modes."""

from rushlight.autograd import graph
from rushlight.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from rushlight.autograd.gradients import backward, grad
from rushlight.dispatch.legacy import Variable

__all__ = [
    "Variable", "backward", "enable_grad", "grad", "graph", "inference_mode", "no_grad", "set_grad_enabled",
]  # fmt: skip
