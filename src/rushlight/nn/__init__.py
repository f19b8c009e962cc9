"""`torch.nn`: layers, losses and functions, and their building blocks."""

from . import attention, functional, grad, init, modules, parallel, parameter, qat, quantizable, quantized, utils
from .modules import *  # noqa: F403
from .modules import __all__ as module_names
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

functional.grad = grad  # type: ignore[attr-defined]  # where PyTorch shows it too

__all__ = [
    *module_names, "Buffer", "DataParallel", "Parameter", "UninitializedBuffer", "UninitializedParameter",
    "attention", "functional", "grad", "init", "modules", "parallel", "parameter", "qat", "quantizable", "quantized",
    "utils",
]  # fmt: skip
