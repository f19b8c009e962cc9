"""Sends tensors and storages to other processes: a handle of their memory instead of their bytes.

Importing this module registers reducers with `multiprocessing.reduction.ForkingPickler`, by which queues, pipes and
processes pickle. Memory that is sent becomes shared. A process has one object per buffer, however often it arrives.
"""

from __future__ import annotations

import os
from multiprocessing.reduction import DupFd, ForkingPickler
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from rushlight.core.dtype import BY_NAME
from rushlight.core.errors import noted
from rushlight.core.lazy_conj_neg import marks_of, unresolved
from rushlight.core.tensor import Parameter, Tensor, alias, wrap
from rushlight.memory.layout import in_memory, memory_and_layout
from rushlight.memory.mapped_memory import described_memory, mapped_file, mapping_of
from rushlight.memory.pickling import reduce_ex, warn_of_hooks
from rushlight.memory.typed_storage import TypedStorage
from rushlight.memory.untyped_storage import UntypedStorage, of_memory

# Memory that was sent or received, by device and inode of its file: the same key in all processes.
KNOWN: WeakValueDictionary[tuple, np.ndarray] = WeakValueDictionary()


def register() -> None:
    """Registers the reducers. Tensors of subclasses are copied, as by `pickle`."""
    for cls in (Tensor, Parameter):
        ForkingPickler.register(cls, reduced_tensor)
    ForkingPickler.register(UntypedStorage, reduced_storage)
    ForkingPickler.register(TypedStorage, reduced_typed_storage)


# ---- memory


def handle_of(storage: UntypedStorage, holder: Tensor | None = None) -> tuple:
    """Shares the memory of a storage and returns its handle; () if it has none. `holder` is a tensor on it."""
    mapping = mapping_of(storage.share_memory_(holder=holder)._bytes)
    if mapping is None:
        return ()
    if mapping.descriptor is not None:
        KNOWN[_file_id(mapping.descriptor)] = storage._root
        return "descriptor", DupFd(mapping.descriptor)
    if mapping.filename is not None:
        return "file", mapping.filename
    return ()


def memory_at(handle: tuple, size: int) -> np.ndarray:
    """Returns the memory of a handle."""
    kind, target = handle
    if kind == "file":
        return mapped_file(target, True, size)
    descriptor = target.detach()
    key = _file_id(descriptor)
    if (known := KNOWN.get(key)) is not None:
        os.close(descriptor)
        return known
    memory = KNOWN[key] = described_memory(descriptor, size)
    return memory


def _file_id(descriptor: int) -> tuple:
    """Returns what is the same for all descriptors of one file."""
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


# ---- reducers


def reduced_storage(storage: UntypedStorage) -> tuple:
    """Reduces a storage."""
    if storage.device.type != "cpu" or not (handle := handle_of(storage)):
        return storage.__reduce__()
    return rebuilt_storage, (handle, len(storage))


def reduced_typed_storage(storage: TypedStorage) -> tuple:
    """Reduces a typed storage."""
    return rebuilt_typed_storage, (storage._untyped_storage, storage.dtype.name)


def reduced_tensor(tensor: Tensor) -> tuple:
    """Reduces a tensor. Raises RuntimeError if it has a history, which cannot be sent."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise noted(
            RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor "
                "before serializing (e.g., putting it on the queue)."
            ),
            "Send tensor.detach(): it has the same memory.",
        )
    if not tensor.is_cpu or not (handle := handle_of(tensor.untyped_storage(), tensor)):
        return tensor.__reduce_ex__(2) if type(tensor) is Parameter else reduce_ex(tensor, 2)
    warn_of_hooks(tensor)
    _, layout = memory_and_layout(tensor)
    state = (type(tensor) is Parameter, tensor.dtype.name, layout[1:], tensor.requires_grad, marks_of(tensor._array))
    return rebuilt_tensor, (handle, len(tensor.untyped_storage()), state)


def rebuilt_storage(handle: tuple, size: int) -> UntypedStorage:
    """Returns a storage that another process has sent."""
    return of_memory(memory_at(handle, size))


def rebuilt_typed_storage(storage: UntypedStorage, name: str) -> TypedStorage:
    """Returns a typed storage that another process has sent."""
    return TypedStorage(wrap_storage=storage, dtype=BY_NAME[name], _internal=True)


def rebuilt_tensor(handle: tuple, size: int, state: tuple) -> Tensor:
    """Returns a tensor that another process has sent."""
    is_parameter, name, layout, requires_grad, (conj, neg) = state
    storage = of_memory(memory_at(handle, size))
    array = in_memory(storage._bytes, BY_NAME[name].numpy, *layout)
    tensor: Any = wrap(unresolved(array, conj=conj, neg=neg))
    tensor._storage = storage.counted
    if is_parameter:
        return Parameter(tensor, requires_grad)
    tensor = alias(tensor)
    tensor.requires_grad = requires_grad
    return tensor


register()
