"""`torch.export`: a module as a graph of aten's operators. The module is callable too, which PyTorch's is not:
`rushlight.export(model, *inputs, path=...)` writes a trained model as a file that needs only NumPy.

https://docs.pytorch.org/docs/stable/export.html
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

# Names that are imported at their first use, from these modules.
NAMES = {
    "decompositions": "default_decompositions",
    "dimensions": "Dim dims",
    "exported_program": "ExportedProgram",
    "graph_signature": "ConstantArgument ExportGraphSignature InputKind InputSpec OutputKind OutputSpec SymIntArgument "
    "TensorArgument",
    "programs": "export",
    "saving": "load save",
}
MODULE_OF = {name: module for module, names in NAMES.items() for name in names.split()}

__all__ = sorted(MODULE_OF)  # noqa: PLE0605


class CallableModule(ModuleType):
    """A callable module: `export` is a module in PyTorch, and a function in rushlight."""

    def __call__(self, model: Any, *inputs: Any, path: str | Path) -> Path:
        return import_module(f"{__name__}.numpy_file").export(model, *inputs, path=path)


def __getattr__(name: str) -> Any:
    if name not in MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{MODULE_OF[name]}"), name)
    setattr(sys.modules[__name__], name, value)
    return value


def register_dataclass(cls: type, *, serialized_type_name: str | None = None) -> None:
    """Makes a dataclass a structure that arguments and results of a program may have."""
    import_module("rushlight.utils._pytree").register_dataclass(cls)


sys.modules[__name__].__class__ = CallableModule
