"""`torch.nn`: layers, losses, and what they are made of."""

from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .modules import __all__ as module_names
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    *module_names, "Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "functional", "init",
    "modules", "parameter", "utils",
]  # fmt: skip
