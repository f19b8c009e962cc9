"""Inverses, and the solutions of linear equations."""

from __future__ import annotations

import math
import warnings

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.formats import CONTIGUOUS
from rushlight.core.tensor import wrap
from rushlight.ops import results
from rushlight.ops.declare import composite, op
from rushlight.ops.factors import check_info
from rushlight.ops.kinds import INT32, raw_dtype, scalar_names
from rushlight.ops.matrices import (
    check_floating,
    check_kernel,
    check_matrix,
    check_one_dtype,
    check_sides,
    check_sizes,
    check_square,
)
from rushlight.ops.shapes import broadcast, wrapped

NOT_INVERTIBLE = (
    "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
)
NOT_SOLVABLE = "The solver failed because the input matrix is singular."
SQUARE = lambda r: [(r.invertible(3, 3),), (r.invertible(2, 3, 3),), (r(0, 0),), (r(0, 2, 2),), (r.positive(1, 1),)]

# ---- inverses


@op(exact=True, quiet=False, spaces=(), returned=results.linalg_inv_ex)
class inverse_and_info:
    """The inverses of square matrices, and of each the number of its first pivot that is zero, 0 if none is."""

    returns = "inverse, info"

    def forward(xp, A: Tensor):
        check_square("linalg.inv", A)
        check_floating("linalg.inv", A)
        return xp.inverse(A)

    def d_A(F, g_inverse, inverse):
        adjoint = F.mH(inverse)
        return -F.matmul(adjoint, F.matmul(g_inverse, adjoint))

    def shape(A):
        return MetaArray(A.shape, A.dtype), MetaArray(A.shape[:-2], INT32)

    node = "LinalgInvExBackward0"
    samples = SQUARE


@composite(spaces=("linalg",), method=None, out=True, samples=SQUARE)
def linalg_inv_ex(F, A, *, check_errors=False):
    """The inverses of square matrices, and `info`: 0, or the number of the first pivot that is zero."""
    found = F.inverse_and_info(A)
    if check_errors:
        check_info("linalg.inv_ex", found[1], NOT_INVERTIBLE)
    return found


@composite(spaces=("linalg",), method=None, out=True, samples=SQUARE)
def linalg_inv(F, A):
    """The inverses of square matrices (..., n, n). Raises LinAlgError if one is singular."""
    inverse, info = F.inverse_and_info(A)
    check_info("linalg.inv", info, NOT_INVERTIBLE)
    return inverse


@composite(out=True, samples=SQUARE)
def inverse(F, input):
    """The inverses of square matrices: `linalg.inv`."""
    return F.linalg_inv(input)


# ---- equations


def is_vector(shape: tuple, other: tuple) -> bool:
    """Whether right-hand sides of this other shape are vectors, one for each matrix of a batch or one for all."""
    return len(other) == 1 or (len(shape) - 1 == len(other) and tuple(other) == tuple(shape[:-1]))


def as_columns(F, side, vector: bool):
    """Right-hand sides as matrices."""
    return F.unsqueeze(side, -1) if vector else side


@op(exact=True, quiet=False, spaces=(), returned=results.linalg_solve_ex)
class solution_and_info:
    """The `result` with `A @ result = B`, or `result @ A = B` unless `left`; and of each `A` its first zero pivot."""

    returns = "result, info"

    def forward(xp, A: Tensor, B: Tensor, left):
        vector = check_equations(A, B, left)
        if A.size:
            check_kernel("lu_cpu", A)
        if not left:
            found, info = xp.solve(xp.swapaxes(A, -1, -2), xp.swapaxes(B, -1, -2))
            return xp.swapaxes(found, -1, -2), info
        found, info = xp.solve(A, B[..., None] if vector else B)
        return found[..., 0] if vector else found, info

    def d_A(F, g_result, A, B_shape, result, left):
        vector = is_vector(A.shape, B_shape)
        pulled = as_columns(F, F.solution_and_info(F.mH(A), g_result, left)[0], vector)
        along = F.mH(as_columns(F, result, vector))
        change = F.matmul(pulled, along) if left else F.matmul(along, pulled)
        return F.fit(-change, A.shape, raw_dtype(A))

    def d_B(F, g_result, A, B_shape, left):
        return F.fit(F.solution_and_info(F.mH(A), g_result, left)[0], B_shape, raw_dtype(A))

    def shape(A, B, left):
        vector = check_equations(A, B, left)
        batch = broadcast((A.shape[:-2], B.shape[:-1] if vector else B.shape[:-2]))
        shape = (*batch, *B.shape[-1 if vector else -2 :])
        return MetaArray(shape, A.dtype), MetaArray(A.shape[:-2], INT32)

    node = "LinalgSolveExBackward0"
    samples = lambda r: [(*each[:2], True) for each in EQUATIONS(r)] + [(r.invertible(2, 2), r(3, 2), False)]


