"""Tensors from data: numbers and sequences of them, arrays, buffers, capsules of other libraries.

https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.core.device import as_device, host
from rushlight.core.dtype import DEFAULTS, from_numpy_dtype
from rushlight.core.tensor import Tensor, look_at, wrap
from rushlight.dispatch.data import array_of, check_memory
from rushlight.dispatch.making import check_made, made
from rushlight.dispatch.message import type_name
from rushlight.ops.promote import as_dtype


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A tensor with a copy of `data`: numbers, nested sequences of numbers, arrays, or tensors.

    Raises ValueError if the sequences are of unequal length, TypeError if they hold anything but numbers.

    >>> tensor([[1, 2], [3, 4]]).dtype, tensor(2.5).dtype
    (torch.int64, torch.float32)
    """
    if requires_grad:
        check_made("tensor", requires_grad)
    dtype = as_dtype("tensor", dtype)
    if isinstance(data, Tensor):
        _warn_about_copy()
        place = data.device if device is None else as_device(device)
        return made(host(data).copy(), dtype=dtype, device=place, requires_grad=requires_grad)
    return made(array_of(data, dtype), dtype=dtype, device=device, requires_grad=requires_grad)


def _warn_about_copy() -> None:
    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
        UserWarning,
        stacklevel=3,
    )


def as_tensor(data, dtype=None, device=None) -> Tensor:
    """A tensor that shares memory with `data` where it can: a tensor or array of the same dtype and device."""
    if isinstance(data, Tensor):
        if (dtype is None or data.dtype is dtype) and (device is None or as_device(device) == data.device):
            return data
        return data.to(device=data.device if device is None else device, dtype=dtype or data.dtype)
    if isinstance(data, np.ndarray):
        shared = from_numpy(data)
        wanted = shared if dtype is None or dtype is shared.dtype else shared.to(dtype)
        return wanted if as_device(device).type == "cpu" else wanted.to(device)
    return tensor(data, dtype=dtype, device=device)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False) -> Tensor:
    """A tensor from anything: shared where possible, copied if `copy` is True, refused if it is False and cannot be."""
    if isinstance(obj, (Tensor, np.ndarray, np.generic)) or hasattr(obj, "__dlpack__") or _is_buffer(obj):
        source = obj if isinstance(obj, Tensor) else _shared(obj, dtype)
        result = source if dtype is None and device is None else source.to(
            device=source.device if device is None else device, dtype=dtype or source.dtype)  # fmt: skip
        if copy is False and result is not source:
            raise ValueError("can't alias tensor with dtype or device other than its own")
        if copy and result is source:
            result = source.clone()
    else:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        result = tensor(obj, dtype=dtype, device=device)
    if isinstance(obj, Tensor) and not requires_grad:
        return result.detach() if result.requires_grad else result
    return result.detach().requires_grad_(True) if requires_grad else result


def _is_buffer(value) -> bool:
    return isinstance(value, (bytearray, memoryview, bytes))


def _shared(value, dtype) -> Tensor:
    if _is_buffer(value):
        return frombuffer(value, dtype=dtype or DEFAULTS.floating)
    if isinstance(value, np.generic):
        return wrap(np.asarray(value))
    return from_numpy(value) if isinstance(value, np.ndarray) else from_dlpack(value)


def from_numpy(ndarray) -> Tensor:
    """A tensor on the memory of a NumPy array. Raises TypeError for anything else, or a dtype that PyTorch lacks."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    kind = from_numpy_dtype(ndarray.dtype)
    check_memory(ndarray)
    if not ndarray.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor.",
            UserWarning,
            stacklevel=2,
        )
    shared = wrap(ndarray.view(np.ndarray))  # the program may give its own array another shape
    shared._storage.memory, shared._storage.borrowed = shared._array, True
    if shared._array.dtype is not kind.numpy:
        look_at(shared, shared._array.view(kind.numpy))
    return shared


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False) -> Tensor:
    """A one-dimensional tensor on the memory of an object with the buffer protocol."""
    try:
        size = memoryview(buffer).nbytes
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if size == 0 and count != 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if offset < 0 or offset >= max(size, 1):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({size}), but got {offset}")
    if count == -1 and (size - offset) % dtype.itemsize:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({dtype.itemsize})"
        )
    shared = wrap(np.frombuffer(buffer, dtype.numpy, count, offset))
    return shared.requires_grad_(True) if requires_grad else shared


def to_dlpack(tensor):
    """A capsule on the memory of a tensor, to be read once.

    Raises BufferError for a tensor that requires grad.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type_name(tensor)}")
    return tensor.__dlpack__()


def from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor:
    """A tensor on the memory of any object with `__dlpack__`, or of a capsule that such an object gave.

    `copy=True` copies always, None where the device asks for it, and False never.
    """
    if isinstance(ext_tensor, Tensor):
        ext_tensor._check_dlpack()
        source = ext_tensor.detach()
    else:
        source = wrap(np.from_dlpack(ext_tensor if hasattr(ext_tensor, "__dlpack__") else Capsule(ext_tensor)))
    moved = source if device is None else source.to(device)
    if moved.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    if copy is False and moved is not source:
        raise ValueError(f"cannot move {source.device} tensor to {moved.device} without copying; set copy=True or None")
    return source.clone() if copy and moved is source else moved


class Capsule:
    """What gives out a DLPack capsule on the CPU."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **wishes):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)
