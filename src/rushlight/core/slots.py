"""Slots that subclasses of Tensor add: objects of such a class have another layout in memory than tensors."""

from __future__ import annotations

import copyreg
from typing import Any

from rushlight.core.graph import Leaf
from rushlight.core.tables import objects


def own_slots(kind: type, base: type) -> tuple[str, ...]:
    """Returns the names of the slots that a class, or another base of it, adds to those of `base`."""
    names = copyreg._slotnames(kind)  # type: ignore[attr-defined]
    return tuple([name for name in names if name not in vars(base)["__slots__"]])


def in_class(kind: type, tensor: Any) -> Any:
    """Returns a plain tensor that nothing else refers to as one of a subclass: the object itself, or a new one."""
    try:
        tensor.__class__ = kind
        return tensor
    except TypeError:  # the class has slots
        moved = objects.instance(kind)
    for name in type(tensor).__slots__:
        if hasattr(tensor, name):
            setattr(moved, name, getattr(tensor, name))
    vars(moved).update(vars(tensor))
    if isinstance(tensor._edge, Leaf):
        tensor._edge.hold(moved)
    return moved