def check_equations(A, B, left: bool) -> bool:
    """Raises unless the equations make sense; whether the right-hand sides are vectors."""
    name = "linalg.solve"
    check_square(name, A)
    check_floating(name, A, low_precision=True)
    check_one_dtype(name, ("A", A), ("B", B))
    vector = is_vector(A.shape, B.shape)
    if not vector:
        check_matrix(name, B, "B")
    check_sizes(name, A.shape, (*B.shape, 1) if vector else B.shape, left=left)
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


@composite(spaces=("linalg",), method=None, out=True, samples=lambda r: EQUATIONS(r) + FROM_RIGHT(r))
def linalg_solve_ex(F, A, B, *, left=True, check_errors=False):
    """The `result` with `A @ result = B`, and `info`: 0, or the number of the first pivot of `A` that is zero."""
    found = F.solution_and_info(A, B, left)
    if check_errors:
        check_info("torch.linalg.solve_ex", found[1], NOT_SOLVABLE)
    return found


@composite(spaces=("linalg",), method=None, out=True, samples=lambda r: EQUATIONS(r) + FROM_RIGHT(r))
def linalg_solve(F, A, B, *, left=True):
    """The `X` with `A @ X = B`, or with `X @ A = B` unless `left`. Raises LinAlgError if an `A` is singular.

    `A` is (..., n, n); `B` is (..., n, k), or (..., k, n) unless `left`, or vectors (n,) or (..., n).
    """
    result, info = F.solution_and_info(A, B, left)
    check_info("torch.linalg.solve", info, NOT_SOLVABLE)
    return result


# ---- equations in several dimensions


