"""Numbers evenly spaced, rounded as PyTorch's vector units round them."""

from functools import lru_cache

import numpy as np

# Where a product of two numbers is exact, or as good as exact.
WIDER = {
    np.dtype(kind): np.dtype(wider)
    for kind, wider in (
        (np.float32, np.float64),
        (np.float64, np.longdouble),
        (np.complex64, np.complex128),
        (np.complex128, np.clongdouble),
    )
}


def evenly_spaced(start, end, steps: int, kind) -> np.ndarray:
    """From both ends towards the middle, in the precision of the dtype `kind`, which is no integer's.

    >>> evenly_spaced(0, 1, 3, np.dtype(np.float32))
    array([0. , 0.5, 1. ], dtype=float32)
    """
    first, last = kind.type(start), kind.type(end)
    # NumPy divides complex numbers in two roundings.
    whole = WIDER.get(kind, kind).type if kind.kind == "c" else kind.type
    step = kind.type(whole(last - first) / whole(max(steps - 1, 1)))
    # Multiplied and added with one rounding, as vector units do it; small floats are rounded at every step.
    wider = WIDER.get(kind, kind)
    first, last, half = wider.type(first), wider.type(last), steps // 2
    counted = np.arange(steps - half).astype(wider) * wider.type(step)
    spaced = np.empty(steps, kind)
    spaced[:half], spaced[half:] = counted[:half] + first, last - counted[::-1]
    return spaced


@lru_cache(maxsize=64)
def starts(rows, length):
    """Where each row of a matrix begins, to be read only."""
    return np.arange(0, rows * length, length)
