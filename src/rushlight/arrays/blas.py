"""Adds multiples of many arrays to many arrays, for steps of gradient descent.

BLAS does it in one call and rounds once, as PyTorch does; NumPy needs two calls and rounds twice. (OpenBLAS's kernel
for AMD's processors rounds twice too, in the elements after the last full vector.) SciPy provides BLAS, but takes
longer to import than it saves on few arrays.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from rushlight.arrays.lapack import linalg

MANY = 64
LETTERS = {np.dtype("f4"): "s", np.dtype("f8"): "d"}


@cache
def _function(name: str, dtype: np.dtype):
    return getattr(linalg().blas, LETTERS[dtype] + name)


def flat_views(arrays: list[np.ndarray]) -> list[np.ndarray] | None:
    """Returns writable 1-d views of the same memory with real elements; None if some memory has gaps."""
    return flat_values(arrays) if all([array.flags.c_contiguous for array in arrays]) else None


def flat_values(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Returns the elements as 1-d arrays, complex ones as pairs of parts."""
    dtype = arrays[0].dtype
    if dtype in LETTERS:
        if {array.ndim for array in arrays} == {1}:
            return arrays
        return [array.reshape(-1) for array in arrays]
    return [np.ascontiguousarray(array).reshape(-1).view(arrays[0].real.dtype) for array in arrays]


def scale(flats: list[np.ndarray], factor: float) -> None:
    """Multiplies flat arrays of one dtype in place."""
    if len(flats) < MANY:
        multiply = np.array(factor, flats[0].dtype)  # NumPy is slower with a Python number
        for flat in flats:
            flat *= multiply
        return
    scal = _function("scal", flats[0].dtype)
    for flat in flats:
        if flat.size:
            scaled = scal(factor, flat)
            if scaled is not flat:  # BLAS needs aligned memory, and got a copy
                flat[...] = scaled


def add_multiples(flats: list[np.ndarray], others: list[np.ndarray], factor: float) -> None:
    """Adds multiples of flat arrays to as many flat arrays of the same sizes and dtype, in place."""
    sizes = [flat.size for flat in flats]
    if sizes != [other.size for other in others]:
        raise ValueError("the arrays to be added have other sizes than those that they are added to")
    if len(flats) < MANY or 0 in sizes:
        multiple = np.array(factor, flats[0].dtype)
        for flat, other in zip(flats, others, strict=True):
            flat += other * multiple
        return
    axpy = _function("axpy", flats[0].dtype)
    for flat, other, size in zip(flats, others, sizes, strict=True):
        changed = axpy(other, flat, size, factor)
        if changed is not flat:
            flat[...] = changed
