"""Memory of large arrays, which the C library is to keep for the next one.

By itself it gives every array of 32 MB and more back to the system, and what is free at the end of its heap; the next
operator then gets new pages, which the system fills with zeros one by one: for large arrays that takes as long as the
arithmetic.
"""

from __future__ import annotations

import ctypes
from functools import cache

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # numbers of glibc's mallopt
KEPT = 1 << 28  # bytes that stay free at the end of the heap
LARGEST = (1 << 28, 1 << 25)  # bytes of the largest array in the heap; what older versions allow at most


@cache
def reuse() -> bool:
    """Asks the C library to keep the memory of large arrays; says whether it can."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt"):
        return False
    library.mallopt(TRIM_THRESHOLD, KEPT)
    return any(library.mallopt(MMAP_THRESHOLD, size) for size in LARGEST)
