"""`torch.utils._python_dispatch`: functions that packages call to find tensors that wrap other tensors."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import PLAIN_TYPES, Tensor

__all__ = ["is_traceable_wrapper_subclass", "is_traceable_wrapper_subclass_type"]


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor is of a subclass composed of other tensors, which `__tensor_flatten__` returns."""
    return isinstance(t, Tensor) and is_traceable_wrapper_subclass_type(type(t))


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class is a subclass of Tensor with `__tensor_flatten__` and `__tensor_unflatten__`."""
    return (
        issubclass(t, Tensor)
        and t not in PLAIN_TYPES
        and hasattr(t, "__tensor_flatten__")
        and hasattr(t, "__tensor_unflatten__")
    )
