"""`torch.autograd.graph.allow_mutation_on_saved_tensors`: writes to saved tensors.

A saved tensor is copied just before the first write to its memory. Parameters and other leaves are copied at once,
because optimizers write to them without a check.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from rushlight.autograd.saved_hooks import refuse_disabled
from rushlight.autograd.saved_values import stale_error
from rushlight.core.errors import noted
from rushlight.core.graph import Leaf
from rushlight.core.history import edge_of
from rushlight.core.modes import change, current
from rushlight.core.tensor import Tensor

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)


class Handle:
    """Replaces a saved tensor in the graph. The tensor and its copy are freed with the graph."""

    version: int
    source: object = None  # an array of which a copy is kept from the start


class allow_mutation_on_saved_tensors(ContextDecorator):
    """Lets a program change in place what was saved for backward, if forward and backward are both run inside.

    Raises RuntimeError if one is entered inside another.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True).clone()
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = (x**2).sum()
    ...     _ = x.zero_()
    ...     torch.autograd.grad(y, x, allow_unused=True)
    (None,)
    """

    __module__ = "torch.autograd.graph"

    def __init__(self) -> None:
        self.original: WeakKeyDictionary[Handle, Tensor] = WeakKeyDictionary()
        self.cloned: WeakKeyDictionary[Handle, Tensor] = WeakKeyDictionary()
        # By (array, version), while the array is kept: a tensor that is saved twice has one handle.
        self.tid_to_weakhandle: WeakValueDictionary[tuple, Handle] = WeakValueDictionary()
        self.keys_of: dict[int, list] = {}  # id of memory -> the keys of the tensors in it

    def _recreate_cm(self):
        return allow_mutation_on_saved_tensors()  # one for each decorated call

    def clear(self) -> None:
        """Removes all handles and copies."""
        for table in (self.original, self.cloned, self.tid_to_weakhandle, self.keys_of):
            table.clear()

    def __enter__(self):
        modes = current()
        if modes.before_write is not None:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        refuse_disabled(modes)
        change(saved_hooks=(*modes.saved_hooks, (self._pack, self._unpack)), before_write=self._keep)
        return self

    def __exit__(self, *exception: Any) -> None:
        self.clear()
        change(saved_hooks=current().saved_hooks[:-1], before_write=None)

    def _pack(self, tensor: Tensor) -> Handle:
        key = (id(tensor._array), tensor._version)
        handle = self.tid_to_weakhandle.get(key)
        if handle is None:
            self.tid_to_weakhandle[key] = handle = Handle()
            kept = tensor.detach()
            if isinstance(edge_of(tensor if tensor._base is None else tensor._base), Leaf):
                kept, handle.source = kept.clone(), tensor._array
            self.original[handle] = kept
            handle.version = kept._version
            self.keys_of.setdefault(id(kept._memory()), []).append(key)
        return handle

    def _unpack(self, handle: Handle) -> Tensor:
        kept = self.cloned.get(handle)
        if kept is not None:
            return kept
        kept = self.original.get(handle)
        if kept is None or current().before_write != self._keep:
            raise noted(AssertionError(OUTSIDE), "Call backward() inside the `with` block in which the loss was made.")
        if kept._version != handle.version:
            raise stale_error(kept._array, None, kept._version, handle.version)
        return kept

    def _keep(self, tensor: Tensor) -> None:
        """Copies the saved tensors in the memory of a tensor that is about to be written to."""
        for key in self.keys_of.pop(id(tensor._memory()), ()):
            handle = self.tid_to_weakhandle.pop(key, None)
            if handle is not None and handle in self.original:
                self.cloned[handle] = self.original.pop(handle).clone()
