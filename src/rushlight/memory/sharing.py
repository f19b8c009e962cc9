"""How tensors and storages go from one process to another: not their bytes, but the way to the memory that has them.

Python's queues, pipes and processes pickle by `multiprocessing.reduction.ForkingPickler`, which asks here once this is
imported. Memory that is sent is shared from then on. In a process there is one object for each piece of memory, however
often it arrives.
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

# The memory that has been sent or received, by what all processes know it by.
KNOWN: WeakValueDictionary[tuple, np.ndarray] = WeakValueDictionary()


def register() -> None:
    """Has tensors and storages sent so. Those of subclasses are copied, as they are by `pickle`."""
    for kind in (Tensor, Parameter):
        ForkingPickler.register(kind, reduced_tensor)
    ForkingPickler.register(UntypedStorage, reduced_storage)
    ForkingPickler.register(TypedStorage, reduced_typed_storage)


# ---- memory


def way_to(storage: UntypedStorage, holder: Tensor | None = None) -> tuple:
    """The way to the memory of a storage, or of the tensor that has it, which is shared from now on."""
    mapping = mapping_of(storage.share_memory_(holder=holder)._bytes)
    if mapping is None:
        return ()
    if mapping.descriptor is not None:
        KNOWN[_number(mapping.descriptor)] = storage._root
        return "descriptor", DupFd(mapping.descriptor)
    if mapping.filename is not None:
        return "file", mapping.filename
    return ()


def memory_at(way: tuple, size: int) -> np.ndarray:
    """The memory that a way leads to."""
    kind, place = way
    if kind == "file":
        return mapped_file(place, True, size)
    descriptor = place.detach()
    key = _number(descriptor)
    if (known := KNOWN.get(key)) is not None:
        os.close(descriptor)
        return known
    found = KNOWN[key] = described_memory(descriptor, size)
    return found


def _number(descriptor: int) -> tuple:
    """What is the same for all descriptors of one file."""
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


# ---- what is sent


def reduced_storage(storage: UntypedStorage) -> tuple:
    """A storage as a pickle between processes."""
    if storage.device.type != "cpu" or not (way := way_to(storage)):
        return storage.__reduce__()
    return rebuilt_storage, (way, len(storage))


def reduced_typed_storage(storage: TypedStorage) -> tuple:
    """A storage with a dtype as a pickle between processes."""
    return rebuilt_typed_storage, (storage._untyped_storage, storage.dtype.name)


def reduced_tensor(tensor: Tensor) -> tuple:
    """A tensor as a pickle between processes. Raises RuntimeError if it has a history, which cannot go along."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise noted(
            RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor "
                "before serializing (e.g., putting it on the queue)."
            ),
            "Send tensor.detach(): it has the same memory.",
        )
    if not tensor.is_cpu or not (way := way_to(tensor.untyped_storage(), tensor)):
        return tensor.__reduce_ex__(2) if type(tensor) is Parameter else reduce_ex(tensor, 2)
    warn_of_hooks(tensor)
    _, layout = memory_and_layout(tensor)
    own = (type(tensor) is Parameter, tensor.dtype.name, layout[1:], tensor.requires_grad, marks_of(tensor._array))
    return rebuilt_tensor, (way, len(tensor.untyped_storage()), own)


def rebuilt_storage(way: tuple, size: int) -> UntypedStorage:
    """A storage that another process has sent."""
    return of_memory(memory_at(way, size))


def rebuilt_typed_storage(storage: UntypedStorage, name: str) -> TypedStorage:
    """A storage with a dtype that another process has sent."""
    return TypedStorage(wrap_storage=storage, dtype=BY_NAME[name], _internal=True)


def rebuilt_tensor(way: tuple, size: int, own: tuple) -> Tensor:
    """A tensor that another process has sent."""
    is_parameter, name, layout, requires_grad, (conj, neg) = own
    storage = of_memory(memory_at(way, size))
    array = in_memory(storage._bytes, BY_NAME[name].numpy, *layout)
    tensor: Any = wrap(unresolved(array, conj=conj, neg=neg))
    tensor._storage = storage.counted
    if is_parameter:
        return Parameter(tensor, requires_grad)
    tensor = alias(tensor)
    tensor.requires_grad = requires_grad
    return tensor


register()
