"""Eigenvalues and singular values, with or without their vectors.

A derivative with respect to vectors divides by the gaps between the values and so is infinite where two are equal, as
PyTorch's is; that of the values alone is not, and needs no gaps. Formulas: Giles, "Collected matrix derivative results"
(2008); for complex singular vectors Wan and Zhang, "Automatic differentiation for complex valued SVD" (2019).
"""

from __future__ import annotations

from rushlight.core.tensor import Tensor
from rushlight.core.traced import differentiated
from rushlight.declarations import results
from rushlight.declarations.checks.spectral import check_diagonalizable, check_hermitian, check_svd, check_svd_rank
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import is_complex
from rushlight.declarations.factors import check_phase, gaps, skew

FREE_PHASE = (
    "The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. The specified loss function "
    "depends on this quantity, so it is ill-defined."
)


def needs_vectors(A) -> bool:
    """Returns whether the vectors must be computed although only values are requested: for a derivative."""
    return isinstance(A, Tensor) and differentiated(A)


# ---- Hermitian


def hermitian(A, UPLO="L"):
    """Returns a Hermitian matrix computed from any matrix."""
    return A + A.mH


HERMITIAN = lambda r: [(r(3, 3),), (r(2, 3, 3), "U"), (r(0, 0),), (r(0, 2, 2),), (r(1, 1),)]


@op(exact=True, no_fp_errors=False, undefined_grads=True)
class linalg_eigh:
    """The eigenvalues, rising, and eigenvectors of Hermitian matrices, of which the triangle `UPLO` is looked at."""

    returns = "eigenvalues, eigenvectors"

    def forward(xp, A: Tensor, UPLO="L"):
        check_hermitian(A, UPLO)
        return xp.eigh(A, UPLO.upper())

    def shape(A, UPLO):
        check_hermitian(A, UPLO)
        return results.MetaArray(A.shape[:-1], A.real.dtype), results.like(A)

    def d_A(F, g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors):
        return eigh_gradient(F, g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors)

    def jvp(F, A_t, eigenvalues, eigenvectors):  # a Hermitian tangent; PyTorch does not look at one triangle only
        inner = F.adjoint(eigenvectors) @ A_t @ eigenvectors
        values = F.diagonal(inner, 0, -2, -1)
        turned = (inner - F.diag_embed(values)) / gaps(F, eigenvalues)
        return F.real(values) if is_complex(values) else values, eigenvectors @ turned

    domain = hermitian
    samples = HERMITIAN


face(linalg_eigh, out_same_dtype=True, named_tuple=results.linalg_eigh)


def eigh_gradient(F, g_values, g_vectors, values, vectors):
    """The gradient of a Hermitian matrix, given those of its eigenvalues and eigenvectors, or None."""
    if g_vectors is None:
        return vectors * F.unsqueeze(g_values, -2) @ F.adjoint(vectors)
    products = F.adjoint(vectors) @ g_vectors
    check_phase(products, f"linalg_eigh_backward: {FREE_PHASE}")
    inner = skew(F, products) * 0.5 / gaps(F, values)
    if g_values is not None:
        inner = inner + F.diag_embed(g_values)
    return vectors @ inner @ F.adjoint(vectors)


@op(internal=True, exact=True, no_fp_errors=False)
class eigenvalues_of_hermitian:
    """The eigenvalues of Hermitian matrices, rising."""

    def forward(xp, A: Constant, UPLO):
        check_hermitian(A, UPLO)
        return xp.eigvalsh(A, UPLO.upper())

    shape = lambda A, UPLO: results.MetaArray(A.shape[:-1], A.real.dtype)


@composite(samples=HERMITIAN, domain=hermitian)
def linalg_eigvalsh(F, A, UPLO="L"):
    """The eigenvalues of Hermitian matrices, rising, of which the triangle `UPLO` is looked at."""
    return F.linalg_eigh(A, UPLO)[0] if needs_vectors(A) else F.eigenvalues_of_hermitian(A, UPLO)


face(linalg_eigvalsh, out=True, out_same_dtype=True)


# ---- any square matrix


@op(exact=True, no_fp_errors=False, undefined_grads=True)
class linalg_eig:
    """The eigenvalues and eigenvectors of square matrices, complex, in no particular order."""

    returns = "eigenvalues, eigenvectors"

    def forward(xp, A: Tensor):
        check_diagonalizable("linalg.eig", A)
        return xp.eig(A)

    def shape(A):
        check_diagonalizable("linalg.eig", A)
        kind = A.dtype.char.upper()
        return results.MetaArray(A.shape[:-1], kind), results.MetaArray(A.shape, kind)

    def d_A(F, g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors, A_dtype):
        result = eig_gradient(F, g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors)
        return result if A_dtype.kind == "c" else F.real(result)

    samples = lambda r: [(r(3, 3).detach(),), (r(2, 2, 2).detach(),), (r(0, 0).detach(),)]


face(linalg_eig, named_tuple=results.linalg_eig, castable=("torch.linalg.eig", "eigenvalues", "eigenvectors"))


def eig_gradient(F, g_values, g_vectors, values, vectors):
    """The gradient of a matrix, given those of its eigenvalues and eigenvectors, or None."""
    adjoint = F.adjoint(vectors)
    if g_vectors is None:
        return F.linalg_solve(adjoint, F.unsqueeze(g_values, -1) * adjoint)
    products = adjoint @ g_vectors
    check_phase(products, f"linalg_eig_backward: {FREE_PHASE}")
    # The part that changes the length of a vector is removed: eigenvectors have length 1.
    lengthening = F.real(F.diagonal(products, 0, -2, -1))
    inner = (products - adjoint @ vectors * F.unsqueeze(lengthening, -2)) / F.conj(gaps(F, values))
    if g_values is not None:
        inner = inner + F.diag_embed(g_values)
    return F.linalg_solve(adjoint, inner @ adjoint)


