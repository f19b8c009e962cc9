"""`A = P L U` and `A = L D L^T`, and what is done with such factors.

A factor packed in one matrix has L below the diagonal, without the ones on it, and U from the diagonal on. The
derivative of LU is that of de Hoog, Anderssen and Lukas, "Differentiation of matrix functionals using triangular
factorization" (2011), for square matrices; rows and columns beyond those are `A_2 U^-1` and `L^-1 A_2`.
"""

from __future__ import annotations

import warnings

from rushlight.declarations import results
from rushlight.declarations.batches import aligned, fronts, padded, rank_of
from rushlight.declarations.checks.matrices import check_floating, check_kernel, check_square
from rushlight.declarations.checks.triangular_factors import check_ldl_solve, check_lu, check_packed
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import INT32
from rushlight.declarations.factors import check_info, check_pivoting, solved
from rushlight.declarations.shapes import broadcast

ZERO_PIVOT = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)
ZERO_BLOCK = "D[{0},{0}] is zero: the matrix is singular."
MATRICES = lambda r: [(r(3, 3),), (r(4, 2),), (r(2, 4),), (r(2, 3, 2),), (r(2, 2, 3),), (r(0, 3),), (r(0, 2, 2),)]


# ---- L U


@op(exact=True, no_fp_errors=False)
class linalg_lu:
    """A permutation P, lower triangular L with ones on the diagonal and upper triangular U of `A = P L U`."""

    returns = "P, L, U"

    def forward(xp, A: Tensor, *, pivot=True):
        check_lu("linalg.lu", A)
        check_pivoting(pivot)
        packed, pivots, _ = xp.lu(A)
        return xp.permutations(pivots, A.shape[-2], A.dtype), *unpacked(xp, packed)

    shape = lambda A, *, pivot: shapes_of_factors(A)

    def d_A(F, g_L, g_U, P, L, U):
        return P @ lu_gradient(F, g_L, g_U, L, U)

    samples = MATRICES


face(linalg_lu, out_same_dtype=True, named_tuple=results.linalg_lu)


@op(exact=True, no_fp_errors=False)
class linalg_lu_factor_ex:
    """L and U of `A = P L U` in one matrix, the rows exchanged, counted from 1, and per matrix its first zero pivot."""

    returns = "LU, pivots, info"

    def forward(xp, A: Tensor, *, pivot=True, check_errors=False):
        check_lu("torch.lu_factor", A)
        check_pivoting(pivot)
        LU, pivots, info = xp.lu(A)
        if check_errors:
            check_info("torch.linalg.lu_factor_ex", info, ZERO_PIVOT, RuntimeError)
        return LU, pivots, info

    def shape(A, *, pivot, check_errors):
        check_lu("torch.lu_factor", A)
        batch = A.shape[:-2]
        pivots = results.MetaArray((*batch, min(A.shape[-2:])), INT32)
        return results.like(A), pivots, results.MetaArray(batch, INT32)

    def d_A(F, g_LU, LU, pivots):
        count = pivots.shape[-1]
        P, L, U = F.lu_unpack(LU, pivots)
        return P @ lu_gradient(F, g_LU[..., :count], g_LU[..., :count, :], L, U)

    samples = MATRICES


face(linalg_lu_factor_ex, out_same_dtype=True, named_tuple=results.linalg_lu_factor_ex)


@composite(samples=lambda r: [(r(3, 3),), (r(4, 2),), (r(2, 2, 3),)])
def linalg_lu_factor(F, A, *, pivot=True):
    """L and U of `A = P L U` in one matrix, and the rows exchanged. Raises RuntimeError if a pivot is zero."""
    LU, pivots, info = F.linalg_lu_factor_ex(A, pivot=pivot)
    check_info("torch.linalg.lu_factor", info, ZERO_PIVOT, RuntimeError)
    return results.linalg_lu_factor(LU, pivots)


face(linalg_lu_factor, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(3, 3),), (r(2, 2, 3), {"get_infos": True})])
def lu(F, A, pivot=True, get_infos=False):
    """L and U of `A = P L U` in one matrix, and the rows exchanged; with `get_infos` the first zero pivots as well."""
    warnings.warn(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
        "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
        "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
        "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
        "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
        stacklevel=3,
    )
    LU, pivots, info = F.linalg_lu_factor_ex(A, pivot=pivot)
    return results.lu_with_info(LU, pivots, info) if get_infos else (LU, pivots)


