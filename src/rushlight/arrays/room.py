"""Whether there is room for an array: asked before work begins, or told in PyTorch's words after NumPy has refused.

Sizes are programs' and may be anything: a value in the place of a length, a number that wrapped around.
"""

from __future__ import annotations

import math

import numpy as np

LIMIT = 1 << 63  # of a size, and of how many bytes there are
SMALL = 1 << 28  # bytes that nobody has to ask for
TOO_LARGE = ("array is too big", "Maximum allowed")  # NumPy of a size that no memory can have


def check_room(shape, itemsize: int) -> None:
    """Raises RuntimeError for an array that no memory can hold, or this machine's cannot."""
    check_extent(shape, itemsize)
    needed = math.prod(shape) * itemsize
    if needed > SMALL:
        try:
            np.empty(needed, np.uint8)  # which touches nothing
        except MemoryError:
            raise no_memory(needed) from None


def check_extent(shape, itemsize: int, strides=None) -> None:
    """Raises RuntimeError for a size of more bytes than can be counted, or negative strides; these are in elements."""
    if strides is None:
        reach = math.prod(shape)
        if not reach and math.prod(each or 1 for each in shape) >= LIMIT:
            raise overflowed(shape)
    else:
        reach = 0 if 0 in shape else 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if reach * itemsize >= LIMIT or (strides is not None and min(strides, default=0) < 0):
        raise overflowed(shape, strides)


def overflowed(shape, strides=None) -> RuntimeError:
    """A size that no memory can have; of no elements, its strides are what overflows."""
    if strides is None and 0 in shape:
        return RuntimeError("Stride calculation overflowed")
    told = "" if strides is None else f" and strides={list(strides)}"
    error = RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}{told}")
    error.add_note("The lengths of a size multiply to the number of elements: is one of them a value and not a length?")
    return error


def no_memory(needed: int) -> RuntimeError:
    """PyTorch's error for so many bytes that there are not."""
    return RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
        f"allocate {needed} bytes. Error code 12 (Cannot allocate memory)"
    )


def refused(error: Exception, shape, itemsize: int) -> Exception:
    """What PyTorch says where NumPy refused to make an array; the error itself if it is about something else."""
    if isinstance(error, MemoryError):
        return no_memory(math.prod(shape) * itemsize)
    return overflowed(shape) if str(error).startswith(TOO_LARGE) else error
