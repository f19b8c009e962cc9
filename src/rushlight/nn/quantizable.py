"""`torch.nn.quantizable`: names of layers that cannot be created, see `unquantized.py`."""

import sys

from .unquantized import layers

__all__ = list(made := layers("quantizable"))
globals().update(made)
modules = sys.modules[f"{__name__}.modules"] = sys.modules[__name__]
