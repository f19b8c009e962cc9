"""torch.autograd: the engine, hooks, custom functions and grad modes."""

from typing import TYPE_CHECKING

from rushlight.create.legacy import Variable

from . import function, graph
from .anomaly import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .gradients import backward, grad
from .introspection import SavedTensor
from .profiler import _profiler_enabled as _profiler_enabled
from .profiler import kineto_available as kineto_available

if TYPE_CHECKING:  # imported on first use
    from . import functional as functional

__all__ = [
    "Function", "SavedTensor", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "grad", "gradcheck",
    "gradgradcheck", "graph", "inference_mode", "is_multithreading_enabled", "no_grad", "set_detect_anomaly",
    "set_grad_enabled", "set_multithreading_enabled",
]  # fmt: skip