@op(internal=True, exact=True, no_fp_errors=False)
class eigenvalues_of_any:
    """The eigenvalues of square matrices, complex."""

    def forward(xp, A: Constant):
        check_diagonalizable("linalg.eigvals", A)
        return xp.eigvals(A)

    shape = lambda A: results.MetaArray(A.shape[:-1], A.dtype.char.upper())


@composite(samples=lambda r: [(r(3, 3),), (r(2, 2, 2),), (r(0, 0),)])
def linalg_eigvals(F, A):
    """The eigenvalues of square matrices, complex, in no particular order."""
    return F.linalg_eig(A)[0] if needs_vectors(A) else F.eigenvalues_of_any(A)


face(linalg_eigvals, out=True, castable=("torch.linalg.eigvals", "eigenvalues"))


# ---- singular values


@op(exact=True, no_fp_errors=False, undefined_grads=True)
class linalg_svd:
    """U, the singular values S, falling, and V^H of `A = U diag(S) V^H`; square U and V if `full_matrices`."""

    returns = "U, S, Vh"

    def forward(xp, A: Tensor, full_matrices=True, *, driver=None):
        check_svd(A, driver)
        return xp.svd(A, full_matrices)

    def shape(A, full_matrices, *, driver):
        check_svd(A, driver)
        *batch, rows, columns = A.shape
        count = min(rows, columns)
        left, right = (rows, columns) if full_matrices else (count, count)
        return (
            results.MetaArray((*batch, rows, left), A.dtype),
            results.MetaArray((*batch, count), A.real.dtype),
            results.MetaArray((*batch, right, columns), A.dtype),
        )

    def d_A(F, g_U, g_S, g_Vh, U, S, Vh):
        count = S.shape[-1]
        # Of the vectors beyond the singular values only the span is determined.
        g_U = None if g_U is None else g_U[..., :count]
        g_Vh = None if g_Vh is None else g_Vh[..., :count, :]
        return svd_gradient(F, g_U, g_S, g_Vh, U[..., :count], S, Vh[..., :count, :])

    samples = lambda r: [*SVD(r), (r(3, 3), {"full_matrices": False}), (r(2, 4, 2), False), (r(2, 4), False)]


face(linalg_svd, out_same_dtype=True, named_tuple=results.linalg_svd)


SVD = lambda r: [(r(3, 3),), (r(0, 3),), (r(3, 0),), (r(0, 2, 2),), (r(1, 1),)]


def svd_gradient(F, g_U, g_S, g_Vh, U, S, Vh):
    """The gradient of a matrix, given those of U, S and V^H, or None."""
    if g_U is None and g_Vh is None:
        return U * F.unsqueeze(g_S, -2) @ Vh
    g_U = F.zeros_of(U) if g_U is None else g_U
    g_Vh = F.zeros_of(Vh) if g_Vh is None else g_Vh
    turned_U, turned_V = skew(F, F.adjoint(U) @ g_U), skew(F, Vh @ F.adjoint(g_Vh))
    check_phase(
        turned_U + turned_V,
        "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. The "
        "specified loss function depends on this phase term, making it ill-defined.",
    )
    row, column = F.unsqueeze(S, -2), F.unsqueeze(S, -1)
    # S_j^2 - S_i^2, as a product: keeps more digits if two are close
    distance = gaps(F, S) * (row + column - F.diag_embed(2 * S - 1))
    inner = turned_U / distance * row + column * (turned_V / distance)
    if g_S is not None:
        inner = inner + F.diag_embed(g_S)
    if is_complex(U):
        inner = inner + F.diag_embed(F.diagonal(turned_U, 0, -2, -1) / (2 * S))
    result = U @ inner @ Vh
    if U.shape[-2] > U.shape[-1]:
        result = result + (g_U - U @ (F.adjoint(U) @ g_U)) / row @ Vh
    if Vh.shape[-1] > Vh.shape[-2]:
        result = result + U / row @ (g_Vh - g_Vh @ F.adjoint(Vh) @ Vh)
    return result


@op(internal=True, exact=True, no_fp_errors=False)
class singular_values:
    """The singular values, falling."""

    def forward(xp, A: Constant):
        check_svd(A, None)
        return xp.svdvals(A)

    shape = lambda A: results.MetaArray((*A.shape[:-2], min(A.shape[-2:])), A.real.dtype)


@composite(samples=lambda r: [*SVD(r), (r(4, 2),), (r(2, 2, 3),)])
def linalg_svdvals(F, A, *, driver=None):
    """The singular values, falling."""
    if needs_vectors(A):
        return F.linalg_svd(A, False, driver=driver)[1]
    check_svd(A, driver)
    return F.singular_values(A)


face(linalg_svdvals, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(3, 3),), (r(4, 2),), (r(2, 2, 2), False)])
def svd(F, input, some=True, compute_uv=True):
    """U, S and V of `input = U diag(S) V^H`; square U and V unless `some`; zeros for them unless `compute_uv`."""
    check_svd_rank(input)
    if not compute_uv:
        *batch, rows, columns = input.shape
        U, V = (F.new_zeros_of(input, (*batch, size, size)) for size in (rows, columns))
        return results.svd(U, F.linalg_svdvals(input), V)
    U, S, Vh = F.linalg_svd(input, not some)
    return results.svd(U, S, F.adjoint(Vh))


face(svd, out=True, out_same_dtype=True)