face(lu, out=True)


@op(exact=True, no_fp_errors=False)
class lu_unpack:
    """P, L and U from the result of `lu_factor`; empty without `unpack_pivots` and `unpack_data`."""

    returns = "P, L, U"

    def forward(xp, LU_data: Tensor, LU_pivots: Constant, unpack_data=True, unpack_pivots=True):
        check_packed(LU_data, LU_pivots, unpack_pivots)
        dtype, rows = LU_data.dtype, LU_data.shape[-2]
        P = xp.permutations(LU_pivots, rows, dtype) if unpack_pivots else nothing(xp, LU_data)
        L, U = unpacked(xp, LU_data) if unpack_data else (nothing(xp, LU_data), nothing(xp, LU_data))
        return P, L, U

    def shape(LU_data, LU_pivots, unpack_data, unpack_pivots):
        P, L, U = shapes_of_factors(LU_data)
        empty = results.MetaArray((0,), LU_data.dtype)
        return P if unpack_pivots else empty, *((L, U) if unpack_data else (empty, empty))

    def d_LU_data(F, g_L, g_U, unpack_data):
        if not unpack_data:
            return None
        below, above = F.tril(g_L, -1), F.triu(g_U)
        rows, count, columns = *below.shape[-2:], above.shape[-1]
        return F.constant_pad_nd(below, (0, columns - count)) + F.constant_pad_nd(above, (0, 0, 0, rows - count))

    def batch(F, b, LU_data, LU_pivots, unpack_data, unpack_pivots):
        P, *factors = F.lu_unpack(*fronts(F, b, LU_data=LU_data, LU_pivots=LU_pivots), unpack_data, unpack_pivots)
        empty = lambda each: F.expand(each, (b.size, *each.shape))
        return P if unpack_pivots else empty(P), *(factors if unpack_data else map(empty, factors))

    samples = lambda r: [
        (r(3, 3), exchanges(r, 3)),
        (r(2, 4, 2), exchanges(r, 2, 2)),
        (r(2, 4), exchanges(r, 2), True, False),
        (r(2, 4), exchanges(r, 2), False),
        (r(0, 0), exchanges(r, 0)),
    ]


face(lu_unpack, method=None, out_same_dtype=True, named_tuple=results.lu_unpack)


def exchanges(r, *shape: int):
    """Random rows to exchange, the first or the second, counted from 1."""
    return (r.integers(2, *shape) + 1).int()


def nothing(xp, array):
    """An empty array of the same dtype."""
    return xp.zeros_like(xp.reshape(array, (-1,))[:0])


def unpacked(xp, packed) -> tuple:
    """L and U of one matrix that holds both."""
    count = min(packed.shape[-2:])
    below = xp.tril(packed[..., :count], -1)
    return below + xp.eye(*below.shape[-2:], dtype=packed.dtype), xp.triu(packed[..., :count, :])


def shapes_of_factors(A) -> tuple:
    """P, L and U of a matrix without numbers."""
    *batch, rows, columns = A.shape
    count = min(rows, columns)
    shapes = ((*batch, rows, rows), (*batch, rows, count), (*batch, count, columns))
    return tuple(results.MetaArray(each, A.dtype) for each in shapes)


def lu_gradient(F, g_L, g_U, L, U):
    """The gradient of `L U`, given those of L below the diagonal and of U from it on."""
    count = L.shape[-1]
    if L.shape[-2] > count:
        g_rest = solved(F, F.adjoint(U), g_L[..., count:, :], upper=False, left=False)
        g_U = g_U - F.adjoint(L[..., count:, :]) @ g_rest
        first = square_lu_gradient(F, g_L[..., :count, :], g_U, L[..., :count, :], U)
        return F.cat([first, g_rest], -2)
    if U.shape[-1] > count:
        g_rest = solved(F, F.adjoint(L), g_U[..., count:], upper=True, unit=True)
        g_L = g_L - g_rest @ F.adjoint(U[..., count:])
        first = square_lu_gradient(F, g_L, g_U[..., :count], L, U[..., :count])
        return F.cat([first, g_rest], -1)
    return square_lu_gradient(F, g_L, g_U, L, U)


