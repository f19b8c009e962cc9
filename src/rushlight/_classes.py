"""`torch.classes`: classes registered by native libraries. There are none."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from rushlight._ops import ops

__all__ = ["classes"]


class _ClassNamespace(ModuleType):
    """The classes of one namespace."""

    __module__ = "torch._classes"

    def __init__(self, name: str):
        super().__init__(f"torch.classes{name}")
        self.name = name

    def __getattr__(self, attr: str) -> Any:
        raise RuntimeError(
            f"Tried to instantiate class '{self.name}.{attr}', but it does not exist! Ensure that it is registered via "
            "torch::class_"
        )


class _Classes(ModuleType):
    """All namespaces of classes."""

    __module__ = "torch._classes"
    __file__ = "_classes.py"

    def __init__(self) -> None:
        super().__init__("torch.classes")

    def __getattr__(self, name: str) -> _ClassNamespace:
        if name.startswith("__"):  # from Python's own tools, such as inspect.unwrap, which expect this error
            raise AttributeError(f"module 'torch.classes' has no attribute '{name}'")
        namespace = _ClassNamespace(name)
        setattr(self, name, namespace)
        return namespace

    @property
    def loaded_libraries(self) -> set[str]:
        """Returns the native libraries that were loaded."""
        return ops.loaded_libraries

    def load_library(self, path: str | os.PathLike[str]) -> None:
        """Loads a native library. Raises OSError if it cannot be loaded."""
        ops.load_library(path)


classes = _Classes()
