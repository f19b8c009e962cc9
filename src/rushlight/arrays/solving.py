"""Linear equations, inverses and determinants of batches of matrices, all by LAPACK.

NumPy runs over a batch in C and stops at the first singular matrix. Only then is each matrix factored by itself, so
that `info` can say which pivots are zero.
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
    """`x` with `a @ x = b` for square matrices, and of each the number of its first zero pivot, 0 if there is none."""
    own, batch = a.shape[:-2], np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if not a.size or not b.size:
        return np.zeros((*batch, *b.shape[-2:]), b.dtype), np.zeros(own, np.int32)
    if own == batch and are_tiny(a):
        return small_matrices.solve(a, np.broadcast_to(b, (*batch, *b.shape[-2:])))
    if is_better(a):
        return _solve_each(a, b)
    try:
        return spoiled(a, np.linalg.solve(a, b)), np.zeros(own, np.int32)
    except LinAlgError:
        return _solve_each(a, b)


def inverse(array):
    """The inverses of square matrices, and of each the number of its first zero pivot, 0 if there is none."""
    if not array.size:
        return array.copy(), np.zeros(array.shape[:-2], np.int32)
    identity = np.broadcast_to(np.eye(array.shape[-1], dtype=array.dtype), array.shape)
    if are_tiny(array):
        return small_matrices.solve(array, identity)
    if is_better(array):
        found, info = inverses(array)
        return _solve_each(array, identity) if info.any() else (found, info)
    try:
        return spoiled(array, np.linalg.inv(array)), np.zeros(array.shape[:-2], np.int32)
    except LinAlgError:
        return _solve_each(array, identity)


def spoiled(a, found):
    """What is found, nan all over where a matrix has one: OpenBLAS, which takes none for a pivot, leaves numbers."""
    flat = found.reshape(-1)
    total = np.vdot(flat, flat)
    if total != total:
        found[np.broadcast_to(np.isnan(a).any((-2, -1)), found.shape[:-2])] = np.nan
    return found


def _solve_each(a, b):
    if a.shape[:-2] == b.shape[:-2] and are_many(a):
        return small_matrices.solve(a, b)
    factor, substitute = (routine(name, a.dtype.char) for name in ("getrf", "getrs"))
    factors = {place: factor(a[place]) for place in np.ndindex(a.shape[:-2])}
    info = np.array([code for _, _, code in factors.values()], np.int32).reshape(a.shape[:-2])
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    sides = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    x = np.empty(sides.shape, b.dtype)
    for place in np.ndindex(batch):
        lu, pivots, _ = factors[_own_place(place, a.shape[:-2])]
        x[place], _ = substitute(lu, pivots, sides[place])
    return x, info


def _own_place(place: tuple, batch: tuple) -> tuple:
    """Where an array that was broadcast holds what stands at a place of the result."""
    return tuple(min(at, size - 1) for at, size in zip(place[len(place) - len(batch) :], batch, strict=True))


def solve_triangular(a, b, upper: bool, left: bool, unit: bool):
    """`x` with `a @ x = b`, or `x @ a = b` unless `left`; reads one triangle of `a`, and no diagonal if `unit`."""
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
    for place in np.ndindex(batch):
        # The transposes are in Fortran's order, which BLAS wants: x.T @ a.T = b.T
        x[place] = substitute(1, a[place].T, b[place].T, side=left, lower=upper, diag=unit).T
    return x


def _solve_triangular_together(a, b, upper: bool, left: bool, unit: bool):
    """Of one matrix: what stands on the other side in a whole batch is columns, or rows, of one matrix."""
    if not left:
        return solve_triangular(a, b.reshape(-1, b.shape[-1]), upper, left, unit).reshape(b.shape)
    columns = np.moveaxis(b, -2, 0)
    found = solve_triangular(a, columns.reshape(len(columns), -1), upper, left, unit)
    return np.ascontiguousarray(np.moveaxis(found.reshape(columns.shape), 0, -2))


# ---- least squares


def least_squares(a, b, rcond: float, driver: str):
    """The shortest `x` that makes `a @ x - b` shortest; of each `a` the rank, the singular values and LAPACK's code.

    Singular values up to `rcond` times the largest count as 0. Only "gelsd" and "gelss" find them; "gels" takes it that
    the rank is full, and its code is not 0 where that is wrong.
    """
    own, count = a.shape[:-2], min(a.shape[-2:])
    b = np.broadcast_to(b, (*np.broadcast_shapes(own, b.shape[:-2]), *b.shape[-2:]))
    x = np.zeros((*b.shape[:-2], a.shape[-1], b.shape[-1]), a.dtype)
    rank, info = np.zeros(own, np.int64), np.zeros(own, np.int32)
    singular = np.zeros((*own, count), a.real.dtype)
    find = _of_full_rank if driver == "gels" else functools.partial(_of_any_rank, rcond=rcond, driver=driver)
    rest = np.full(b.shape[:-2], a.size and b.size, bool)
    if rest.any() and driver in ("gels", "gelsy") and own == b.shape[:-2] and are_many(a) and are_many(b):
        x, certain = small_matrices.least_squares(a, b, rcond if driver == "gelsy" else 0)
        rank[...], rest = count, ~certain
    for place in map(tuple, np.argwhere(rest)):
        here = _own_place(place, own)
        x[place], rank[here], singular[here], info[here] = find(a[here], b[place])
    return x, rank, singular, info


def _of_full_rank(a, b):
    rows, columns = a.shape
    padded = np.zeros((max(rows, columns), b.shape[-1]), a.dtype)  # room for the longer of b and x
    padded[:rows] = b
    _, found, info = routine("gels", a.dtype.char)(a, padded)
    return found[:columns], min(rows, columns), 0, info


def _of_any_rank(a, b, rcond: float, driver: str):
    x, _, rank, singular = linalg().lstsq(a, b, rcond, lapack_driver=driver, check_finite=False)
    return x, rank, 0 if singular is None else singular, 0


# ---- determinants and what they change by


def determinant(array):
    """The determinants of square matrices, 1 where there are no elements."""
    if not array.size:
        return np.ones(array.shape[:-2], array.dtype)
    found = np.linalg.det(array)
    return found if has_no_zero(found) else np.where(np.isnan(array).any((-2, -1)), array.dtype.type(np.nan), found)


def has_no_zero(found) -> bool:
    """Whether LAPACK has looked at all of the matrices, which it leaves at a pivot that is zero, whatever follows."""
    return bool(found.all() if found.ndim else found)


def log_determinant(array):
    """The signs of the determinants of square matrices, and the logarithms of their sizes."""
    sign, size = np.linalg.slogdet(array)
    if not has_no_zero(sign):
        size = np.where(np.isnan(array).any((-2, -1)), size.dtype.type(np.nan), size)
    return sign, size


def cofactors(array):
    """The derivatives of the determinants of square matrices by their elements; also of singular ones.

    An invertible matrix has the cofactors `det(A) * inv(A).T`. For the others, with `A = U @ diag(s) @ V`, they are
    those of `diag(s)`, products of all singular values but one, in the frame of `U` and `V`.
    """
    sizes = determinant(array)
    if np.all(sizes != 0):
        inverses, info = inverse(array)
        if not info.any():
            return sizes[..., None, None] * np.swapaxes(inverses, -1, -2)
    left, s, right = np.linalg.svd(array)
    return _turned(_without_each(s)[..., None] * np.eye(s.shape[-1], dtype=array.dtype), left, right)


def cofactor_changes(array, direction):
    """How the cofactors of square matrices change when those move along a direction.

    Those of `diag(s)` change in the diagonal by the sums of `P[i, j] * direction[j, j]`, and elsewhere by
    `-P[i, j] * direction[j, i]`, where `P[i, j]` is the product of all of `s` but the i-th and j-th, `P[i, i]` being 0.
    """
    left, s, right = np.linalg.svd(array)
    inner = np.swapaxes(left.conj(), -1, -2) @ direction @ np.swapaxes(right.conj(), -1, -2)
    products = _without_two(s)
    along = np.diagonal(inner, axis1=-2, axis2=-1)
    on_diagonal = (products @ along[..., None]) * np.eye(s.shape[-1], dtype=array.dtype)
    return _turned(on_diagonal - products * np.swapaxes(inner, -1, -2), left, right)


def _turned(inner, left, right):
    """Cofactors in the frame of the singular vectors: those of a unitary matrix are its conjugate and determinant."""
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
    # Row j has a 1 in the place of s[j], so that leaving out another as well leaves out two.
    return np.where(identity, 0, _without_each(np.where(identity, 1, s[..., None, :])))
