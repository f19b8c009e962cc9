"""DLPack: memory passed between libraries in a capsule. https://dmlc.github.io/dlpack/latest/

NumPy makes, reads and releases the capsules. Dtypes without a code in NumPy, such as bfloat16, pass through it as
unsigned integers of the same size, and the code in the capsule is replaced.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import device, host
from rushlight.core.errors import noted
from rushlight.core.lazy_conj_neg import marks_of
from rushlight.core.tensor import Tensor, wrap

CPU = (1, 0)
VERSION = (1, 0)
# Codes of dtypes that NumPy does not have.
BFLOAT, COMPLEX = 4, 5
CODES = {
    dtypes.bfloat16: BFLOAT, dtypes.complex32: COMPLEX, dtypes.float8_e4m3fn: 10, dtypes.float8_e4m3fnuz: 11,
    dtypes.float8_e5m2: 12, dtypes.float8_e5m2fnuz: 13,
}  # fmt: skip
BY_CODE = {(code, 8 * element_dtype.itemsize): element_dtype for element_dtype, code in CODES.items()}
UNSIGNED_OF: dict[Any, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32}
UNSIGNED = 1
INVALID = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have "
    "already constructed a tensor from it once."
)


class Described(Structure):
    """`DLTensor`: address and layout of memory."""

    _fields_ = (
        ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8),
        ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )  # fmt: skip


class Versioned(Structure):
    """`DLManagedTensorVersioned`."""

    _fields_ = (
        ("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p), ("flags", c_uint64),
        ("described", Described),
    )  # fmt: skip


def _python(name: str, result, *arguments):
    function = ctypes.pythonapi[name]
    function.restype, function.argtypes = result, arguments
    return function


is_capsule_of = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, c_char_p)
pointer_of = _python("PyCapsule_GetPointer", c_void_p, ctypes.py_object, c_char_p)
KINDS = (b"dltensor", b"dltensor_versioned")


def described(capsule) -> Described:
    """Returns the content of a capsule. Raises RuntimeError for anything else, and if it was read before."""
    for name in KINDS:
        if is_capsule_of(capsule, name):
            start = pointer_of(capsule, name)
            return Described.from_address(start) if name == KINDS[0] else Versioned.from_address(start).described
    raise RuntimeError(INVALID)


# ---- export


def exported(tensor: Tensor, *, max_version=None, copy=None) -> Any:
    """Returns a capsule on the memory of a tensor, of version 1 if the reader supports it."""
    check_memory(tensor)
    element_dtype, array = tensor.dtype, host(tensor)
    array = array.copy(order="K") if copy else array
    if element_dtype in CODES:
        array = array.view(UNSIGNED_OF[element_dtype.itemsize])
    version = None if max_version is None or max_version[0] < VERSION[0] else VERSION
    capsule = (array if array.flags.writeable else writable(array)).__dlpack__(max_version=version)
    if element_dtype in CODES:
        described(capsule).code = CODES[element_dtype]
    return capsule


def check_memory(tensor: Tensor) -> None:
    """Raises BufferError for a tensor that is meta or has its conj or neg bit set."""
    if tensor.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    if True in marks_of(tensor._array):
        words = f"Can't export tensors with the {'conjugate' if tensor.is_conj() else 'negative'} bit set"
        raise noted(BufferError(words), "Export tensor.clone(), which has its numbers in memory of its own.")


def check_grad(tensor: Tensor) -> None:
    """Raises BufferError if a tensor requires grad: autograd would not see writes of another library."""
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")


def check_stream(stream) -> None:
    """Raises TypeError unless `stream` is an int or None, AssertionError if it is a stream, which the CPU lacks."""
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")


# ---- import


class Carrier:
    """Passes a capsule to `np.from_dlpack`."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return CPU


def is_capsule(value) -> bool:
    """Returns whether `value` is a capsule."""
    return type(value).__name__ == "PyCapsule"


def imported(capsule) -> Tensor:
    """Returns a tensor on the memory of a capsule.

    Raises RuntimeError for a capsule that was read before or an unsupported dtype, BufferError for memory that is not
    on the CPU.
    """
    content = described(capsule)
    if content.lanes != 1:
        raise RuntimeError("ATen does not support lanes != 1")
    element_dtype = BY_CODE.get((content.code, content.bits))
    if element_dtype is not None:
        content.code = UNSIGNED
    unversioned = is_capsule_of(capsule, KINDS[0])
    array = np.from_dlpack(Carrier(capsule))
    if unversioned and not array.flags.writeable:
        array = writable(array)  # these have no read-only flag, and NumPy assumes it
    tensor = wrap(array if element_dtype is None else array.view(element_dtype.numpy))
    tensor._storage.borrowed = True
    return tensor


def requested(source, target: device | None, copy) -> Any:
    """Returns the capsule of an object with `__dlpack__`, of version 1 if it supports that."""
    options: dict = {} if copy is None else {"copy": copy}
    if target is not None:
        options["dl_device"] = dlpack_device(target)
    try:
        return source.__dlpack__(max_version=VERSION, **options)
    except TypeError:
        return source.__dlpack__()


def dlpack_device(target: device) -> tuple[int, int]:
    """Returns device type and index as DLPack writes them. Raises BufferError for the meta device."""
    if target.type == "meta":
        raise BufferError("Cannot pack tensors on meta")
    return ({"cpu": 1, "cuda": 2}[target.type], target.index or 0)


def device_of(numbers: tuple[int, int]) -> device:
    """Returns the device for DLPack's device type and index."""
    device_type, index = numbers
    names = {1: "cpu", 2: "cuda"}
    if device_type not in names:
        raise BufferError(f"rushlight has no device of DLPack's kind {int(device_type)}")
    return device(names[device_type], index if device_type == 2 else None)


def writable(array: np.ndarray) -> np.ndarray:
    """Returns a writable array on the same memory."""
    if not array.size:
        return array.copy()
    spans = [step * (length - 1) for step, length in zip(array.strides, array.shape, strict=True)]
    first = min(0, sum(span for span in spans if span < 0))
    count = sum(map(abs, spans)) + array.itemsize
    memory = (c_char * count).from_address(array.__array_interface__["data"][0] + first)
    memory._owner = array  # keeps it alive
    return np.ndarray(array.shape, array.dtype, memory, -first, array.strides)
