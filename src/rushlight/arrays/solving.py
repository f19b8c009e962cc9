"""Linear equations, inverses and determinants of batches of matrices, by LAPACK.

NumPy loops over a batch in C and stops at the first singular matrix. Only then is each matrix factored separately, to
fill `info` with the indices of zero pivots.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.linalg import LinAlgError

from rushlight.arrays import small_matrices
from rushlight.arrays.lapack import inverses, is_better, linalg, routine
from rushlight.arrays.small_matrices import are_many, are_tiny


def solve(a, b):
    """Returns `x` with `a @ x = b` for square matrices, and for each the index of its first zero pivot, else 0."""
    a_batch, batch = a.shape[:-2], np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if not a.size or not b.size:
        return np.zeros((*batch, *b.shape[-2:]), b.dtype), np.zeros(a_batch, np.int32)
    if a_batch == batch and are_tiny(a):
        return small_matrices.solve(a, np.broadcast_to(b, (*batch, *b.shape[-2:])))
    if is_better(a):
        return _solve_each(a, b)
    try:
        return spoiled(a, np.linalg.solve(a, b)), np.zeros(a_batch, np.int32)
    except LinAlgError:
        return _solve_each(a, b)


def inverse(array):
    """Returns the inverses of square matrices, and for each the index of its first zero pivot, else 0."""
    if not array.size:
        return array.copy(), np.zeros(array.shape[:-2], np.int32)
    identity = np.broadcast_to(np.eye(array.shape[-1], dtype=array.dtype), array.shape)
    if are_tiny(array):
        return small_matrices.solve(array, identity)
    if is_better(array):
        result, info = inverses(array)
        return _solve_each(array, identity) if info.any() else (result, info)
    try:
        return spoiled(array, np.linalg.inv(array)), np.zeros(array.shape[:-2], np.int32)
    except LinAlgError:
        return _solve_each(array, identity)


def spoiled(a, result):
    """Replaces results by nan for matrices with a nan: OpenBLAS does not pivot on nan, and leaves numbers."""
    flat = result.reshape(-1)
    total = np.vdot(flat, flat)
    if total != total:
        result[np.broadcast_to(np.isnan(a).any((-2, -1)), result.shape[:-2])] = np.nan
    return result


def _solve_each(a, b):
    if a.shape[:-2] == b.shape[:-2] and are_many(a):
        return small_matrices.solve(a, b)
    factor, substitute = (routine(name, a.dtype.char) for name in ("getrf", "getrs"))
    factors = {index: factor(a[index]) for index in np.ndindex(a.shape[:-2])}
    info = np.array([code for _, _, code in factors.values()], np.int32).reshape(a.shape[:-2])
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    sides = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    x = np.empty(sides.shape, b.dtype)
    for index in np.ndindex(batch):
        lu, pivots, _ = factors[_own_place(index, a.shape[:-2])]
        x[index], _ = substitute(lu, pivots, sides[index])
    return x, info


def _own_place(index: tuple, batch: tuple) -> tuple:
    """Returns the index into an array that was broadcast, for an index of the result."""
    return tuple(min(at, size - 1) for at, size in zip(index[len(index) - len(batch) :], batch, strict=True))


def solve_triangular(a, b, upper: bool, left: bool, unit: bool):
    """Returns `x` with `a @ x = b`, or `x @ a = b` unless `left`; reads one triangle of `a`, no diagonal if `unit`."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.empty((*batch, *b.shape[-2:]), b.dtype)
    if not x.size:
        return x
    b = np.broadcast_to(b, x.shape)
    if math.prod(a.shape[:-2]) == 1 < math.prod(batch):
        return _solve_triangular_together(a.reshape(a.shape[-2:]), b, upper, left, unit)
    a = np.broadcast_to(a, (*batch, *a.shape[-2:]))
    if are_many(a) and are_many(b):
        return small_matrices.solve_triangular(a, b, upper, left, unit)
    substitute = routine("trsm", a.dtype.char)
    for index in np.ndindex(batch):
        # The transposes are in Fortran order, which BLAS needs: x.T @ a.T = b.T
        x[index] = substitute(1, a[index].T, b[index].T, side=left, lower=upper, diag=unit).T
    return x


def _solve_triangular_together(a, b, upper: bool, left: bool, unit: bool):
    """Solves for one matrix: the right sides of the batch become columns, or rows, of one matrix."""
    if not left:
        return solve_triangular(a, b.reshape(-1, b.shape[-1]), upper, left, unit).reshape(b.shape)
    columns = np.moveaxis(b, -2, 0)
    solution = solve_triangular(a, columns.reshape(len(columns), -1), upper, left, unit)
    return np.ascontiguousarray(np.moveaxis(solution.reshape(columns.shape), 0, -2))


# ---- least squares


