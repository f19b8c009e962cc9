"""Memory as bytes: the layout of a tensor in its buffer, and the other tensors on the same buffer."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.graph import Leaf
from rushlight.core.lazy_conj_neg import beneath, marks_of, unresolved
from rushlight.core.shape_queries import STRIDED
from rushlight.core.storage import Storage, address, flat, has_storage
from rushlight.core.strides import extent
from rushlight.core.tensor import Tensor, look_at


def bytes_of(root):
    """Returns the memory of an array as bytes, without copying."""
    if isinstance(root, MetaArray):
        return MetaArray((extent(root),), np.uint8)
    return flat(root).view(np.uint8)


def elements_of(memory, dtype: np.dtype):
    """Returns bytes as elements of a dtype, without copying; a rest is cut off."""
    count = memory.size // dtype.itemsize
    if isinstance(memory, MetaArray):
        return MetaArray((count,), dtype)
    return memory[: count * dtype.itemsize].view(dtype)


def check_storage(tensor: Tensor) -> None:
    """Raises NotImplementedError for a sample of `vmap`, whose memory is that of all samples."""
    if not has_storage(tensor._array):
        raise NotImplementedError("Cannot access storage of BatchedTensorImpl")


def memory_and_layout(tensor: Tensor) -> tuple:
    """Returns the buffer of a tensor and its layout there: (dtype, shape, offset in bytes, strides in bytes).

    Raises NotImplementedError for samples of `vmap`: what is written of one would be that of one sample.
    """
    check_storage(tensor)
    array, root = beneath(tensor._array), tensor._memory()
    begins = not array.size or (root is array and array.flags.c_contiguous)
    return root, (array.dtype, array.shape, 0 if begins else address(array) - address(flat(root)), array.strides)


def in_memory(memory: np.ndarray, dtype, shape: tuple, offset: int, strides: tuple) -> np.ndarray:
    """Returns an array on bytes, from its layout."""
    array = np.ndarray(shape, dtype, memory, offset, strides)
    return array if type(memory) is np.ndarray else array.view(type(memory))


def alone(memory: np.ndarray, count: int) -> np.ndarray:
    """Returns the first bytes as an array that has no base."""
    return np.frombuffer(np.asarray(memory).data, np.uint8, count) if memory.size else np.empty(0, np.uint8)


def copied_memory(root, memo: dict) -> tuple:
    """Returns the copy of a buffer that all tensors of one `deepcopy` share: its version counter and bytes."""
    memory = bytes_of(root)
    key = ("rushlight memory", address(memory), memory.size) if memory.size else ("rushlight memory", id(root))
    if key not in memo:
        # The memo keeps the root alive, so that no other array gets its address
        memo[key] = (Storage(), memory.copy(), root)
    return memo[key]


# ---- moving tensors to other memory


def live_instances(cls: type) -> list:
    """Returns all objects of a class and its subclasses, which are referrers of their class.

    `gc.get_objects` is not used: a reference to a tuple that another thread is building makes that thread fail with
    SystemError. Classes are compared by identity, as they may define `__eq__`.
    """
    classes = {id(cls): cls}
    for base in (pending := [cls]):
        subclasses: list[type] = type.__subclasses__(base)
        new = [subclass for subclass in subclasses if id(subclass) not in classes]
        classes.update(zip(map(id, new), new, strict=True))
        pending += new
    return [x for x in gc.get_referrers(*classes.values()) if id(type(x)) in classes]


def live_tensors() -> Iterator[Tensor]:
    """Returns all tensors, except those that another thread is constructing."""
    return filter(is_constructed, live_instances(Tensor))


def is_constructed(tensor: Tensor) -> bool:
    """Returns whether a tensor has all attributes that its construction sets."""
    return all(hasattr(tensor, name) for name in ("_array", "_store", "_edge", "_base", "_generation"))


def tensors_on(root) -> list[Tensor]:
    """Returns all tensors on a buffer. Sparse tensors have no buffer: their indices and values are tensors."""
    return [tensor for tensor in live_tensors() if tensor.layout is STRIDED and tensor._memory() is root]


def tensors_beside(tensor: Tensor, root) -> list[Tensor]:
    """Returns those of a tensor, its base and their views that are on a buffer.

    Tensors made by `.data` are not among them.
    """
    tensors = [x for x in gc.get_referrers(tensor._storage) if isinstance(x, Tensor) and is_constructed(x)]
    return [x for x in tensors if x._memory() is root]


def move(tensors: list[Tensor], first: int, memory: np.ndarray) -> None:
    """Moves tensors from the buffer at the address `first` to other bytes, if these are large enough."""
    for tensor in tensors:
        array = beneath(tensor._array)
        offset = address(array) - first if array.size else 0
        fits = offset + extent(array) <= memory.size
        if fits:
            look_into(tensor, in_memory(memory, array.dtype, array.shape, offset, array.strides))
        tensor._storage.memory = None if fits else memory


def look_into(tensor: Tensor, array) -> None:
    """Sets the array of a tensor, keeping its conj and neg bits and its leaf node."""
    conj, neg = marks_of(tensor._array)
    look_at(tensor, unresolved(beneath(array), conj=conj, neg=neg))
    if isinstance(tensor._edge, Leaf):
        tensor._edge.hold(tensor)
