"""Inverses, and the solutions of linear equations."""

from __future__ import annotations

import math

from rushlight.arrays.meta import MetaArray
from rushlight.declarations import results
from rushlight.declarations.batches import aligned, rank_of, shape_of
from rushlight.declarations.checks import matrices as checks
from rushlight.declarations.checks.solve import check_tensorinv_ind, check_tensorinv_square, check_tensorsolve_square
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import INT32, raw_dtype
from rushlight.declarations.factors import check_info
from rushlight.declarations.shapes import broadcast, wrap_dim

NOT_INVERTIBLE = (
    "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
)
NOT_SOLVABLE = "The solver failed because the input matrix is singular."
SQUARE = lambda r: [(r.invertible(3, 3),), (r.invertible(2, 3, 3),), (r(0, 0),), (r(0, 2, 2),), (r.positive(1, 1),)]

# ---- inverses


@op(exact=True, no_fp_errors=False)
class inverse_and_info:
    """The inverses of square matrices, and of each the number of its first pivot that is zero, 0 if none is."""

    returns = "inverse, info"

    def forward(xp, A: Tensor):
        checks.check_square("linalg.inv", A)
        checks.check_floating("linalg.inv", A)
        return xp.inverse(A)

    def d_A(F, g_inverse, inverse):
        adjoint = F.mH(inverse)
        return -F.matmul(adjoint, F.matmul(g_inverse, adjoint))

    def jvp(F, A_t, inverse):
        return -F.matmul(inverse, F.matmul(A_t, inverse)), None

    def shape(A):
        return MetaArray(A.shape, A.dtype), MetaArray(A.shape[:-2], INT32)

    samples = SQUARE


face(inverse_and_info, spaces=(), named_tuple=results.linalg_inv_ex, node="LinalgInvExBackward0")


@composite(samples=SQUARE)
def linalg_inv_ex(F, A, *, check_errors=False):
    """The inverses of square matrices, and `info`: 0, or the number of the first pivot that is zero."""
    result = F.inverse_and_info(A)
    if check_errors:
        check_info("linalg.inv_ex", result[1], NOT_INVERTIBLE)
    return result


face(linalg_inv_ex, method=None, out=True, out_same_dtype=True)


@composite(samples=SQUARE)
def linalg_inv(F, A):
    """The inverses of square matrices (..., n, n). Raises LinAlgError if one is singular."""
    inverse, info = F.inverse_and_info(A)
    check_info("linalg.inv", info, NOT_INVERTIBLE)
    return inverse


face(linalg_inv, method=None, out=True, out_same_dtype=True)


@composite(samples=SQUARE)
def inverse(F, input):
    """The inverses of square matrices: `linalg.inv`."""
    return F.linalg_inv(input)


face(inverse, out=True, out_same_dtype=True)


# ---- equations


def is_vector(shape: tuple, other: tuple) -> bool:
    """Whether right-hand sides of this other shape are vectors, one for each matrix of a batch or one for all."""
    return len(other) == 1 or (len(shape) - 1 == len(other) and tuple(other) == tuple(shape[:-1]))


def as_columns(F, side, vector: bool):
    """Right-hand sides as matrices."""
    return F.unsqueeze(side, -1) if vector else side


@op(exact=True, no_fp_errors=False)
class solution_and_info:
    """The `result` with `A @ result = B`, or `result @ A = B` unless `left`; and of each `A` its first zero pivot."""

    returns = "result, info"

    def forward(xp, A: Tensor, B: Tensor, left):
        vector = check_equations(A, B, left)
        if A.size:
            checks.check_kernel("lu_cpu", A)
        if not left:
            result, info = xp.solve(xp.swapaxes(A, -1, -2), xp.swapaxes(B, -1, -2))
            return xp.swapaxes(result, -1, -2), info
        result, info = xp.solve(A, B[..., None] if vector else B)
        return result[..., 0] if vector else result, info

    def common(F, g_result, A, left):
        return F.solution_and_info(F.mH(A), g_result, left)[0]

    def d_A(F, A, B_shape, result, left, common):
        vector = is_vector(A.shape, B_shape)
        pulled, along = as_columns(F, common, vector), F.mH(as_columns(F, result, vector))
        change = F.matmul(pulled, along) if left else F.matmul(along, pulled)
        return F.fit(-change, A.shape, raw_dtype(A))

    def d_B(F, A, B_shape, common):
        return F.fit(common, B_shape, raw_dtype(A))

    def jvp(F, A_t, B_t, A, B_shape, result, left):
        vector, change = is_vector(A.shape, B_shape), None
        if A_t is not None:
            known = as_columns(F, result, vector)
            change = -(F.matmul(A_t, known) if left else F.matmul(known, A_t))
        if B_t is not None:
            side = as_columns(F, B_t, vector)
            change = side if change is None else change + side
        moved = F.solution_and_info(A, change, left)[0]
        return F.squeeze(moved, -1) if vector else moved, None

    def shape(A, B, left):
        vector = check_equations(A, B, left)
        batch = broadcast((A.shape[:-2], B.shape[:-1] if vector else B.shape[:-2]))
        shape = (*batch, *B.shape[-1 if vector else -2 :])
        return MetaArray(shape, A.dtype), MetaArray(A.shape[:-2], INT32)

    def batch(F, b, A, B, left):
        vector = is_vector(shape_of(b, "A", A), shape_of(b, "B", B))
        rank = max(rank_of(b, "A", A), rank_of(b, "B", B) + vector)
        if vector and not left:
            return NotImplemented
        B = F.unsqueeze(B, -1) if vector else B
        B = aligned(F, b, rank, "B", B) if "B" in b.batched else F.unsqueeze(B, 0)  # which is then no vector
        result, info = F.solution_and_info(aligned(F, b, rank, "A", A), B, left)
        info = info if "A" in b.batched else F.expand(info, (b.size, *info.shape))
        return F.squeeze(result, -1) if vector else result, info

    samples = lambda r: [(*each[:2], True) for each in EQUATIONS(r)] + [(r.invertible(2, 2), r(3, 2), False)]