def least_squares(a, b, rcond: float, driver: str):
    """Returns the minimum-norm least-squares solution; for each `a` the rank, singular values, LAPACK's code.

    Singular values up to `rcond` times the largest count as 0. Only "gelsd" and "gelss" compute them; "gels" assumes
    full rank, and returns a nonzero code if that is wrong.
    """
    a_batch, count = a.shape[:-2], min(a.shape[-2:])
    b = np.broadcast_to(b, (*np.broadcast_shapes(a_batch, b.shape[:-2]), *b.shape[-2:]))
    x = np.zeros((*b.shape[:-2], a.shape[-1], b.shape[-1]), a.dtype)
    rank, info = np.zeros(a_batch, np.int64), np.zeros(a_batch, np.int32)
    singular = np.zeros((*a_batch, count), a.real.dtype)
    solve_one = _of_full_rank if driver == "gels" else functools.partial(_of_any_rank, rcond=rcond, driver=driver)
    rest = np.full(b.shape[:-2], a.size and b.size, bool)
    if rest.any() and driver in ("gels", "gelsy") and a_batch == b.shape[:-2] and are_many(a) and are_many(b):
        x, certain = small_matrices.least_squares(a, b, rcond if driver == "gelsy" else 0)
        rank[...], rest = count, ~certain
    for index in map(tuple, np.argwhere(rest)):
        own_index = _own_place(index, a_batch)
        x[index], rank[own_index], singular[own_index], info[own_index] = solve_one(a[own_index], b[index])
    return x, rank, singular, info


def _of_full_rank(a, b):
    rows, columns = a.shape
    padded = np.zeros((max(rows, columns), b.shape[-1]), a.dtype)  # space for the longer of b and x
    padded[:rows] = b
    _, solution, info = routine("gels", a.dtype.char)(a, padded)
    return solution[:columns], min(rows, columns), 0, info


def _of_any_rank(a, b, rcond: float, driver: str):
    x, _, rank, singular = linalg().lstsq(a, b, rcond, lapack_driver=driver, check_finite=False)
    return x, rank, 0 if singular is None else singular, 0


# ---- determinants and their derivatives


def determinant(array):
    """The determinants of square matrices, 1 for matrices without elements."""
    if not array.size:
        return np.ones(array.shape[:-2], array.dtype)
    result = np.linalg.det(array)
    return result if has_no_zero(result) else np.where(np.isnan(array).any((-2, -1)), array.dtype.type(np.nan), result)


def has_no_zero(determinants) -> bool:
    """Whether LAPACK has read all matrices completely; it stops at a zero pivot."""
    return bool(determinants.all() if determinants.ndim else determinants)


def log_determinant(array):
    """The signs of the determinants of square matrices, and the logarithms of their absolute values."""
    sign, size = np.linalg.slogdet(array)
    if not has_no_zero(sign):
        size = np.where(np.isnan(array).any((-2, -1)), size.dtype.type(np.nan), size)
    return sign, size


def cofactors(array):
    """The derivatives of the determinants of square matrices by their elements; also for singular matrices.

    An invertible matrix has the cofactors `det(A) * inv(A).T`. For the others, with `A = U @ diag(s) @ V`, they are
    those of `diag(s)`, products of all singular values but one, transformed by `U` and `V`.
    """
    sizes = determinant(array)
    if np.all(sizes != 0):
        inverses, info = inverse(array)
        if not info.any():
            return sizes[..., None, None] * np.swapaxes(inverses, -1, -2)
    left, s, right = np.linalg.svd(array)
    return _in_singular_frame(_without_each(s)[..., None] * np.eye(s.shape[-1], dtype=array.dtype), left, right)


def cofactor_changes(array, direction):
    """The change of the cofactors of square matrices along a direction.

    Those of `diag(s)` change on the diagonal by the sums of `P[i, j] * direction[j, j]`, and elsewhere by `-P[i, j] *
    direction[j, i]`, where `P[i, j]` is the product of all of `s` but the i-th and j-th, and `P[i, i]` is 0.
    """
    left, s, right = np.linalg.svd(array)
    inner = np.swapaxes(left.conj(), -1, -2) @ direction @ np.swapaxes(right.conj(), -1, -2)
    products = _without_two(s)
    along = np.diagonal(inner, axis1=-2, axis2=-1)
    on_diagonal = (products @ along[..., None]) * np.eye(s.shape[-1], dtype=array.dtype)
    return _in_singular_frame(on_diagonal - products * np.swapaxes(inner, -1, -2), left, right)


def _in_singular_frame(inner, left, right):
    """Transforms cofactors by singular vectors; those of a unitary matrix are its conjugate times determinant."""
    sizes = np.linalg.det(left) * np.linalg.det(right)
    return sizes[..., None, None] * (left.conj() @ inner @ right.conj())


def _without_each(s):
    """The products of all but one of the last dimension."""
    before, after = np.ones_like(s), np.ones_like(s)
    np.cumprod(s[..., :-1], -1, out=before[..., 1:])
    after[..., :-1] = np.cumprod(s[..., :0:-1], -1)[..., ::-1]
    return before * after


def _without_two(s):
    """The products of all but two of the last dimension, as a symmetric matrix with zeros on its diagonal."""
    count = s.shape[-1]
    identity = np.eye(count, dtype=bool)
    # Row j has a 1 instead of s[j], so that leaving out another one leaves out two.
    return np.where(identity, 0, _without_each(np.where(identity, 1, s[..., None, :])))
