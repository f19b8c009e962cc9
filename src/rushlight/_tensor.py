"""`torch._tensor`: PyTorch's module of the class Tensor, and of unpickling subclasses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._utils import _set_obj_state
from rushlight.core.tensor import Tensor

__all__ = ["Tensor"]


def _rebuild_from_type(func: Callable, type: type, args: tuple, dict: dict) -> Tensor:
    """Rebuilds a tensor of a subclass with its attributes; `func(*args)` makes the plain tensor."""
    made = func(*args)
    if type is not Tensor:
        made = made.as_subclass(type)
        made.__dict__ = dict
    return made


def _rebuild_from_type_v2(func: Callable, new_type: type, args: tuple, state: Any) -> Tensor:
    """Rebuilds a tensor with a subclass or attributes; `func(*args)` makes the plain tensor."""
    made = func(*args)
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    own = getattr(type(made), "__setstate__", Tensor.__setstate__)
    if own is not Tensor.__setstate__:
        made.__setstate__(state)
        return made
    return made if state is None else _set_obj_state(made, state)
