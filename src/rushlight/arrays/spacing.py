"""Evenly spaced numbers, rounded as PyTorch's vector units round them."""

from functools import lru_cache

import numpy as np

# Dtypes in which a product of two values is exact, or nearly so.
WIDER = {
    np.dtype(kind): np.dtype(wider)
    for kind, wider in (
        (np.float32, np.float64),
        (np.float64, np.longdouble),
        (np.complex64, np.complex128),
        (np.complex128, np.clongdouble),
    )
}


KEPT = 1 << 10  # number of cached steps


def evenly_spaced(start, end, steps: int, dtype) -> np.ndarray:
    """Returns numbers spaced from both ends towards the middle, in the precision of `dtype`, not an integer dtype.

    >>> evenly_spaced(0, 1, 3, np.dtype(np.float32))
    array([0. , 0.5, 1. ], dtype=float32)
    """
    first, last = dtype.type(start), dtype.type(end)
    # NumPy divides complex values with two roundings.
    whole = WIDER.get(dtype, dtype).type if dtype.kind == "c" else dtype.type
    step = dtype.type(whole(last - first) / whole(max(steps - 1, 1)))
    # Multiplied and added with one rounding, as vector units do; half precision is rounded at every step.
    wider = WIDER.get(dtype, dtype)
    first, last, half = wider.type(first), wider.type(last), steps // 2
    spaced = (counted if steps <= KEPT else counted.__wrapped__)(steps, wider) * wider.type(step)
    head, tail = spaced[:half], spaced[half:]
    np.add(head, first, head)
    np.subtract(last, tail, tail)
    return spaced.astype(dtype, copy=False)


@lru_cache(maxsize=64)
def counted(steps, dtype):
    """Returns the number of steps from each position to the nearer end; read-only."""
    ahead = np.arange(steps - steps // 2).astype(dtype)
    return np.concatenate((ahead[: steps // 2], ahead[::-1]))


@lru_cache(maxsize=64)
def starts(rows, length):
    """Returns the flat index at which each row of a matrix begins; read-only."""
    return np.arange(0, rows * length, length)
