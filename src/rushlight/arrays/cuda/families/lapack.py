"""Factorizations on the device, by cuSOLVER and cuBLAS: nothing waits for the codes that they return."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.lapack import first
from rushlight.arrays.small_matrices import INT32
from rushlight.core.tables import xp


def cholesky(array, upper: bool) -> tuple:
    """Returns triangular factors, and the order of the first minor that is not positive-definite, else 0."""
    batch = array.shape[:-2]
    if not array.size:
        return array.copy(), np.zeros(batch, INT32)
    stack = np.linalg.solvers.rows(array)
    info = np.linalg.solvers.potrf(stack, lower=upper).reshape(batch)  # of the transposes
    factor = (np.triu(stack) if upper else np.tril(stack)).reshape(array.shape)
    is_nan = np.isnan(np.diagonal(factor, 0, -2, -1).real)  # it may pass the test for a positive pivot
    return factor, np.where(info == 0, first(is_nan), info)


def cholesky_inverse(factor, upper: bool) -> tuple:
    """Returns the inverse of each matrix given its Cholesky factor, and the first zero on the diagonal, else 0."""
    if not factor.size:
        return factor.copy(), np.zeros(factor.shape[:-2], INT32)
    lower = np.swapaxes(factor, -1, -2).conj() if upper else factor
    identity = np.broadcast_to(np.eye(factor.shape[-1], dtype=factor.dtype), factor.shape)
    half = xp.solve_triangular(lower, identity, False, True, False)
    whole = np.tril(np.swapaxes(half, -1, -2).conj() @ half)
    return whole + np.swapaxes(np.tril(whole, -1), -1, -2).conj(), first(np.diagonal(factor, 0, -2, -1) == 0)


def lu(array) -> tuple:
    """Returns both triangular factors in one matrix, the row swaps (counted from 1), and the first zero pivot."""
    batch, count = array.shape[:-2], min(array.shape[-2:])
    if not array.size:
        return array.copy(), np.zeros((*batch, count), INT32), np.zeros(batch, INT32)
    stack = np.linalg.solvers.columns(array)
    pivots, info = np.linalg.solvers.getrf(stack)
    return np.linalg.solvers.matrices(stack, batch), pivots.reshape(*batch, count), info.reshape(batch)


def permutations(pivots, size: int, dtype):
    """Returns the matrices P of `A = P L U` for successive row swaps: what solves `P X = 1`, transposed."""
    batch, count = pivots.shape[:-1], pivots.shape[-1]
    kind = dtype if dtype.char in "fdFD" else np.dtype(np.float32)
    identity = np.broadcast_to(np.eye(size, dtype=kind), (*batch, size, size))
    if not pivots.size:
        return identity.astype(dtype)
    others = np.broadcast_to(np.arange(count + 1, size + 1, dtype=INT32), (*batch, size - count))  # stay in place
    swaps, result = np.linalg.solvers.vectors(np.concatenate((pivots, others), -1)), np.linalg.solvers.rows(identity)
    np.linalg.solvers.getrs(np.linalg.solvers.rows(identity), swaps, result)
    return result.reshape(identity.shape).astype(dtype, copy=False)


# ---- reflections


def qr(array, mode: str) -> tuple:
    """Returns Q and R; an empty Q in the mode "r"."""
    if mode == "r":
        return np.zeros(0, array.dtype), np.linalg.qr(array, "r")
    return tuple(np.linalg.qr(array, mode))


def geqrf(array) -> tuple:
    """Returns R above the vectors of the reflections whose product is Q, and their factors."""
    packed, factors = np.linalg.qr(array, "raw")
    return np.swapaxes(packed, -1, -2), factors


def householder_product(array, factors):
    """Returns the first columns of the product of the reflections from `geqrf`."""
    if not array.size or not factors.shape[-1]:
        return np.broadcast_to(np.eye(*array.shape[-2:], dtype=array.dtype), array.shape).copy()
    stack = np.linalg.solvers.columns(array)
    np.linalg.solvers.orgqr(stack, np.linalg.solvers.vectors(factors))
    return np.linalg.solvers.matrices(stack, array.shape[:-2])


def ormqr(array, factors, other, left: bool, transpose: bool):
    """Returns the product of all reflections from `geqrf`, or of their adjoints, with other matrices."""
    count = factors.shape[-1]
    if not other.size or not count:
        return other.copy()
    vectors, stack = np.linalg.solvers.columns(array[..., :count]), np.linalg.solvers.columns(other)
    np.linalg.solvers.ormqr(vectors, np.linalg.solvers.vectors(factors), stack, left, transpose)
    return np.linalg.solvers.matrices(stack, other.shape[:-2])
