"""The memory of tensors as MPI sends and receives it; that of a GPU goes through the CPU's."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.device import BACKENDS, is_on_gpu
from rushlight.core.lazy_conj_neg import Unresolved, beneath, plain
from rushlight.core.modes import announce_write
from rushlight.core.source_lines import NOTING
from rushlight.core.tensor import Tensor

__all__ = ["check_tensor", "check_tensors", "memory_of", "packed", "written"]


def check_tensor(value: Any, name: str) -> None:
    """Raises TypeError if an argument is not a tensor, RuntimeError if it is on a device without memory."""
    if type(value) is Tensor and type(value._array) is np.ndarray:
        return
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )
    if type(value._array) not in (np.ndarray, Unresolved) and not is_on_gpu(value._array):
        raise RuntimeError(f"No backend type associated with device type {value.device.type}")


def check_tensors(value: Any, name: str) -> None:
    """Raises TypeError if an argument is not a list of tensors."""
    if not isinstance(value, list) or not all(isinstance(each, Tensor) for each in value):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(value)} with elements of type {[type(each) for each in value]}."
            if isinstance(value, list)
            else f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(value)} instead."
        )
    for each in value:
        check_tensor(each, name)


def packed(tensor: Tensor) -> np.ndarray:
    """Returns the elements in order, 1-d: the tensor's own memory if it is contiguous, else a copy on the CPU."""
    array = tensor._array
    if type(array) is not np.ndarray:
        array = BACKENDS.of(array).to_cpu(plain(array)) if is_on_gpu(beneath(array)) else plain(array)
    return array.reshape(-1) if array.flags.c_contiguous else np.ascontiguousarray(array).reshape(-1)


def memory_of(tensor: Tensor) -> tuple[np.ndarray, bool]:
    """Returns memory for elements to be received, and whether it is the tensor's own; `written` copies it otherwise."""
    array = tensor._array
    if type(array) is np.ndarray and array.flags.c_contiguous:
        return array.reshape(-1), True
    return np.empty(array.size, tensor.dtype.numpy), False


def written(tensor: Tensor, memory: np.ndarray, own: bool, place: tuple) -> None:
    """Counts a write to a tensor, after copying what was received if that is in other memory.

    `place` is the line of the program that made the call.
    """
    if not own and is_on_gpu(tensor._array):
        backend: Any = BACKENDS.of(tensor._array)
        backend.write(tensor._array, memory.reshape(tensor._array.shape))
    elif not own:
        tensor._array[...] = memory.reshape(tensor._array.shape)
    storage = tensor._storage
    storage.written()
    if NOTING and not storage.inference:
        storage.last = storage.version, place, None


def announced(tensor: Tensor) -> Tensor:
    """Returns a tensor that is going to be written to, after telling who wants to know."""
    announce_write(tensor)
    return tensor


def as_bytes(memory: np.ndarray) -> np.ndarray:
    """Returns the bytes of contiguous memory."""
    return memory.view(np.uint8)
