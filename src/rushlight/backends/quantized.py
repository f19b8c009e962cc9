"""`torch.backends.quantized`: engines of quantized tensors: none."""

import sys
from types import ModuleType

__all__ = ["engine", "supported_engines"]

engine = "none"
supported_engines = ["none"]


class Engines(ModuleType):
    """The module: its `engine` can be set to a supported one."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "engine" and value not in supported_engines:
            raise RuntimeError(f"{value} is not a valid value for quantized engine")
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = Engines
