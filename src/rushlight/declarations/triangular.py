"""Linear equations with triangular matrices, and with matrices that are factored into such."""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.formats import CONTIGUOUS
from rushlight.core.tensor import wrap
from rushlight.declarations import results
from rushlight.declarations.checks import matrices as checks
from rushlight.declarations.checks.triangular import (
    check_cholesky_solve_rank,
    check_factors,
    check_pair,
    check_triangular_solve_rank,
)
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import OTHER_SCALAR, raw_dtype
from rushlight.declarations.shapes import broadcast

# ---- triangular matrices


@op(exact=True, no_fp_errors=False)
class linalg_solve_triangular:
    """The `X` with `A @ X = B`, or `X @ A = B` unless `left`, where `A` is triangular: its other half is not read.

    `B` is brought to the dtype of `A`. A zero on the diagonal gives inf and nan, no error; `unitriangular` says that
    the diagonal is 1, and not read.
    """

    def forward(xp, A: Tensor, B: Tensor, *, upper, left=True, unitriangular=False):
        check_triangular(A, B, left)
        return xp.solve_triangular(A, xp.astype(B, A.dtype), upper, left, unitriangular)

    def common(F, g, A, upper, left, unitriangular):
        return F.linalg_solve_triangular(F.mH(A), g, upper=not upper, left=left, unitriangular=unitriangular)

    def d_A(F, A, out, upper, left, unitriangular, common):
        change = F.matmul(common, F.mH(out)) if left else F.matmul(F.mH(out), common)
        return F.fit(triangle(F, -change, upper, unitriangular), A.shape, raw_dtype(A))

    def d_B(F, B_shape, B_dtype, common):
        return F.fit(common, B_shape, B_dtype)

    def jvp(F, A_t, B_t, A, out, upper, left, unitriangular):
        change = B_t
        if A_t is not None:
            turned = triangle(F, A_t, upper, unitriangular)
            term = -(F.matmul(turned, out) if left else F.matmul(out, turned))
            change = term if change is None else change + term
        return F.linalg_solve_triangular(A, change, upper=upper, left=left, unitriangular=unitriangular)

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


face(linalg_solve_triangular, method=None, out_same_dtype=OTHER_SCALAR)


def triangle(F, input, upper: bool, unit: bool = False):
    """One triangle of matrices, without the diagonal if that is 1 in any case."""
    return F.triu(input, int(unit)) if upper else F.tril(input, -int(unit))


def check_triangular(A, B, left: bool) -> None:
    """Raises unless triangular equations make sense."""
    name = "linalg.solve_triangular"
    checks.check_square(name, A)
    checks.check_matrix(name, B, "B")
    checks.check_sizes(name, A.shape, B.shape, left=left)
    checks.check_kernel("triangular_solve_cpu", A)


@composite(
    samples=lambda r: [
        (r(3, 2), r.invertible(3, 3)),
        (r(4, 3, 2), r.invertible(2, 1, 3, 3), False),
        (r(3, 2), r.invertible(3, 3), True, True),
        (r(3, 2), r.invertible(3, 3), True, False, True),
    ]
)
def triangular_solve(F, input, A, upper=True, transpose=False, unitriangular=False):
    """The solution of `A @ solution = input`, `A` triangular, and a copy of `A`. Deprecated: see its warning."""
    warnings.warn(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
        "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one "
        "of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
        "X = torch.linalg.solve_triangular(A, B).",
        stacklevel=3,
    )
    for name, each in (("b", input), ("A", A)):
        check_triangular_solve_rank(each, name)
    check_pair("triangular_solve", input, A)
    batch = broadcast((input.shape[:-2], A.shape[:-2]))
    A = F.expand(A, (*batch, *A.shape[-2:]))
    turned = F.transpose(A, -1, -2) if transpose else A
    solution = F.linalg_solve_triangular(turned, input, upper=upper != transpose, unitriangular=unitriangular)
    return results.triangular_solve(solution, F.clone(A, memory_format=CONTIGUOUS))


