"""Memory as bytes: how a tensor lies in it, and who else does."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.arrays.strided import extent
from rushlight.core.graph import Leaf
from rushlight.core.lazy_conj_neg import beneath, marks_of, unresolved
from rushlight.core.storage import Storage, address, flat
from rushlight.core.tensor import Tensor, look_at


def bytes_of(root):
    """Memory as bytes, without copying."""
    if isinstance(root, MetaArray):
        return MetaArray((extent(root),), np.uint8)
    return flat(root).view(np.uint8)


def elements_of(memory, kind: np.dtype):
    """Bytes as elements of a dtype, as many as are whole, without copying."""
    count = memory.size // kind.itemsize
    if isinstance(memory, MetaArray):
        return MetaArray((count,), kind)
    return memory[: count * kind.itemsize].view(kind)


def memory_and_layout(tensor: Tensor) -> tuple:
    """The memory of a tensor and how it lies there: (dtype, shape, offset in bytes, strides in bytes)."""
    array, root = beneath(tensor._array), tensor._memory()
    offset = address(array) - address(flat(root)) if array.size else 0
    return root, (array.dtype, array.shape, offset, array.strides)


def in_memory(memory: np.ndarray, dtype, shape: tuple, offset: int, strides: tuple) -> np.ndarray:
    """The array that lies so in some bytes."""
    array = np.ndarray(shape, dtype, memory, offset, strides)
    return array if type(memory) is np.ndarray else array.view(type(memory))


def alone(memory: np.ndarray, count: int) -> np.ndarray:
    """The first bytes of some as an array that NumPy takes for the owner of its memory."""
    return np.frombuffer(np.asarray(memory).data, np.uint8, count) if memory.size else np.empty(0, np.uint8)


def copied_memory(root, memo: dict) -> tuple:
    """One copy of a piece of memory for all that `deepcopy` finds on it: what counts its writes, and the bytes."""
    memory = bytes_of(root)
    key = ("rushlight memory", address(memory), memory.size) if memory.size else ("rushlight memory", id(root))
    if key not in memo:
        # The root stays in the memo, so that its address is not given to another array meanwhile
        memo[key] = (Storage(), memory.copy(), root)
    return memo[key]


# ---- memory that changes under its tensors


def live_instances(kind: type) -> list:
    """Every object of a class and its subclasses: each refers to its class.

    No list of all objects is taken: a reference to a tuple that another thread is just building lets that thread fail
    with SystemError. Classes are compared by identity: strange ones have an opinion of their own on equality.
    """
    kinds = {id(kind): kind}
    for each in (waiting := [kind]):
        subclasses: list[type] = type.__subclasses__(each)
        new = [below for below in subclasses if id(below) not in kinds]
        kinds.update(zip(map(id, new), new, strict=True))
        waiting += new
    return [each for each in gc.get_referrers(*kinds.values()) if id(type(each)) in kinds]


def live_tensors() -> Iterator[Tensor]:
    """Every tensor that there is, but for those that another thread is just making."""
    return filter(is_whole, live_instances(Tensor))


def is_whole(tensor: Tensor) -> bool:
    """Whether a tensor has all that whoever makes one gives it, in whatever order."""
    return all(hasattr(tensor, each) for each in ("_array", "_store", "_edge", "_base", "_generation"))


def tensors_on(root) -> list[Tensor]:
    """Every tensor that looks into a piece of memory."""
    return [each for each in live_tensors() if each._memory() is root]


def tensors_beside(tensor: Tensor, root) -> list[Tensor]:
    """Of a tensor, its views, and what they are views of, those that look into a piece of memory.

    What `.data` has made is not among them.
    """
    found = [each for each in gc.get_referrers(tensor._storage) if isinstance(each, Tensor) and is_whole(each)]
    return [each for each in found if each._memory() is root]


def move(tensors: list[Tensor], first: int, memory: np.ndarray) -> None:
    """Lets tensors look into other bytes as they look into those from an address on, if they are enough for it."""
    for tensor in tensors:
        array = beneath(tensor._array)
        offset = address(array) - first if array.size else 0
        fits = offset + extent(array) <= memory.size
        if fits:
            look_into(tensor, in_memory(memory, array.dtype, array.shape, offset, array.strides))
        tensor._storage.memory = None if fits else memory


def look_into(tensor: Tensor, array) -> None:
    """Gives a tensor another array, with the marks that it has and the leaf that it is."""
    conj, neg = marks_of(tensor._array)
    look_at(tensor, unresolved(beneath(array), conj=conj, neg=neg))
    if isinstance(tensor._edge, Leaf):
        tensor._edge.hold(tensor)
