"""Makes the C library keep the memory of large arrays for reuse.

By default it returns arrays of 32 MB and more to the system, and free memory at the end of its heap; the next operator
then gets new pages, which the system fills with zeros: for large arrays that takes as long as the arithmetic.
"""

from __future__ import annotations

import ctypes
from functools import cache

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # parameters of glibc's mallopt
KEPT = 1 << 28  # maximum free bytes at the end of the heap
LARGEST = (1 << 28, 1 << 25)  # bytes of the largest array in the heap; the second is the limit of older versions


@cache
def reuse() -> bool:
    """Makes the C library keep the memory of large arrays; returns whether that is supported."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt"):
        return False
    library.mallopt(TRIM_THRESHOLD, KEPT)
    return any(library.mallopt(MMAP_THRESHOLD, size) for size in LARGEST)
