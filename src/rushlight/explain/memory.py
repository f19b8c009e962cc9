"""Tensors and arrays that share a tensor's memory: views, detached tensors, NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.graph import named_tensors
from rushlight.memory.layout import live_tensors


class Relative(NamedTuple):
    """A tensor or array in the same memory."""

    name: str | None  # the caller's name
    relation: str  # "view", "base", "view of the same base", "detached", "data", "NumPy array"
    sentence: str


SENTENCES = {
    "view": "{} is a view of it: a write to one changes both, and autograd records it.",
    "base": "It is a view of {}: a write to one changes both, and autograd records it.",
    "view of the same base": "{} is a view of the same tensor: a write to one changes both, and autograd records it.",
    "detached": "{} shares the memory and not the graph: a write to one changes both, and backward() checks for it.",
    "data": "{} shares the memory through `.data`: backward() does not check for writes, gradients may be wrong.",
    "NumPy array": "{} is a NumPy array on its memory: backward() does not check for writes, gradients may be wrong.",
}


def relatives(tensor: Tensor, names: Mapping[str, Any]) -> list[Relative]:
    """Returns all known tensors and arrays that share memory with a tensor, unnamed tensors included."""
    array = beneath(tensor._array)
    if not isinstance(array, np.ndarray):
        return []
    called = {id(value): f"`{name}`" for name, value in reversed(list(named_tensors(names)))}
    named = [
        _relative(called.get(id(other)), relation(tensor, other))
        for other in tensors_in(owner(array))
        if other is not tensor
    ]
    arrays = [(name, value) for name, value in names.items() if isinstance(value, np.ndarray)]
    shared = [_relative(f"`{name}`", "NumPy array") for name, value in arrays if owner(value) is owner(array)]
    return [*named, *shared, *_owner_of(tensor, names)]


def tensors_in(memory) -> list[Tensor]:
    """Returns all live tensors whose array is in a memory."""
    return [
        tensor
        for tensor in live_tensors()
        if isinstance(array := beneath(tensor._array), np.ndarray) and owner(array) is memory
    ]


def relation(tensor: Tensor, other: Tensor) -> str:
    """Returns the relation of another tensor in the same memory to a tensor."""
    if other._base is tensor:
        return "view"
    if tensor._base is other:
        return "base"
    if tensor._base is not None and other._base is tensor._base:
        return "view of the same base"
    return "detached" if other._storage is tensor._storage else "data"


def _relative(name: str | None, kind: str) -> Relative:
    sentence = SENTENCES[kind].format(name or "Another tensor")
    return Relative(name.strip("`") if name else None, kind, sentence)


def _owner_of(tensor: Tensor, names: Mapping[str, Any]) -> list[Relative]:
    """Returns the unnamed array that owns the memory, as for `from_numpy`."""
    memory = owner(beneath(tensor._array))
    if isinstance(memory.base, (bytes, bytearray, memoryview)) or memory.base is not None:
        return [Relative(None, "foreign", f"The memory belongs to a {type(memory.base).__name__} outside the library.")]
    return []