@composite(
    spaces=("linalg",), method=None, out=True, samples=lambda r: [(r(2, 3, 6),), (r(6, 3, 2), 1), (r.positive(1, 1), 1)]
)
def linalg_tensorinv(F, A, ind=2):
    """The inverse of `A` for `tensordot` over `ind` dimensions: those after `ind` come first in the result."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind', but got " + str(ind))
    if A.ndim < ind:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {A.ndim}")
    first, last = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    rows, columns = math.prod(first), math.prod(last)
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    inverse, info = F.inverse_and_info(F.reshape(A, (rows, columns)))
    check_info("inv", info, NOT_INVERTIBLE)
    return F.reshape(inverse, (*last, *first))


@composite(
    spaces=("linalg",),
    method=None,
    out=True,
    samples=lambda r: [(r(2, 3, 6), r(2, 3)), (r(2, 6, 3), r(2, 3), (1,)), (r(3, 1, 3), r(3))],
)
def linalg_tensorsolve(F, A, B, dims=None):
    """The `X` with `tensordot(A, X, X.ndim) = B`, after `dims` of `A` were moved to its end."""
    if dims is not None:
        moved = tuple(wrapped(dim, A.ndim) for dim in dims)
        A = F.permute(A, (*(dim for dim in range(A.ndim) if dim not in moved), *moved))
    shape = tuple(A.shape[B.ndim :])
    columns, rows = math.prod(shape), math.prod(A.shape[: B.ndim])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {columns} != {rows}"
        )
    return F.reshape(F.linalg_solve(F.reshape(A, (rows, columns)), F.reshape(B, (-1,))), shape)


# ---- triangular matrices


@op(exact=True, quiet=False, spaces=("linalg",), method=None)
class linalg_solve_triangular:
    """The `X` with `A @ X = B`, or `X @ A = B` unless `left`, where `A` is triangular: its other half is not read.

    `B` is brought to the dtype of `A`. A zero on the diagonal gives inf and nan, no error; `unitriangular` says that
    the diagonal is 1, and not read.
    """

    def forward(xp, A: Tensor, B: Tensor, *, upper, left=True, unitriangular=False):
        check_triangular(A, B, left)
        return xp.solve_triangular(A, xp.astype(B, A.dtype), upper, left, unitriangular)

    def d_A(F, g, A, out, upper, left, unitriangular):
        pulled = F.linalg_solve_triangular(F.mH(A), g, upper=not upper, left=left, unitriangular=unitriangular)
        change = F.matmul(pulled, F.mH(out)) if left else F.matmul(F.mH(out), pulled)
        return F.fit(triangle(F, -change, upper, unitriangular), A.shape, raw_dtype(A))

    def d_B(F, g, A, B_shape, B_dtype, upper, left, unitriangular):
        pulled = F.linalg_solve_triangular(F.mH(A), g, upper=not upper, left=left, unitriangular=unitriangular)
        return F.fit(pulled, B_shape, B_dtype)

    def shape(A, B, *, upper, left, unitriangular):
        check_triangular(A, B, left)
        return MetaArray((*broadcast((A.shape[:-2], B.shape[:-2])), *B.shape[-2:]), A.dtype)

    samples = lambda r: [
        (r.invertible(3, 3), r(3, 2), {"upper": True}),
        (r.invertible(2, 1, 3, 3), r(4, 3, 2), {"upper": False}),
        (r.invertible(3, 3), r(2, 2, 3), {"upper": True, "left": False}),
        (r(3, 3), r(3, 1), {"upper": False, "unitriangular": True}),
        (r(0, 0), r(0, 2), {"upper": True}),
        (r.invertible(2, 2), r(2, 0), {"upper": True}),
    ]


def triangle(F, input, upper: bool, unit: bool = False):
    """One triangle of matrices, without the diagonal if that is 1 in any case."""
    return F.triu(input, int(unit)) if upper else F.tril(input, -int(unit))


def check_triangular(A, B, left: bool) -> None:
    """Raises unless triangular equations make sense."""
    name = "linalg.solve_triangular"
    check_square(name, A)
    check_matrix(name, B, "B")
    check_sizes(name, A.shape, B.shape, left=left)
    check_kernel("triangular_solve_cpu", A)


def check_pair(kernel: str, b, A) -> None:
    """Raises unless the operands of a function from before `torch.linalg` fit."""
    check_sides("", A)
    if A.shape[-1] != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {kernel}: each A matrix is {A.shape[-1]} by {A.shape[-1]} but each b matrix"
            f" is {b.shape[-2]} by {b.shape[-1]}"
        )
    if raw_dtype(b) != raw_dtype(A):
        one, two = scalar_names(b, A)
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {one} and A of type {two} instead."
        )
    broadcast((b.shape[:-2], A.shape[:-2]))
    check_kernel(f"{kernel}_cpu", b)


@composite(
    out=True,
    samples=lambda r: [
        (r(3, 2), r.invertible(3, 3)),
        (r(4, 3, 2), r.invertible(2, 1, 3, 3), False),
        (r(3, 2), r.invertible(3, 3), True, True),
        (r(3, 2), r.invertible(3, 3), True, False, True),
    ],
)
def triangular_solve(F, input, A, upper=True, transpose=False, unitriangular=False):
    """The solution of `A @ solution = input`, `A` triangular, and a copy of `A`. Deprecated: see its warning."""
    warnings.warn(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
        "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one "
        "of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
        "X = torch.linalg.solve_triangular(A, B).",
        stacklevel=4,
    )
    for name, each in (("b", input), ("A", A)):
        if each.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {each.ndim} "
                "dimensions instead"
            )
    check_pair("triangular_solve", input, A)
    batch = broadcast((input.shape[:-2], A.shape[:-2]))
    A = F.expand(A, (*batch, *A.shape[-2:]))
    turned = F.transpose(A, -1, -2) if transpose else A
    solution = F.linalg_solve_triangular(turned, input, upper=upper != transpose, unitriangular=unitriangular)
    return results.triangular_solve(solution, F.clone(A, memory_format=CONTIGUOUS))


# ---- matrices that are factored already

# The first row exchanged with the third, the second with itself.
PIVOTS = lambda: wrap(np.array([3, 2, 3], np.int32))

FACTORED = lambda r: [
    (r(3, 2), r.invertible(3, 3)),
    (r(4, 3, 2), r.invertible(2, 1, 3, 3), True),
    (r(0, 2), r(0, 0)),
]


@composite(out=True, samples=FACTORED)
def cholesky_solve(F, input, L, upper=False):
    """The `X` with `A @ X = input`, where `A` is `L @ L.mH`, or `L.mH @ L` if `upper`: L is its Cholesky factor."""
    for name, each in (("b", input), ("u", L)):
        if each.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {each.ndim} dimensions instead")
    check_pair("cholesky_solve", input, L)
    first, second = (F.mH(L), L) if upper else (L, F.mH(L))
    return F.linalg_solve_triangular(second, F.linalg_solve_triangular(first, input, upper=False), upper=True)


@composite(
    spaces=("linalg",),
    method=None,
    out=True,
    samples=lambda r: [
        (r.invertible(3, 3), PIVOTS(), r(3, 2)),
        (r.invertible(3, 3), PIVOTS(), r(4, 3, 2), {"adjoint": True}),
        (r.invertible(3, 3), PIVOTS(), r(2, 3), {"left": False}),
        (r.invertible(3, 3), PIVOTS(), r(2, 3), {"left": False, "adjoint": True}),
    ],
)
def linalg_lu_solve(F, LU, pivots, B, *, left=True, adjoint=False):
    """The `X` with `A @ X = B`, or `X @ A = B` unless `left`, from what `linalg.lu_factor(A)` returned.

    `adjoint` puts `A.mH` in the place of `A`.
    """
    check_factors(LU, pivots, B, left)
    if not left:
        return F.mH(F.linalg_lu_solve(LU, pivots, F.mH(B), adjoint=not adjoint))
    P = F.lu_unpack(LU, pivots, False)[0]
    if adjoint:
        inner = F.linalg_solve_triangular(F.mH(LU), B, upper=False)
        inner = F.linalg_solve_triangular(F.mH(LU), inner, upper=True, unitriangular=True)
        return F.matmul(P, inner)
    inner = F.linalg_solve_triangular(LU, F.matmul(F.mT(P), B), upper=False, unitriangular=True)
    return F.linalg_solve_triangular(LU, inner, upper=True)


def check_factors(LU, pivots, B, left: bool) -> None:
    """Raises unless equations can be solved with an LU factorisation."""
    name = "linalg.lu_solve"
    check_floating(f"torch.{name}", LU, low_precision=True)
    check_one_dtype(name, ("LU", LU), ("B", B))
    if raw_dtype(pivots) != INT32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_square(f"torch.{name}", LU)
    check_matrix(name, B, "B")
    if pivots.shape[-1] != LU.shape[-1]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if tuple(pivots.shape) != tuple(LU.shape[:-1]):
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    check_sizes(name, LU.shape, B.shape, left=left)
    check_pivots(pivots, LU.shape[-2])


def check_pivots(pivots, rows: int) -> None:
    """Raises unless each pivot is the number of a row."""
    if pivots.is_meta or not pivots.numel():
        return
    for wrong, words in ((pivots < 1, "greater or equal to 1"), (pivots > rows, "smaller or equal to LU.size(-2)")):
        if wrong.any().item():
            raise RuntimeError(
                f"Pivots given to lu_solve must all be {words}. Did you properly pass the result of lu_factor?"
            )


@composite(out=True, samples=lambda r: [(r(3, 2), r.invertible(3, 3), PIVOTS())])
def lu_solve(F, input, LU_data, LU_pivots):
    """The `X` with `A @ X = input`, from what `linalg.lu_factor(A)` returned. Deprecated: see its warning."""
    warnings.warn(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
        stacklevel=4,
    )
    return F.linalg_lu_solve(LU_data, LU_pivots, input)
