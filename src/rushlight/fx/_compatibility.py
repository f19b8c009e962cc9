"""`torch.fx._compatibility`: the mark of functions that PyTorch promises to keep, which packages put on their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_BACK_COMPAT_OBJECTS: dict[Any, None] = {}
_MARKED_WITH_COMPATIBILITY: dict[Any, None] = {}


def compatibility(is_backward_compatible: bool = False) -> Callable[[T], T]:
    """Returns a decorator that notes whether an object is promised to stay, in its docstring too."""

    def mark(obj: T) -> T:
        note = (
            "Backwards-compatibility for this API is guaranteed."
            if is_backward_compatible
            else "This API is experimental and is *NOT* backward-compatible."
        )
        obj.__doc__ = f"{(obj.__doc__ or '').rstrip()}\n\n.. note::\n    {note}\n"
        _MARKED_WITH_COMPATIBILITY.setdefault(obj)
        if is_backward_compatible:
            _BACK_COMPAT_OBJECTS.setdefault(obj)
        return obj

    return mark
