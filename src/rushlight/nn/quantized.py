"""`torch.nn.quantized`: names of layers that cannot be created, see `unquantized.py`."""

import sys

from .modules.pooling import MaxPool2d as MaxPool2d  # PyTorch exports the floating-point layer
from .unquantized import layers

__all__ = list(made := layers("quantized"))
globals().update(made)
modules = sys.modules[f"{__name__}.modules"] = sys.modules[__name__]
