"""Tensors from data: numbers, sequences, arrays, buffers, DLPack capsules.

https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import warnings
from importlib import import_module

import numpy as np

from rushlight.core.convertible import PYTHON_NUMBERS
from rushlight.core.device import as_device, host, resolved
from rushlight.core.device import device as Device
from rushlight.core.dtype import DEFAULTS, SCALAR_NAMES, from_numpy_dtype
from rushlight.core.tensor import Tensor, look_at, wrap
from rushlight.create.construction import check_options, from_array
from rushlight.create.convert_data import array_of, check_memory
from rushlight.create.overrides import offer
from rushlight.declarations.promote import as_dtype
from rushlight.declarations.shapes import as_int
from rushlight.dispatch.message import type_name
from rushlight.dispatch.override import ABSENT, OBSERVERS

DLPACK = "rushlight.memory.dlpack"
# Types without memory to share: their elements are copied one by one.
PYTHON_DATA = {*PYTHON_NUMBERS, list, tuple, str, range}


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """Returns a tensor with a copy of `data`: numbers, nested sequences of numbers, arrays or tensors of any library.

    Raises ValueError if rows differ in length, TypeError if an element is no number.

    >>> tensor([[1, 2], [3, 4]]).dtype, tensor(2.5).dtype
    (torch.int64, torch.float32)
    """
    if (OBSERVERS or pin_memory) and (result := offer(tensor, locals())) is not ABSENT:
        return result
    if requires_grad:
        check_options("tensor", requires_grad)
    dtype = as_dtype("tensor", dtype)
    if isinstance(data, Tensor):
        _warn_about_copy()
    elif _has_dlpack(data):
        data = from_dlpack(data)
    if isinstance(data, Tensor):
        device = data.device if device is None else as_device(device)
        return from_array(host(data).copy(), dtype=dtype, device=device, requires_grad=requires_grad)
    return from_array(array_of(data, dtype), dtype=dtype, device=device, requires_grad=requires_grad)


def _has_dlpack(value) -> bool:
    """Whether an object of another library gives its memory by DLPack; NumPy's arrays are taken as they are."""
    return type(value) not in PYTHON_DATA and not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__")


def _warn_about_copy() -> None:
    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
        UserWarning,
        stacklevel=3,
    )


def as_tensor(data, dtype=None, device=None) -> Tensor:
    """Returns a tensor on the memory of `data` if that is a tensor or array of this dtype and device, else a copy."""
    if OBSERVERS and (result := offer(as_tensor, locals())) is not ABSENT:
        return result
    if isinstance(data, Tensor):
        if (dtype is None or data.dtype is dtype) and (device is None or as_device(device) == data.device):
            return data
        return data.to(device=data.device if device is None else device, dtype=dtype or data.dtype)
    if isinstance(data, np.ndarray):
        shared = from_numpy(data)
        result = shared if dtype is None or dtype is shared.dtype else shared.to(dtype)
        return result if as_device(device).type == "cpu" else result.to(device)
    if _has_dlpack(data):
        return as_tensor(from_dlpack(data), dtype, device)
    return tensor(data, dtype=dtype, device=device)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None) -> Tensor:
    """Returns a tensor from any object, on its memory if possible; `copy` True copies always, False never.

    If `obj` requires grad, so does the result, unless `requires_grad` is given. Raises ValueError if `copy` is False
    but memory cannot be shared.
    """
    if OBSERVERS and (result := offer(asarray, locals())) is not ABSENT:
        return result
    _check_bools(copy=copy, requires_grad=requires_grad)
    dtype = as_dtype("asarray", dtype)
    source = obj if isinstance(obj, Tensor) else _shared(obj, dtype, copy)
    if source is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        result = tensor(obj, dtype=dtype, device=device)
    else:
        result = _converted(source, dtype, device, copy)
    if requires_grad is None:
        if isinstance(obj, Tensor) and obj.requires_grad:
            _warn_about_grad()
        return result
    if not requires_grad and not result.is_leaf:
        return result.detach()
    if not requires_grad:
        result.requires_grad = False
    elif not result.requires_grad:
        result._become_leaf()
    return result


def _check_bools(**values) -> None:
    for name, value in values.items():
        if value is not None and type(value) is not bool:
            raise TypeError(f"asarray(): argument '{name}' must be bool, not {type_name(value)}")


def _warn_about_grad() -> None:
    warnings.warn(
        "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
        "requires_grad=False explicitly to get the old behavior and silence this warning.",
        UserWarning,
        stacklevel=3,
    )


