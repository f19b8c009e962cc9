"""`array += factor * other` for many arrays at once: what a step of plain gradient descent is made of.

BLAS does it in one call and rounds once, as PyTorch does; NumPy needs two calls and rounds twice. SciPy has BLAS, and
takes longer to import than NumPy saves on few arrays.
"""

from __future__ import annotations

from functools import cache

import numpy as np

MANY = 64
KINDS = {np.dtype("f4"): "saxpy", np.dtype("f8"): "daxpy"}


@cache
def _axpy(kind: np.dtype):
    from scipy.linalg import blas

    return getattr(blas, KINDS[kind])


def add_multiples(flats: list[np.ndarray], others: list[np.ndarray], factor: float) -> None:
    """Adds multiples of arrays to flat arrays of float32 or float64, all of one dtype and contiguous."""
    if {other.ndim for other in others} != {1}:
        others = [other.reshape(-1) for other in others]
    sizes = [flat.size for flat in flats]
    if sizes != [other.size for other in others]:
        raise ValueError("the arrays to be added have other sizes than those that they are added to")
    if len(flats) < MANY or 0 in sizes:
        multiple = np.array(factor, flats[0].dtype)  # NumPy takes longer with a Python number
        for flat, other in zip(flats, others, strict=True):
            flat += other * multiple
        return
    axpy = _axpy(flats[0].dtype)
    for flat, other, size in zip(flats, others, sizes, strict=True):
        changed = axpy(other, flat, size, factor)
        if changed is not flat:  # BLAS wants aligned memory, and was given a copy
            flat[...] = changed
