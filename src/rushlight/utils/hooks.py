"""`torch.utils.hooks`: the handle that hook registrations return, and hooks that are not pickled."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from rushlight.core.handle import RemovableHandle
from rushlight.core.tensor import Tensor

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: Callable) -> Callable:
    """Marks a hook that is not pickled with its tensor, without a warning."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: Tensor) -> None:
    """Warns of each unmarked hook of a tensor: it is not pickled with the tensor."""
    hooks = tensor._backward_hooks or {}
    for hook in hooks.values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
