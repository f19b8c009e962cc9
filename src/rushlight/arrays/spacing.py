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


KEPT = 1 << 10  # numbers that were counted and may be wanted again


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
    spaced = (counted if steps <= KEPT else counted.__wrapped__)(steps, wider) * wider.type(step)
    begun, ended = spaced[:half], spaced[half:]
    np.add(begun, first, begun)
    np.subtract(last, ended, ended)
    return spaced.astype(kind, copy=False)


@lru_cache(maxsize=64)
def counted(steps, kind):
    """How many steps each number is from the end that is nearer, to be read only."""
    ahead = np.arange(steps - steps // 2).astype(kind)
    return np.concatenate((ahead[: steps // 2], ahead[::-1]))


@lru_cache(maxsize=64)
def starts(rows, length):
    """Where each row of a matrix begins, to be read only."""
    return np.arange(0, rows * length, length)
