"""Determinants and their logarithms."""

from __future__ import annotations

import math

from rushlight.arrays.meta import MetaArray
from rushlight.declarations import results
from rushlight.declarations.checks.matrices import check_floating, check_kernel, check_square
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import is_complex

SQUARE = lambda r: [(r(3, 3),), (r(2, 3, 3),), (r(0, 0),), (r(0, 2, 2),), (r(1, 1),)]
# Of rank 2 and of rank 1: derivatives exist without an inverse.
SINGULAR = lambda r: [(r(3, 2) @ r(2, 3),), (r(3, 1) @ r(1, 3),)]


@op(exact=True, no_fp_errors=False)
class linalg_det:
    """The determinants of square matrices (..., n, n)."""

    def forward(xp, A: Tensor):
        check_square("linalg.det", A)
        check_floating("linalg.det", A, low_precision=True)
        if A.size:
            check_kernel("lu_cpu", A)
        return xp.determinant(A)

    def d_A(F, g, A):
        return spread(F, g) * F.conj(F.cofactors(A))

    def shape(A):
        check_square("linalg.det", A)
        return MetaArray(A.shape[:-2], A.dtype)

    samples = lambda r: SQUARE(r) + SINGULAR(r)


face(linalg_det, method=None, out_same_dtype=True)


def spread(F, numbers):
    """One number for each matrix, to be multiplied by it."""
    return F.unsqueeze(F.unsqueeze(numbers, -1), -1)


@composite(samples=lambda r: SQUARE(r))
def det(F, input):
    """The determinants of square matrices: `linalg.det`."""
    return F.linalg_det(input)


@op(internal=True, exact=True, no_fp_errors=False)
class cofactors:
    """The derivatives of the determinants of square matrices by their elements."""

    def forward(xp, A: Tensor):
        return xp.cofactors(A)

    def d_A(F, g, A):
        return F.conj(F.cofactor_changes(A, F.conj(g)))

    samples = lambda r: [(r(3, 3),), (r(2, 2, 2),)]


@op(internal=True, exact=True, no_fp_errors=False)
class cofactor_changes:
    """How the cofactors C of A change along D: `M * <D, C> - C @ D.mT @ M`, M the transpose of A's inverse.

    <D, C> is the sum of the products. As second derivatives of one number they are symmetric: the derivative by `D` is
    the operator itself. The kernel does without the inverse; the derivative by `A`, the third of a determinant, does
    not, and is nan at a singular matrix.
    """

    def forward(xp, A: Tensor, D: Tensor):
        return xp.cofactor_changes(A, D)

    def d_A(F, g, A, D):
        g, C, M = F.conj(g), F.cofactors(A), F.mT(F.inverse_and_info(A)[0])
        # M changes by -M @ dA.mT @ M, and C as declared here
        inner = F.matmul(C, F.matmul(F.mT(D), M)) - M * products(F, D, C)
        by_inverse = F.matmul(M, F.matmul(F.mT(g), inner))
        by_cofactors = F.cofactor_changes(A, D * products(F, g, M) - F.matmul(g, F.matmul(F.mT(M), D)))
        return F.conj(by_inverse + by_cofactors)

    def d_D(F, g, A):
        return F.conj(F.cofactor_changes(A, F.conj(g)))

    samples = lambda r: [(r.invertible(3, 3), r(3, 3)), (r.invertible(2, 2, 2), r(2, 2, 2))]


def products(F, one, other):
    """The sums of the products of the elements of matrices."""
    return F.sum(one * other, (-2, -1), True)


@op(exact=True, no_fp_errors=False)
class sign_and_log_determinant:
    """The signs of the determinants of square matrices, and the logarithms of their sizes."""

    returns = "sign, logabsdet"

    def forward(xp, A: Tensor, name):
        check_square(name, A)
        check_floating(name, A)
        return xp.log_determinant(A)

    def d_A(F, g_sign, g_logabsdet, A, sign):
        # log(det) changes by tr(inv(A) @ dA): its real part is that of logabsdet, its imaginary one turns the sign
        if is_complex(sign):
            g_logabsdet = g_logabsdet + F.imag(g_sign * F.conj(sign)) * 1j
        return spread(F, g_logabsdet) * F.mH(F.inverse_and_info(A)[0])

    def shape(A, name):
        check_square(name, A)
        real = MetaArray(A.shape[:-2], A.dtype).real.dtype
        return MetaArray(A.shape[:-2], A.dtype), MetaArray(A.shape[:-2], real)

    samples = lambda r: [(*each, "linalg.slogdet") for each in SQUARE(r)]


face(sign_and_log_determinant, spaces=(), named_tuple=results.linalg_slogdet, node="LinalgSlogdetBackward0")


@composite(samples=SQUARE)
def linalg_slogdet(F, A):
    """The sign of the determinants of square matrices (..., n, n), and the logarithm of their absolute value.

    The sign of a complex determinant is it divided by its absolute value; that of 0 is 0, and its logarithm -inf.
    """
    return F.sign_and_log_determinant(A, "linalg.slogdet")


face(linalg_slogdet, method=None, out=True, out_same_dtype=True)


@composite(samples=SQUARE)
def slogdet(F, input):
    """The sign of the determinants of square matrices, and the logarithm of their absolute value: `linalg.slogdet`."""
    return results.slogdet(*F.sign_and_log_determinant(input, "linalg.slogdet"))


face(slogdet, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r.invertible(3, 3),), (r.invertible(2, 2, 2),), (r(0, 0),), (r.positive(1, 1),)])
def logdet(F, input):
    """The logarithms of the determinants of square matrices: nan for a negative one."""
    sign, size = F.sign_and_log_determinant(input, "logdet")
    return F.log(sign) + size if is_complex(sign) else F.where(sign == -1, math.nan, size)
