"""Copies and pickles of tensors: `copy.deepcopy`, `pickle`."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from rushlight.core.device import device, moved
from rushlight.core.dtype import BY_NAME
from rushlight.core.errors import noted
from rushlight.core.graph import Leaf
from rushlight.core.lazy_conj_neg import marks_of, unresolved
from rushlight.core.slots import own_slots
from rushlight.core.storage import Storage
from rushlight.core.tables import objects
from rushlight.core.tensor import OWN_ATTRIBUTES, Tensor, alias, wrap
from rushlight.core.traced import CLASSES, WrapperArray, is_batched
from rushlight.create.filled import empty_strided
from rushlight.memory.layout import bytes_of, copied_memory, in_memory, memory_and_layout


def deepcopy(self, memo):
    """Returns a copy with its own memory. Raises RuntimeError for a tensor that is no leaf."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise noted(
            RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment.  If you were attempting to deepcopy a module, this may be because of a "
                "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            ),
            "This tensor is the result of an operation: copy tensor.detach(), or use tensor.clone().",
        )
    if is_batched(self):
        raise NotImplementedError("Cannot access storage of BatchedTensorImpl")
    if type(self._array) is WrapperArray:
        copied = CLASSES.copied(self)
    else:
        copied = objects.instance(type(self))
        copied._meta_key = copied._base = copied._edge = copied._generation = copied._store = None
        copied._storage, copied._array = _copied_memory(self, memo)
    memo[id(self)] = copied
    if isinstance(self._edge, Leaf):
        copied.requires_grad = True
    if self.grad is not None:
        copied.grad = copy.deepcopy(self.grad, memo)
    for name, value in (_attributes_of(self) | _slots_of(self)).items():
        setattr(copied, name, copy.deepcopy(value, memo))
    return copied


def _attributes_of(tensor: Tensor) -> dict:
    """Returns the attributes that the program has set on a tensor."""
    return {name: value for name, value in vars(tensor).items() if name not in OWN_ATTRIBUTES}


def _slots_of(tensor: Tensor) -> dict:
    """Returns the values in the slots that the class of a tensor adds."""
    added = () if type(tensor) is Tensor else own_slots(type(tensor), Tensor)
    return {name: getattr(tensor, name) for name in added if hasattr(tensor, name)}


def state_of(tensor: Tensor) -> Any:
    """Returns what a pickle stores but the values: attributes, or a pair of these and of slots, if there are any.

    If the class of the tensor has a `__getstate__` of its own, that decides.
    """
    own = getattr(type(tensor), "__getstate__", None)
    if own is not None and own is not getattr(object, "__getstate__", None):
        return own(tensor)
    attributes, slots = _attributes_of(tensor), _slots_of(tensor)
    return (attributes, slots) if slots else attributes


def set_state(tensor: Tensor, state: Any) -> None:
    """Gives a tensor what `state_of` returned, by the `__setstate__` of its class if it has one of its own."""
    if type(tensor).__setstate__ is not Tensor.__setstate__:
        tensor.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) else (state, {})
    tensor.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(tensor, name, value)


def _copied_memory(tensor: Tensor, memo: dict):
    """Returns storage and array of the copy: tensors that share memory share the copy of it."""
    if type(array := tensor._array) is not np.ndarray:
        return Storage(), moved(array, tensor.device) if tensor.is_cuda else array.copy(order="K")
    root, layout = memory_and_layout(tensor)
    storage, copied, _ = copied_memory(root, memo)
    return storage, in_memory(copied, *layout)


def warn_of_hooks(tensor: Tensor) -> None:
    """Warns if a tensor has hooks, which are not pickled."""
    if isinstance(tensor._edge, Leaf) and tensor._edge.tensor_hooks:
        warnings.warn(
            "backward hooks will not be serialized: the pickled tensor has none of those registered on this one.",
            UserWarning,
            stacklevel=3,
        )


def reduce_ex(self, protocol):
    """Pickles a tensor as its memory and its layout there."""
    warn_of_hooks(self)
    if type(self._array) is WrapperArray:
        return CLASSES.reduced(self, state_of(self))
    stored = self if type(self._array) is np.ndarray else self.detach() if self.is_meta else self.detach().cpu()
    root, layout = (None, (None, tuple(self.shape), self.stride())) if self.is_meta else memory_and_layout(stored)
    # None for Tensor: pickle would search the class in a module named `torch`.
    subclass = None if type(self) is Tensor else type(self)
    memory = None if root is None else bytes_of(root)
    facts = (subclass, memory, self.dtype.name, layout[1:], self.requires_grad, state_of(self))
    return rebuild, (*facts, marks_of(stored._array), *((str(self.device),) if self.is_cuda else ()))


def rebuild(subclass, memory, dtype_name, layout, requires_grad, state, marks=(False, False), place=None):
    """Returns a tensor from its pickle, on the device that it names; one of the device `meta` has no memory.

    Raises AssertionError if the device is not there.
    """
    conj, neg = marks
    if memory is None:
        tensor = alias(empty_strided(*layout, dtype=BY_NAME[dtype_name], device="meta"), subclass or Tensor)
    else:
        array = unresolved(in_memory(memory, BY_NAME[dtype_name].numpy, *layout), conj=conj, neg=neg)
        tensor = alias(wrap(array if place is None else moved(array, device(place))), subclass or Tensor)
    if requires_grad:
        tensor.requires_grad = True
    set_state(tensor, state)
    return tensor


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for name, function in {"__deepcopy__": deepcopy, "__reduce_ex__": reduce_ex}.items():
        setattr(Tensor, name, function)
