"""Casts the tensors in the arguments of a call."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor

__all__ = ["cast"]


def cast(value: Any, dtype: Any) -> Any:
    """Casts the floating-point tensors in lists, tuples and dicts."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(cast(each, dtype) for each in value))
    if isinstance(value, list | tuple):
        return type(value)(cast(each, dtype) for each in value)
    return {name: cast(each, dtype) for name, each in value.items()} if isinstance(value, dict) else value
