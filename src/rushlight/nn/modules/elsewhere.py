"""Layers at PyTorch's addresses that have a file of their own here, which imports the file of the address."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def finder(module: str, source: str, names: str) -> Callable[[str], Any]:
    """Returns the `__getattr__` of a module that has the `names` of the file `source` too."""
    known = frozenset(names.split())

    def find(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return getattr(import_module(f"rushlight.nn.modules.{source}"), name)

    return find
