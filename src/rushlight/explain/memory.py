"""Who else looks into a tensor's memory: views, detached relatives, NumPy arrays."""

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
    """Something in the same memory."""

    name: str | None  # what the caller calls it
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
    """Everything that is known to share memory with a tensor; tensors without a name are found as well."""
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
    """Every live tensor whose array lies in a piece of memory."""
    return [
        tensor
        for tensor in live_tensors()
        if isinstance(array := beneath(tensor._array), np.ndarray) and owner(array) is memory
    ]


def relation(tensor: Tensor, other: Tensor) -> str:
    """What another tensor in the same memory is to a tensor."""
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
    """The array of `from_numpy`, which owns the memory and has no name here."""
    memory = owner(beneath(tensor._array))
    if isinstance(memory.base, (bytes, bytearray, memoryview)) or memory.base is not None:
        return [Relative(None, "foreign", f"The memory belongs to a {type(memory.base).__name__} outside the library.")]
    return []
