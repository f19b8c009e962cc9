"""`A = L L^H` of Hermitian positive-definite matrices, and what is done with L.

One triangle of A is looked at, and gradients are Hermitian: A is taken to vary as a Hermitian matrix. The derivative is
that of Murray, "Differentiation of the Cholesky decomposition" (2016).
"""

from __future__ import annotations

import warnings

from rushlight.declarations import results
from rushlight.declarations.checks.matrices import check_floating, check_kernel, check_square
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import INT32
from rushlight.declarations.factors import check_info, solved

NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{} is not positive-definite)."
)
POSITIVE_NOTE = (
    "A Hermitian matrix with positive eigenvalues is wanted: where rounding made it less, A + 1e-6 * torch.eye(n) "
    "helps; linalg.cholesky_ex returns such complaints instead of raising."
)
SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


def positive(A, *, upper=False):
    """Returns a Hermitian positive-definite matrix computed from any matrix."""
    return A @ A.mH + 1


POSITIVE = lambda r: [
    (each.detach().requires_grad_(), {"upper": upper})
    for each, upper in (
        (positive(r(3, 3)), False),
        (positive(r(2, 3, 3)), True),
        (positive(r(2, 1, 1)), False),
        (r(0, 0), True),
    )
]


@op(exact=True, no_fp_errors=False)
class linalg_cholesky_ex:
    """L of `A = L L^H`, its adjoint if `upper`, and per matrix the order of the first minor that forbids it, else 0."""

    returns = "L, info"

    def forward(xp, A: Tensor, *, upper=False, check_errors=False):
        check_square("linalg.cholesky", A)
        check_floating("linalg.cholesky", A, low_precision=True)
        check_kernel("cholesky_cpu", A)
        L, info = xp.cholesky(A, upper)
        if check_errors:
            check_info("linalg.cholesky_ex", info, NOT_POSITIVE, note=POSITIVE_NOTE)
        return L, info

    def shape(A, *, upper, check_errors):
        check_square("linalg.cholesky", A)
        return results.like(A), results.MetaArray(A.shape[:-2], INT32)

    def d_A(F, g_L, L, upper):
        return cholesky_gradient(F, g_L, L, upper)

    def jvp(F, A_t, L, upper):
        return cholesky_tangent(F, A_t, L, upper), None

    domain = positive
    samples = POSITIVE


face(linalg_cholesky_ex, out_same_dtype=True, named_tuple=results.linalg_cholesky_ex)


def cholesky_gradient(F, g, factor, upper: bool):
    """The gradient of a matrix, given that of its Cholesky factor."""
    L, g = (F.adjoint(factor), F.adjoint(g)) if upper else (factor, g)
    inner = F.tril(F.adjoint(L) @ g)
    inner = inner + F.adjoint(F.tril(inner, -1))
    return solved(F, L, solved(F, F.adjoint(L), inner, upper=True), upper=False, left=False) * 0.5


def cholesky_tangent(F, tangent, factor, upper: bool):
    """The tangent of a Cholesky factor: L times the lower triangle of L^-1 A' L^-H, with half its diagonal."""
    L = F.adjoint(factor) if upper else factor
    inner = solved(F, L, F.adjoint(tangent) if upper else tangent, upper=False)
    inner = solved(F, F.adjoint(L), inner, upper=True, left=False)
    moved = F.matmul(L, (F.tril(inner) + F.tril(inner, -1)) * 0.5)
    return F.adjoint(moved) if upper else moved


@composite(samples=POSITIVE, domain=positive)
def linalg_cholesky(F, A, *, upper=False):
    """L of `A = L L^H`, its adjoint if `upper`. Raises LinAlgError if a matrix is not positive-definite."""
    L, info = F.linalg_cholesky_ex(A, upper=upper)
    check_info("linalg.cholesky", info, NOT_POSITIVE, note=POSITIVE_NOTE)
    return L


face(linalg_cholesky, out=True, out_same_dtype=True)


@op(internal=True, exact=True, no_fp_errors=False)
class cholesky_factor:
    """L of `A = L L^H`, its adjoint if `upper`."""

    def forward(xp, input: Tensor, upper=False):
        check_square("cholesky", input)
        check_kernel("cholesky_cpu", input)
        L, info = xp.cholesky(input, upper)
        check_info("cholesky", info, NOT_POSITIVE, note=POSITIVE_NOTE)
        return L

    shape = lambda input, upper: results.like(input)

    def d_input(F, g, out, upper):
        return cholesky_gradient(F, g, out, upper)

    def jvp(F, input_t, out, upper):
        return cholesky_tangent(F, input_t, out, upper)

    domain = positive
    samples = POSITIVE


face(cholesky_factor, node="CholeskyBackward0")


@composite(samples=POSITIVE, domain=positive)
def cholesky(F, input, upper=False):
    """`torch.linalg.cholesky`. Deprecated: see its warning."""
    warnings.warn(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
        "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
        "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
        stacklevel=3,
    )
    return F.cholesky_factor(input, upper)


face(cholesky, out=True)


@op(exact=True, no_fp_errors=False)
class cholesky_inverse:
    """The inverse of `L L^H`, given L, or its adjoint if `upper`."""

    def forward(xp, L: Tensor, upper=False):
        check_square("cholesky_inverse", L)
        check_kernel("cholesky_inverse_out_cpu", L)
        inverse, info = xp.cholesky_inverse(L, upper)
        check_info("cholesky_inverse", info, SINGULAR)
        return inverse

    shape = lambda L, upper: results.like(L)

    def d_L(F, g, L, out, upper):
        inner = out @ (g + F.adjoint(g)) @ out
        return -(L @ inner if upper else inner @ L)

    def domain(L, upper=False):
        return positive(L).triu() if upper else positive(L).tril()

    samples = lambda r: [(r(3, 3),), (r(2, 3, 3), True), (r(0, 0),)]