face(triangular_solve, documented_names={"input": "b"}, out=True)


# ---- matrices that are factored already

# The first row exchanged with the third, the second with itself.
PIVOTS = lambda: wrap(np.array([3, 2, 3], np.int32))


@op(exact=True, no_fp_errors=False)
class cholesky_solve:
    """The `X` with `A @ X = B`, where `A` is `L @ L.mH`, or `L.mH @ L` if `upper`: L is its Cholesky factor.

    One half of L is read. The gradient is that of `L @ L.mH` with all of L, as in PyTorch.
    """

    def forward(xp, input: Tensor, input2: Tensor, upper=False):
        check_cholesky_solve(input, input2)
        L = xp.conj(xp.swapaxes(input2, -1, -2)) if upper else input2
        half = xp.solve_triangular(L, input, False, True, False)
        return xp.solve_triangular(xp.conj(xp.swapaxes(L, -1, -2)), half, True, True, False)

    def common(F, g, input2, upper):
        return F.cholesky_solve(g, input2, upper)

    def d_input(F, input_shape, input_dtype, common):
        return F.fit(common, input_shape, input_dtype)

    def d_input2(F, input2, out, upper, common):
        turned = F.matmul(common, F.mH(out))
        change = turned + F.mH(turned)
        return F.fit(
            -(F.matmul(input2, change) if upper else F.matmul(change, input2)), input2.shape, raw_dtype(input2)
        )

    def jvp(F, input_t, input2_t, input2, out, upper):
        change = input_t
        if input2_t is not None:
            turned = F.matmul(F.mH(input2), input2_t) if upper else F.matmul(input2_t, F.mH(input2))
            term = -F.matmul(turned + F.mH(turned), out)
            change = term if change is None else change + term
        return F.cholesky_solve(change, input2, upper)

    def shape(input, input2, upper):
        check_cholesky_solve(input, input2)
        return MetaArray((*broadcast((input.shape[:-2], input2.shape[:-2])), *input.shape[-2:]), input.dtype)

    samples = lambda r: [
        (r(3, 2), r.invertible(3, 3)),
        (r(4, 3, 2), r.invertible(2, 1, 3, 3), True),
        (r(0, 2), r(0, 0)),
    ]


face(cholesky_solve, documented_names={"input": "B", "input2": "L"}, method_names={"input2": "input2"}, out=True)


def check_cholesky_solve(input, input2) -> None:
    """Raises unless the right sides and the factor go together."""
    for name, each in (("b", input), ("u", input2)):
        check_cholesky_solve_rank(each, name)
    check_pair("cholesky_solve", input, input2)


@composite(
    samples=lambda r: [
        (r.invertible(3, 3), PIVOTS(), r(3, 2)),
        (r.invertible(3, 3), PIVOTS(), r(4, 3, 2), {"adjoint": True}),
        (r.invertible(3, 3), PIVOTS(), r(2, 3), {"left": False}),
        (r.invertible(3, 3), PIVOTS(), r(2, 3), {"left": False, "adjoint": True}),
    ]
)
def linalg_lu_solve(F, LU, pivots, B, *, left=True, adjoint=False):
    """The `X` with `A @ X = B`, or `X @ A = B` unless `left`, from what `linalg.lu_factor(A)` returned.

    `adjoint` uses `A.mH` instead of `A`.
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


face(linalg_lu_solve, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(3, 2), r.invertible(3, 3), PIVOTS())])
def lu_solve(F, input, LU_data, LU_pivots):
    """The `X` with `A @ X = input`, from what `linalg.lu_factor(A)` returned. Deprecated: see its warning."""
    warnings.warn(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
        stacklevel=3,
    )
    return F.linalg_lu_solve(LU_data, LU_pivots, input)


face(lu_solve, documented_names={"input": "b"}, out=True, out_same_dtype=True)
