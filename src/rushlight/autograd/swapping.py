"""Swaps two tensors: `torch.utils.swap_tensors`."""

from __future__ import annotations

import weakref
from functools import partial

from rushlight.core.errors import noted
from rushlight.core.graph import Leaf, leaf_of, watch
from rushlight.core.slots import own_slots
from rushlight.core.tensor import SWAPPED, Tensor


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
        if any(not _is_own(reference, tensor) for reference in weakref.getweakrefs(tensor)):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    if own_slots(type(t1), Tensor) != own_slots(type(t2), Tensor):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name in (*Tensor.__slots__, *own_slots(type(t1), Tensor)):
        first, second = getattr(t1, name, ABSENT), getattr(t2, name, ABSENT)
        _set(t1, name, second)
        _set(t2, name, first)
    for tensor in (t1, t2):
        if isinstance(tensor._edge, Leaf):
            tensor._edge = _fresh_leaf(tensor._edge, tensor)
    first, second = _contents(t1), _contents(t2)
    _set_contents(t1, second)
    _set_contents(t2, first)


ABSENT = object()
POISONED = (
    "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
    "backward on a tensor that was swapped."
)


def _fresh_leaf(old: Leaf, tensor: Tensor) -> Leaf:
    """Returns a leaf with the gradient and the hooks of another, in which no backward pass may end from now on."""
    leaf = leaf_of(tensor)
    for name in ("grad", "grad_dtype", "tensor_hooks", "post_accumulate_hooks", "pre_hooks", "post_hooks"):
        setattr(leaf, name, getattr(old, name))
    if old.hooked:
        watch(leaf)
    old.pre_hooks, old.grad = None, None
    old.register_prehook(_refuse)
    return leaf


def _refuse(gradients: tuple) -> None:
    raise noted(
        RuntimeError(POISONED),
        "Between forward and backward, do not convert or load a module whose parameters are swapped: do it before "
        "the forward pass or after the backward pass.",
    )


def _is_own(reference: weakref.ref, tensor: Tensor) -> bool:
    """Whether a weak reference to a tensor is not a program's: its leaf, `SWAPPED` and a wrapper have one."""
    known = [SWAPPED.get(id(tensor), (None,))[0], getattr(tensor._array, "owner", None)]
    known += [tensor._edge._variable] if isinstance(tensor._edge, Leaf) else []
    return any([reference is each for each in known])


def _contents(tensor: Tensor) -> object:
    """Returns the object that moves with the contents of a tensor; a new one, if they were never swapped."""
    return SWAPPED[id(tensor)][1] if id(tensor) in SWAPPED else object()


def _set_contents(tensor: Tensor, contents: object) -> None:
    if hasattr(tensor._array, "owner"):
        tensor._array.owner = weakref.ref(tensor)
    SWAPPED[id(tensor)] = weakref.ref(tensor, partial(SWAPPED.pop, id(tensor))), contents


def _set(tensor: Tensor, name: str, value) -> None:
    if value is not ABSENT:
        setattr(tensor, name, value)
    elif hasattr(tensor, name):
        delattr(tensor, name)
