"""`A = L D L^T` on the device, by cuSOLVER, which has it for symmetric matrices only."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.ldl import factored
from rushlight.arrays.small_matrices import INT32


def ldl(array, hermitian: bool) -> tuple:
    """Returns L and D in one matrix, LAPACK's pivots, and the index of the first zero of D, else 0."""
    if not array.size:
        return array.copy(), np.zeros(array.shape[:-1], INT32), np.zeros(array.shape[:-2], INT32)
    if hermitian and array.dtype.kind == "c":
        return factored(array, "hetrf")
    stack, batch = np.linalg.solvers.columns(array), array.shape[:-2]
    pivots, info = np.linalg.solvers.sytrf(stack)
    return np.tril(np.linalg.solvers.matrices(stack, batch)), pivots.reshape(array.shape[:-1]), info.reshape(batch)
