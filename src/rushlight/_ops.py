"""`torch.ops`: every operator by its name, `torch.ops.namespace.name.overload`."""

from __future__ import annotations

import ctypes
import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from rushlight._library import registry
from rushlight._library.overloads import OpOverload, OpOverloadPacket, find_packet

__all__ = ["OpOverload", "OpOverloadPacket", "ops"]

# Native libraries whose operators are built in: folder, start of the file name, and namespace.
REPLACED = {("torchvision", "_C"): "torchvision"}


class _OpNamespace(ModuleType):
    """The operators of one namespace."""

    __module__ = "torch._ops"

    def __init__(self, name: str):
        super().__init__(f"torch.ops.{name}")
        self.name = name
        self._dir: list[str] = []

    __file__ = "torch.ops"

    def __getattr__(self, op_name: str) -> Any:
        if op_name in ("__origin__", "__self__"):
            raise AttributeError(f"Invalid attribute '{op_name}' for '_OpNamespace' '{self.name}'")
        if not registry.overloads(f"{self.name}::{op_name}"):
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{op_name}'")
        if op_name not in self._dir:
            self._dir.append(op_name)
        packet = find_packet(f"{self.name}::{op_name}")
        setattr(self, op_name, packet)
        return packet

    def __iter__(self) -> Iterator[str]:
        return iter(self._dir)

    def __dir__(self) -> list[str]:
        beginning = f"{self.name}::"
        names = (*registry.OPERATORS, *registry.LAZY)
        ours = [name.removeprefix(beginning) for name in names if name.startswith(beginning)]
        return [*super().__dir__(), *ours]


class _Ops(ModuleType):
    """All namespaces. An unknown one is created when named, since programs name namespaces before they define them."""

    __module__ = "torch._ops"
    __file__ = "_ops.py"

    def __init__(self) -> None:
        super().__init__("torch.ops")
        self.loaded_libraries: set[str] = set()
        self._dir: list[str] = []

    def __getattr__(self, name: str) -> _OpNamespace:
        if name.startswith("__"):
            raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
        registry.load(name)
        namespace = _OpNamespace(name)
        setattr(self, name, namespace)
        self._dir.append(name)
        return namespace

    def __iter__(self) -> Iterator[str]:
        return iter(self._dir)

    def import_module(self, module: str) -> None:
        """Imports a module that defines operators."""
        importlib.import_module(module)

    def load_library(self, path: str | os.PathLike[str]) -> None:
        """Loads a native library that registers operators. Raises OSError if it cannot be loaded.

        A library whose operators are built in is not loaded.
        """
        path = os.path.realpath(os.fspath(path))
        if not self._replaced(path):
            try:
                ctypes.CDLL(path)
            except OSError as error:
                raise OSError(f"Could not load this library: {path}") from error
        self.loaded_libraries.add(path)

    def _replaced(self, path: str) -> bool:
        file = Path(path)
        namespace = REPLACED.get((file.parent.name, file.name.partition(".")[0]))
        if namespace is None or not file.exists():
            return False
        getattr(self, namespace)
        return True


def forget(name: str) -> None:
    """Removes an operator from its namespace after its last overload is gone."""
    namespace, _, op_name = name.partition("::")
    holder = vars(ops).get(namespace)
    if holder is not None and not registry.overloads(name):
        vars(holder).pop(op_name, None)


ops = _Ops()
registry.FORGETTING.append(forget)
