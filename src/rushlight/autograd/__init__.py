"""torch.autograd: the engine, hooks, custom functions and grad modes."""

from rushlight.autograd import function, graph
from rushlight.autograd.anomaly import detect_anomaly, set_detect_anomaly
from rushlight.autograd.function import Function
from rushlight.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from rushlight.autograd.gradcheck import gradcheck, gradgradcheck
from rushlight.autograd.gradients import backward, grad
from rushlight.autograd.introspection import SavedTensor
from rushlight.dispatch.legacy import Variable

__all__ = [
    "Function", "SavedTensor", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "grad", "gradcheck",
    "gradgradcheck", "graph", "inference_mode", "is_multithreading_enabled", "no_grad", "set_detect_anomaly",
    "set_grad_enabled", "set_multithreading_enabled",
]  # fmt: skip