face(solution_and_info, spaces=(), named_tuple=results.linalg_solve_ex, node="LinalgSolveExBackward0")


def check_equations(A, B, left: bool) -> bool:
    """Raises unless the equations make sense; whether the right-hand sides are vectors."""
    name = "linalg.solve"
    checks.check_square(name, A)
    checks.check_floating(name, A, low_precision=True)
    checks.check_one_dtype(name, ("A", A), ("B", B))
    vector = is_vector(A.shape, B.shape)
    if not vector:
        checks.check_matrix(name, B, "B")
    checks.check_sizes(name, A.shape, (*B.shape, 1) if vector else B.shape, left=left)
    return vector


EQUATIONS = lambda r: [
    (r.invertible(3, 3), r(3, 2)),
    (r.invertible(3, 3), r(3)),
    (r.invertible(2, 3, 3), r(2, 3)),
    (r.invertible(2, 1, 2, 2), r(3, 2, 2)),
    (r.invertible(2, 3, 3), r(3)),
    (r(0, 0), r(0, 2)),
    (r.invertible(2, 2), r(2, 0)),
]
FROM_RIGHT = lambda r: [
    (r.invertible(3, 3), r(2, 3), {"left": False}),
    (r.invertible(2, 2, 2), r(1, 2), {"left": False}),
]


@composite(samples=lambda r: EQUATIONS(r) + FROM_RIGHT(r))
def linalg_solve_ex(F, A, B, *, left=True, check_errors=False):
    """The `result` with `A @ result = B`, and `info`: 0, or the number of the first pivot of `A` that is zero."""
    result = F.solution_and_info(A, B, left)
    if check_errors:
        check_info("torch.linalg.solve_ex", result[1], NOT_SOLVABLE)
    return result


face(linalg_solve_ex, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: EQUATIONS(r) + FROM_RIGHT(r))
def linalg_solve(F, A, B, *, left=True):
    """The `X` with `A @ X = B`, or with `X @ A = B` unless `left`. Raises LinAlgError if an `A` is singular.

    `A` is (..., n, n); `B` is (..., n, k), or (..., k, n) unless `left`, or vectors (n,) or (..., n).
    """
    result, info = F.solution_and_info(A, B, left)
    check_info("torch.linalg.solve", info, NOT_SOLVABLE)
    return result


face(linalg_solve, method=None, out=True, out_same_dtype=True)


# ---- equations in several dimensions


@composite(samples=lambda r: [(r(2, 3, 6),), (r(6, 3, 2), 1), (r.positive(1, 1), 1)])
def linalg_tensorinv(F, A, ind=2):
    """The inverse of `A` for `tensordot` over `ind` dimensions: those after `ind` come first in the result."""
    check_tensorinv_ind(A, ind)
    first, last = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    rows, columns = math.prod(first), math.prod(last)
    check_tensorinv_square(rows, columns)
    inverse, info = F.inverse_and_info(F.reshape(A, (rows, columns)))
    check_info("inv", info, NOT_INVERTIBLE)
    return F.reshape(inverse, (*last, *first))


face(linalg_tensorinv, method=None, out=True, castable=("tensorinv", "result"))


@composite(samples=lambda r: [(r(2, 3, 6), r(2, 3)), (r(2, 6, 3), r(2, 3), (1,)), (r(3, 1, 3), r(3))])
def linalg_tensorsolve(F, A, B, dims=None):
    """The `X` with `tensordot(A, X, X.ndim) = B`, after `dims` of `A` were moved to its end."""
    if dims is not None:
        moved = tuple(wrap_dim(dim, A.ndim) for dim in dims)
        A = F.permute(A, (*(dim for dim in range(A.ndim) if dim not in moved), *moved))
    shape = tuple(A.shape[B.ndim :])
    columns, rows = math.prod(shape), math.prod(A.shape[: B.ndim])
    check_tensorsolve_square(rows, columns)
    return F.reshape(F.linalg_solve(F.reshape(A, (rows, columns)), F.reshape(B, (-1,))), shape)


face(linalg_tensorsolve, method=None, out=True, castable=("tensorsolve", "result"))
