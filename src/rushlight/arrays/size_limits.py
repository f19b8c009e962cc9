"""Checks whether an array fits into memory, before work begins, or converts NumPy's refusal to PyTorch's error.

Sizes come from programs and may be anything: a value passed as a length, an integer that wrapped around.
"""

from __future__ import annotations

import math

import numpy as np

LIMIT = 1 << 63  # of a size, and of a number of bytes
MANY = 1 << 24  # elements
SMALL = 1 << 28  # bytes for which no check is needed
TOO_LARGE = ("array is too big", "Maximum allowed")  # NumPy's errors for sizes that no memory can hold


def check_size_fits(shape, itemsize: int) -> None:
    """Raises RuntimeError for an array that no memory, or not this machine's, can hold."""
    check_extent(shape, itemsize)
    needed = math.prod(shape) * itemsize
    if needed > SMALL:
        try:
            np.empty(needed, np.uint8)  # touches no memory
        except MemoryError:
            raise no_memory(needed) from None


def check_copy_fits(array) -> None:
    """Raises RuntimeError if memory cannot hold as many elements as `array` has, which may be an expanded one."""
    if array.size > MANY and type(array) is np.ndarray:
        check_size_fits(array.shape, array.itemsize)


def check_extent(shape, itemsize: int, strides=None) -> None:
    """Raises RuntimeError for a size in bytes that overflows, or negative strides; strides are in elements."""
    if strides is None:
        reach = math.prod(shape)
        if not reach and math.prod(length or 1 for length in shape) >= LIMIT:
            raise overflowed(shape)
    else:
        reach = 0 if 0 in shape else 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if reach * itemsize >= LIMIT or (strides is not None and min(strides, default=0) < 0):
        raise overflowed(shape, strides)


def overflowed(shape, strides=None) -> RuntimeError:
    """Returns the error for a size that overflows; for an empty size, its strides overflow."""
    if strides is None and 0 in shape:
        return RuntimeError("Stride calculation overflowed")
    strides_text = "" if strides is None else f" and strides={list(strides)}"
    error = RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}{strides_text}")
    error.add_note("The lengths of a size multiply to the number of elements: is one of them a value and not a length?")
    return error


def no_memory(needed: int) -> RuntimeError:
    """Returns PyTorch's error for too little memory."""
    return RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
        f"allocate {needed} bytes. Error code 12 (Cannot allocate memory)"
    )


def refused(error: Exception, shape, itemsize: int) -> Exception:
    """Converts NumPy's refusal to make an array to PyTorch's error; returns other errors unchanged."""
    if isinstance(error, MemoryError):
        return no_memory(math.prod(shape) * itemsize)
    return overflowed(shape) if str(error).startswith(TOO_LARGE) else error
