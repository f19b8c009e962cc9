"""Swaps two tensors: `torch.utils.swap_tensors`."""

from __future__ import annotations

import copyreg
import weakref

from rushlight.core.graph import Leaf
from rushlight.core.tensor import Tensor


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Swaps everything of two tensors: class, values, history, gradient and attributes. The objects stay.

    References to one tensor then see the other's contents. Raises RuntimeError if there are weak references to one, or
    their classes have different slots.

    >>> import rushlight as torch
    >>> a, b = torch.ones(2), torch.nn.Parameter(torch.zeros(1))
    >>> torch.utils.swap_tensors(a, b)
    >>> b
    tensor([1., 1.])
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        own = tensor._edge._variable if isinstance(tensor._edge, Leaf) else None
        if any(reference is not own for reference in weakref.getweakrefs(tensor)):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    if _own_slots(t1) != _own_slots(t2):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name in (*Tensor.__slots__, *_own_slots(t1)):
        first, second = _value(t1, name), _value(t2, name)
        _set(t1, name, second)
        _set(t2, name, first)
    for tensor in (t1, t2):
        if isinstance(tensor._edge, Leaf):
            tensor._edge.hold(tensor)


ABSENT = object()


def _own_slots(tensor: Tensor) -> set[str]:
    return {*copyreg._slotnames(type(tensor))} - {*Tensor.__slots__}  # type: ignore[attr-defined]


def _value(tensor: Tensor, name: str):
    return getattr(tensor, name, ABSENT)


def _set(tensor: Tensor, name: str, value) -> None:
    if value is not ABSENT:
        setattr(tensor, name, value)
    elif hasattr(tensor, name):
        delattr(tensor, name)
