"""A few eigenvalues of a symmetric matrix, the largest or the smallest, with their vectors.

Knyazev, "Toward the optimal preconditioned eigensolver" (2001), as SciPy has it. Its steps are not differentiated:
where a gradient is wanted all eigenpairs are computed, whose derivatives are known.
"""

from __future__ import annotations

from rushlight.arrays import mt19937
from rushlight.arrays.draws import draw_of
from rushlight.core.generator import generator_of
from rushlight.declarations.checks.few_eigenpairs import EPSILON, check_lobpcg, check_lobpcg_n, check_pencil
from rushlight.declarations.cholesky import NOT_POSITIVE
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.factors import check_info
from rushlight.declarations.spectral import needs_vectors


@op(internal=True, exact=True, no_fp_errors=False)
class few_eigenpairs:
    """`count` eigenvalues and -vectors of `A x = lambda B x`, from the first approximations X, random if there are
    none."""

    returns = "values, vectors"

    def forward(
        xp, A: Constant, B: Constant | None, X: Constant | None, iK: Constant | None, count, largest, niter, tol
    ):
        rows = A.shape[-1]
        if X is None:
            generator = generator_of(A)
            X = draw_of(generator, mt19937.normal)(generator, (*A.shape[:-2], rows, count), A.dtype)
        if B is not None:
            check_info(
                "lobpcg",
                xp.cholesky(B, False)[1],
                NOT_POSITIVE,
                note="B has to be symmetric with positive eigenvalues.",
            )
        tol = EPSILON[A.dtype.char] ** 0.5 if tol is None else tol
        return xp.lobpcg(A, X, B, iK, largest, niter, tol)


@composite(samples=lambda r: [(r(9, 9), 2), (r(9, 9), 2, r.positive(9).diag().detach())])
def lobpcg(
    F, A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None,
    ortho_iparams=None, ortho_fparams=None, ortho_bparams=None,
):  # fmt: skip
    """The `k` largest eigenvalues of `A x = lambda B x`, or smallest unless `largest`, and their vectors.

    A (..., m, m) is symmetric, B positive-definite, the identity if it is not given. X (..., m, n) are approximations
    to begin with, `n` random ones without; iK is a preconditioner; `niter` (-1: without end) and `tol`, of the residual
    relative to A, say when to stop. There is one `method`, which no `ortho_...` changes and no `tracker` sees.
    """
    check_pencil(A, B, X)
    check_lobpcg(tracker)
    rows = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = X.shape[-1] if X is not None else k if n is None else n
    check_lobpcg_n(n, rows)
    largest = True if largest is None else largest
    if needs_vectors(A) or needs_vectors(B):
        values, vectors = eigenpairs(F, A, B)
        values, vectors = (F.flip(values, (-1,)), F.flip(vectors, (-1,))) if largest else (values, vectors)
    else:
        niter = 1000 if niter is None else niter
        values, vectors = F.few_eigenpairs((A + F.mT(A)) / 2, B, X, iK, n, largest, niter, tol)
    return values[..., : min(k, n)], vectors[..., : min(k, n)]


face(lobpcg, method=None)


def eigenpairs(F, A, B) -> tuple:
    """All eigenvalues of `A x = lambda B x`, rising, and their vectors, for symmetric A and positive-definite B."""
    A = (A + F.mT(A)) / 2
    if B is None:
        return F.linalg_eigh(A)
    L = F.linalg_cholesky((B + F.mT(B)) / 2)
    half = F.linalg_solve_triangular(L, A, upper=False)
    values, vectors = F.linalg_eigh(F.linalg_solve_triangular(F.mT(L), half, upper=True, left=False))
    return values, F.linalg_solve_triangular(F.mT(L), vectors, upper=True)