def _converted(source: Tensor, dtype, device, copy) -> Tensor:
    """Returns `source` in a dtype and on a device. Raises ValueError if that needs a copy and `copy` is False."""
    dtype, device = dtype or source.dtype, source.device if device is None else resolved(device)
    if copy is False and device != source.device:
        raise ValueError(f"can't alias tensor from device '{source.device}' to '{device}'.")
    if copy is False and dtype is not source.dtype:
        raise ValueError(
            f"can't alias tensor with dtype '{SCALAR_NAMES[source.dtype]}' into dtype '{SCALAR_NAMES[dtype]}'."
        )
    unchanged = dtype is source.dtype and device == source.device
    result = source if unchanged else source.to(device=device, dtype=dtype)
    return source.clone() if copy and result is source else result


def _shared(value, dtype, copy) -> Tensor | None:
    """Returns a tensor on the memory of an object, or None if it has none to share."""
    if isinstance(value, np.ndarray):
        return from_numpy(value)
    if isinstance(value, np.generic):
        if copy is False:
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
        return wrap(np.array(value))
    if type(value) in PYTHON_DATA:
        return None
    if hasattr(value, "__dlpack__"):
        return from_dlpack(value)
    if type(value).__name__ == "PyCapsule":
        return import_module(DLPACK).imported(value)
    return frombuffer(value, dtype=dtype or DEFAULTS.floating) if _is_buffer(value) else None


def _is_buffer(value) -> bool:
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def from_numpy(ndarray) -> Tensor:
    """Returns a tensor on the memory of a NumPy array. Raises TypeError for anything else or an unsupported dtype."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    dtype = from_numpy_dtype(ndarray.dtype)
    check_memory(ndarray)
    if not ndarray.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor.",
            UserWarning,
            stacklevel=2,
        )
    shared = wrap(ndarray.view(np.ndarray))  # the program may change the shape of its own array
    shared._storage.memory, shared._storage.borrowed = shared._array, True
    if shared._array.dtype is not dtype.numpy:
        look_at(shared, shared._array.view(dtype.numpy))
    return shared


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False) -> Tensor:
    """Returns a 1-d tensor on the memory of an object with the buffer protocol."""
    dtype = as_dtype("frombuffer", dtype) or DEFAULTS.floating
    count, offset = as_int("frombuffer", "count", count), as_int("frombuffer", "offset", offset)
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not view.contiguous:
        raise RuntimeError("could not retrieve buffer from object")
    _check_bounds(view.nbytes, dtype.itemsize, count, offset)
    if view.readonly:
        warnings.warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can "
            "write to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the "
            "buffer to protect its data or make it writable before converting it to a tensor.",
            UserWarning,
            stacklevel=2,
        )
    shared = wrap(np.frombuffer(buffer, dtype.numpy, count, offset))
    shared._storage.borrowed = True
    if requires_grad:
        shared._become_leaf("Only Tensors of floating point and complex dtype can require gradients")
    return shared


def _check_bounds(size: int, width: int, count: int, offset: int) -> None:
    """Raises ValueError unless `count` elements of `width` bytes fit in a buffer of `size` bytes from `offset` on."""
    if not size or not count:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1"
        )
    if count < 0 and (size - offset) % width:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({width})"
        )
    if offset + count * width > size:
        raise ValueError(
            f"requested buffer length ({count} * {width} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({size} bytes)"
        )


def to_dlpack(tensor):
    """Returns a DLPack capsule on the memory of a tensor, to be read once."""
    if OBSERVERS and (result := offer(to_dlpack, locals())) is not ABSENT:
        return result
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type_name(tensor)}")
    return import_module(DLPACK).exported(tensor)


def from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor:
    """Returns a tensor on the memory of an object with `__dlpack__`, or of a capsule.

    `copy` True copies always, None if the device requires it, False never.
    """
    if OBSERVERS and (result := offer(from_dlpack, locals())) is not ABSENT:
        return result
    dlpack = import_module(DLPACK)
    if device is not None and not isinstance(device, (str, Device)):
        raise AssertionError(f"from_dlpack: unsupported device type: {type(device)}")
    target = None if device is None else resolved(device)
    if isinstance(ext_tensor, Tensor):
        dlpack.check_grad(ext_tensor)
        dlpack.check_memory(ext_tensor)
        source = ext_tensor.detach()
    elif hasattr(ext_tensor, "__dlpack__"):
        source = dlpack.imported(dlpack.requested(ext_tensor, target, copy))
        copy = None if copy else copy  # the other library has copied
    else:
        if device is not None or copy is not None:
            raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
        return dlpack.imported(ext_tensor)
    moved = source if target is None else source.to(target)
    if moved.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    if copy is False and moved is not source:
        raise ValueError(f"cannot move {source.device} tensor to {moved.device} without copying; set copy=True or None")
    return source.clone() if copy and moved is source else moved
