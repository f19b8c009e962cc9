"""`rushlight.export(model, *inputs, path=...)`: writes a trained model as a file that needs only NumPy.

The module is callable. It also has the implemented names of PyTorch's `torch.export`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

__all__: list[str] = []


class CallableModule(ModuleType):
    """A callable module: `export` is a module in PyTorch, and a function in rushlight."""

    def __call__(self, model: Any, *inputs: Any, path: str | Path) -> Path:
        return import_module(f"{__name__}.numpy_file").export(model, *inputs, path=path)


sys.modules[__name__].__class__ = CallableModule