def square_lu_gradient(F, g_L, g_U, L, U):
    """The gradient of the product of two square triangular matrices."""
    inner = F.tril(F.adjoint(L) @ g_L, -1) + F.triu(g_U @ F.adjoint(U))
    half = solved(F, F.adjoint(U), inner, upper=False, left=False)
    return solved(F, F.adjoint(L), half, upper=True, unit=True)


# ---- L D L^T

SYMMETRIC = lambda r: [(r(3, 3).detach(),), (r(2, 3, 3).detach(), {"hermitian": True}), (r(0, 0).detach(),)]


@op(exact=True, no_fp_errors=False)
class linalg_ldl_factor_ex:
    """L and the block-diagonal D of `A = L D L^T` in one matrix (L^H if `hermitian`), pivots, first zeros of D."""

    returns = "LD, pivots, info"

    def forward(xp, A: Tensor, *, hermitian=False, check_errors=False):
        check_ldl(A)
        LD, pivots, info = xp.ldl(A, hermitian)
        if check_errors:
            check_info("torch.linalg.ldl_factor_ex", info, ZERO_BLOCK)
        return LD, pivots, info

    def shape(A, *, hermitian, check_errors):
        check_ldl(A)
        return results.like(A), results.MetaArray(A.shape[:-1], INT32), results.MetaArray(A.shape[:-2], INT32)

    def d_A(F, g_LD):
        raise RuntimeError("derivative for aten::linalg_ldl_factor_ex is not implemented")

    samples = SYMMETRIC


face(linalg_ldl_factor_ex, node="NotImplemented", out_same_dtype=True, named_tuple=results.linalg_ldl_factor_ex)


@composite(samples=SYMMETRIC)
def linalg_ldl_factor(F, A, *, hermitian=False):
    """L and the block-diagonal D of `A = L D L^T` in one matrix (L^H if `hermitian`), and pivots."""
    LD, pivots, info = F.linalg_ldl_factor_ex(A, hermitian=hermitian)
    check_info("torch.linalg.ldl_factor", info, ZERO_BLOCK)
    return results.linalg_ldl_factor(LD, pivots)


face(linalg_ldl_factor, out=True, out_same_dtype=True)


@op(exact=True, no_fp_errors=False)
class linalg_ldl_solve:
    """The solutions X of `A X = B`, from the result of `ldl_factor(A)`."""

    def forward(xp, LD: Tensor, pivots: Constant, B: Tensor, *, hermitian=False):
        check_ldl_solve(LD, pivots, B)
        batch = broadcast((LD.shape[:-2], B.shape[:-2]))
        size, columns = B.shape[-2:]
        LD, pivots = xp.broadcast_to(LD, (*batch, size, size)), xp.broadcast_to(pivots, (*batch, size))
        return xp.ldl_solve(LD, pivots, xp.broadcast_to(B, (*batch, size, columns)), hermitian)

    def shape(LD, pivots, B, *, hermitian):
        check_ldl_solve(LD, pivots, B)
        return results.MetaArray((*broadcast((LD.shape[:-2], B.shape[:-2])), *B.shape[-2:]), B.dtype)

    def d_LD(F, g):
        raise RuntimeError("derivative for aten::linalg_ldl_solve is not implemented")

    def d_B(F, g):
        raise RuntimeError("derivative for aten::linalg_ldl_solve is not implemented")

    def batch(F, b, LD, pivots, B, hermitian):
        rank = max(rank_of(b, "LD", LD), rank_of(b, "B", B))
        LD, pivots = fronts(F, b, LD=LD, pivots=pivots)
        return F.linalg_ldl_solve(
            padded(F, LD, rank), padded(F, pivots, rank - 1), aligned(F, b, rank, "B", B), hermitian=hermitian
        )

    samples = lambda r: [(r(3, 3).detach(), exchanges(r, 3), r(3, 2).detach())]


face(linalg_ldl_solve, node="NotImplemented", out_same_dtype=True)


def check_ldl(A) -> None:
    """Raises unless there are square matrices of floating-point numbers."""
    name = "torch.linalg.ldl_factor_ex"
    check_square(name, A)
    check_floating(name, A, low_precision=True)
    check_kernel("ldl_factor_kernel_cpu", A)
