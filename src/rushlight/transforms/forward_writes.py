"""Writes in forward mode: a tangent is written with the elements, and a tensor that a dual is written to becomes dual.

p = torch.zeros(3)
v = p[1:]
v.copy_(d)          p and v have tangents from here on, until the level ends
"""

from __future__ import annotations

import gc
import weakref
from functools import partial

import rushlight._generated.functions as F
from rushlight.core.modes import following
from rushlight.core.tensor import Tensor, look_at
from rushlight.core.traced import DualArray, is_batched
from rushlight.transforms.forward import laid_like

SLOTS = ("_array", "_meta_key", "_base", "_edge", "_generation", "_store")


def write(level, tensor: Tensor, source: Tensor) -> None:
    """Writes the elements and tangents of `source` to `tensor`, of which one is of the level."""
    value, tangent = source, None
    if is_dual(level, source):
        value, tangent = source._array.value, source._array.tangent
    if not following():
        (tensor._array.value if is_dual(level, tensor) else tensor).copy_(value)
        return
    if not is_dual(level, tensor):
        if tangent is None:
            tensor.copy_(value)
            return
        become_dual(level, tensor)
    target = tensor._array
    target.value.copy_(value)
    if target.tangent is None:
        if tangent is None:
            return
        give_tangent(target, tangent)
    elif not is_writable(target.tangent):
        target.tangent = F.clone(target.tangent)
    if tangent is None:
        target.tangent.zero_()
    else:
        target.tangent.copy_(tangent)


def is_dual(level, tensor: Tensor) -> bool:
    return type(tensor._array) is DualArray and tensor._array.level is level


def is_writable(tangent: Tensor) -> bool:
    """Whether no two elements of a tangent are at one place."""
    array = tangent._array
    return all([stride or size < 2 for stride, size in zip(array.strides, array.shape, strict=True)])


def give_tangent(array: DualArray, tangent: Tensor) -> None:
    """Gives an array a tangent of zeros, which is a view of one of the whole tensor if the array is of a view.

    It has the batches of the tangent that is written to it, and the layout of the value.
    """
    while array.view_of is not None:
        array = array.view_of[0]
    zeros = F.zeros_of(array.value)
    if is_batched(tangent) and not is_batched(zeros):
        zeros = laid_like(tangent.new_zeros(array.value.shape, dtype=array.value.dtype), array.value)
    array.tangent = zeros


# ---- tensors of lower levels


def become_dual(level, tensor: Tensor) -> None:
    """Makes a tensor of a lower level one of this level, with its base and all views of that."""
    root = tensor
    while root._base is not None:
        root = root._base
    views = [] if root._generation is None else views_of(root)
    if tensor is not root and all([tensor is not view for view in views]):
        views.append(tensor)
    below = below_of(root)
    look_at(root, DualArray(level, below))
    if not level.shares_history:
        root._edge = None
    level.changed.append(weakref.ref(root))
    for view in views:
        view_below = below_of(view)
        view_below._base, view_below._steps = below, view._steps
        look_at(view, DualArray(level, view_below, None, (root._array, partial(replayed, view._path))))
        if not level.shares_history:
            view._edge = None
        level.changed.append(weakref.ref(view))


def views_of(root: Tensor) -> list[Tensor]:
    """Returns the views of a tensor, which does not know them; this is a search, for a rare case."""
    return [each for each in gc.get_referrers(root) if isinstance(each, Tensor) and each._base is root]


def below_of(tensor: Tensor) -> Tensor:
    """Returns a tensor with the array, the memory and the history of another."""
    tensor._store = tensor._storage
    below = object.__new__(Tensor)
    for slot in SLOTS:
        setattr(below, slot, getattr(tensor, slot))
    return below


def replayed(path, tangent: Tensor) -> Tensor:
    """Returns the view of a tangent along the path of a view."""
    for function, arguments in path:
        tangent = function(tangent, *arguments)
    return tangent


def restore(level) -> None:
    """Makes the tensors that writes made dual what they were, with the history that they have below the level."""
    for reference in reversed(level.changed):
        tensor = reference()
        if tensor is not None and is_dual(level, tensor):
            below = tensor._array.value
            look_at(tensor, below._array)
            tensor._edge, tensor._generation = below._edge, below._generation
    level.changed.clear()
