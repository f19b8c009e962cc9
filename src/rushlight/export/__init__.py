"""`rushlight.export(model, *inputs, path=...)`: a trained model as a file that needs NumPy only.

The module itself is called. What PyTorch has in `torch.export` stands beside the call, as far as it is there.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

__all__: list[str] = []


class CallableModule(ModuleType):
    """A module that is also a function: PyTorch has a module of this name, and rushlight a function."""

    def __call__(self, model: Any, *inputs: Any, path: str | Path) -> Path:
        return import_module(f"{__name__}.numpy_file").export(model, *inputs, path=path)


sys.modules[__name__].__class__ = CallableModule
