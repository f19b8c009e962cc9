"""`torch._VF`: functions of the root, under PyTorch's module of compiled ones."""

from __future__ import annotations

from typing import Any

import rushlight._generated.functions as F


def __getattr__(name: str) -> Any:
    """Returns the function of a name. Raises AttributeError if there is none."""
    if hasattr(F, name) and not name.startswith("__"):
        return getattr(F, name)
    raise AttributeError(f"module 'torch._VF' has no attribute {name!r}")
