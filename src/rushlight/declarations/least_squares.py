"""Pseudo-inverses, ranks, and the solutions of equations that have none or many."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import COMPLEX, SCALAR_NAMES
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import every_sample
from rushlight.declarations import results
from rushlight.declarations.batches import aligned, rank_of
from rushlight.declarations.checks.least_squares import check_doubles, check_pinv_matrix
from rushlight.declarations.checks.matrices import check_matrix
from rushlight.declarations.checks.spectral import check_hermitian, check_svd
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import INT32, INT64, is_complex, raw_dtype, scalar_names
from rushlight.declarations.factors import check_info
from rushlight.declarations.shapes import broadcast
from rushlight.declarations.solve import as_columns, is_vector

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")
NOT_OF_FULL_RANK = (
    "The least squares solution could not be computed because the input matrix does not have full rank (error code: "
    "{})."
)
MATRICES = lambda r: [(r(3, 3),), (r(4, 2),), (r(2, 2, 3),), (r(0, 3),), (r(3, 0),), (r(0, 2, 2),), (r(1, 1),)]

# ---- tolerances


def tolerance(name: str, which: str, value):
    """A tolerance as a tensor; None if it was not given."""
    if not isinstance(value, Tensor):
        return None if value is None else wrap(np.asarray(value, np.float64))
    if value.dtype.category == COMPLEX:
        raise RuntimeError(f"{name}: {which} tensor of complex type is not supported. Got {SCALAR_NAMES[value.dtype]}")
    return value.detach()


def tolerances(name: str, older: dict, atol, rtol) -> tuple:
    """The absolute and the relative tolerance of a call; where one was given the older way, the other is 0."""
    if older and (atol is not None or rtol is not None):
        raise TypeError(f"linalg_{name}() received an invalid combination of arguments")
    given = {"atol": 0.0, "rtol": 0.0, **older} if older else {"atol": atol, "rtol": rtol}
    return tuple(tolerance(f"torch.linalg.{name}", which, value) for which, value in given.items())


# ---- pseudo-inverses


@op(internal=True, exact=True, no_fp_errors=False)
class pseudo_inverse:
    """The pseudo-inverses of matrices, with singular values counting as 0 unless they exceed both tolerances."""

    def forward(xp, A: Tensor, atol: Constant | None = None, rtol: Constant | None = None, hermitian=False):
        check_pinv_matrix(A)
        if hermitian:
            check_hermitian(A, "L")
        return xp.pseudo_inverse(A, atol, rtol, hermitian)

    def d_A(F, g, A, out):
        return pseudo_inverse_gradient(F, g, A, out)

    def shape(A, atol, rtol, hermitian):
        batch = broadcast((A.shape[:-2], *(each.shape for each in (atol, rtol) if each is not None)))
        return MetaArray((*batch, A.shape[-1], A.shape[-2]), A.dtype)

    samples = MATRICES


face(pseudo_inverse, node="LinalgPinvBackward0")


def pseudo_inverse_gradient(F, g, A, X):
    """The gradient of a matrix, given that of its pseudo-inverse X, while the rank stays what it is.

    dX = -X dA X + X X^H dA^H (1 - A X) + (1 - X A) dA^H X^H X (Golub and Pereyra, "The differentiation of
    pseudo-inverses", 1973).
    """
    pulled, adjoint = F.mH(g), F.mH(X)
    first, last = F.matmul(pulled, F.matmul(X, adjoint)), F.matmul(F.matmul(adjoint, X), pulled)
    result = -F.matmul(adjoint, F.matmul(g, adjoint))
    result = result + first - F.matmul(A, F.matmul(X, first)) + last - F.matmul(F.matmul(last, X), A)
    return F.fit(result, A.shape, raw_dtype(A))


@composite(samples=MATRICES)
def linalg_pinv(F, input, rcond=None, hermitian=False, *, atol=None, rtol=None):
    """The pseudo-inverses (..., n, m) of matrices (..., m, n), of which small singular values count as 0.

    Small are those up to `atol`, or `rtol` times the largest, by default eps times the longer side. `hermitian` reads
    the lower triangle only, and takes the eigenvalues.
    """
    older = {} if rcond is None else {"rtol": rcond}
    return F.pseudo_inverse(input, *tolerances("pinv", older, atol, rtol), hermitian)


face(linalg_pinv, method=None, documented_names={"input": "A"}, out=True, castable=("linalg.pinv", "result"))


@composite(samples=lambda r: [(r(3, 3),), (r(4, 2), 1e-3), (r(2, 2, 3),)])
def pinverse(F, input, rcond=1e-15):
    """The pseudo-inverses of matrices: `linalg.pinv`."""
    return F.linalg_pinv(input, rcond)


@op(exact=True, no_fp_errors=False)
class rank:
    """How many singular values of each matrix exceed both tolerances."""

    def forward(xp, A: Constant, atol: Constant | None = None, rtol: Constant | None = None, hermitian=False):
        check_matrix("torch.linalg.matrix_rank", A, "input")
        if rtol is None:
            check_doubles(A)
        check_hermitian(A, "L") if hermitian else check_svd(A, None)
        return xp.rank(A, atol, rtol, hermitian)

    def shape(A, atol, rtol, hermitian):
        batch = broadcast((A.shape[:-2], *(each.shape for each in (atol, rtol) if each is not None)))
        return MetaArray(batch, INT64)


face(rank, spaces=())


@composite(
    samples=lambda r: [
        *MATRICES(r),
        (r(3, 2) @ r(2, 3),),
        (r(3, 3), {"atol": 1.0}),
        (r(3, 3), {"atol": 0.1, "rtol": 0.5}),
        (r(3, 3), 1.0, True),
    ]
)
def linalg_matrix_rank(F, input, tol=None, hermitian=False, *, atol=None, rtol=None):
    """How many singular values of each matrix are larger than `atol`, and than `rtol` times the largest.

    By default `rtol` is eps times the longer side. `hermitian` reads the lower triangle only, and takes the sizes of
    the eigenvalues.
    """
    older = {} if tol is None else {"atol": tol}
    return F.rank(input, *tolerances("matrix_rank", older, atol, rtol), hermitian)


face(linalg_matrix_rank, method=None, documented_names={"input": "A"}, out=True)


# ---- least squares


@op(internal=True, exact=True, no_fp_errors=False)
class least_squares:
    """The shortest solutions of `input @ solution = b` up to the smallest error, ranks, singular values, and codes."""

    returns = "solution, rank, singular_values, info"

    def forward(xp, input: Tensor, b: Tensor, rcond, driver):
        return xp.least_squares(input, b, rcond, driver)

    def common(F, input):
        return F.pseudo_inverse(input)

    def d_input(F, g_solution, input, b, common):
        return pseudo_inverse_gradient(F, F.matmul(g_solution, F.mH(b)), input, common)

    def d_b(F, g_solution, input, b_shape, common):
        return F.fit(F.matmul(F.mH(common), g_solution), b_shape, raw_dtype(input))

    def shape(input, b, rcond, driver):
        batch, own = broadcast((input.shape[:-2], b.shape[:-2])), input.shape[:-2]
        counts = MetaArray(own, INT64), MetaArray((*own, min(input.shape[-2:])), input.real.dtype)
        return MetaArray((*batch, input.shape[-1], b.shape[-1]), input.dtype), *counts, MetaArray(own, INT32)

    def batch(F, batch, input, b, rcond, driver):
        rank = max(rank_of(batch, "input", input), rank_of(batch, "b", b))
        solution, *rest = F.least_squares(
            aligned(F, batch, rank, "input", input), aligned(F, batch, rank, "b", b), rcond, driver
        )
        if "input" not in batch.batched:
            rest = [F.expand(each, (batch.size, *each.shape)) for each in rest]
        return solution, *rest

    samples = lambda r: [
        (r(4, 2), r(4, 3), 1e-15, "gelsy"),
        (r(2, 4), r(2, 3), 1e-15, "gelsy"),
        (r(2, 1, 3, 3), r(2, 3, 1), 1e-15, "gels"),
    ]


face(least_squares, node="LinalgLstsqBackward0")


@composite(
    samples=lambda r: [
        *((r(4, 2), r(4, 3), {"driver": driver}) for driver in (None, "gels", "gelsy")),
        *((r(2, 2, 4), r(2, 2, 3), {"driver": driver}) for driver in ("gels", "gelsy")),
        # Singular values have no gradient here.
        *((r(4, 2).detach(), r(4, 3).detach(), {"driver": driver}) for driver in ("gelsd", "gelss")),
        (r(4, 2), r(4)),
        (r(2, 4, 2), r(2, 4), {"driver": "gels"}),
    ]
)
def linalg_lstsq(F, input, b, rcond=None, *, driver=None):
    """The shortest `solution` that makes `input @ solution - b` shortest: (..., n, k) of (..., m, n) and (..., m, k).

    `driver` is LAPACK's: "gels" for full rank, "gelsy" (the default, but for "gels" on a GPU), "gelsd" and "gelss" for
    any; the last two return singular values. `residuals` are the squared lengths of the errors, where m > n, the rank
    is n and the driver not "gelsy".
    """
    vector = check_least_squares(input, b, driver)
    driver = driver or ("gels" if input.is_cuda else "gelsy")
    if rcond is None:
        rcond = float(np.finfo(raw_dtype(input)).eps) * max(input.shape[-2:])
    b = as_columns(F, b, vector)
    solution, rank, singular, info = F.least_squares(input, b, rcond, driver)
    check_info("torch.linalg.lstsq", info, NOT_OF_FULL_RANK)
    residuals = residuals_of(F, input, b, solution, rank, driver)
    if driver == "gels":
        rank = F.new_zeros_of(rank, (0,))
    if driver in ("gels", "gelsy"):
        singular = F.new_zeros_of(singular, (0,))
    return results.linalg_lstsq(F.squeeze(solution, -1) if vector else solution, residuals, rank, singular)


face(linalg_lstsq, method=None, documented_names={"input": "A", "b": "B"}, out=True)


def residuals_of(F, input, b, solution, rank, driver: str):
    """Returns the squared lengths of the columns of `input @ solution - b`; empty if LAPACK's driver returns none."""
    rows, columns = input.shape[-2:]
    if driver != "gelsy" and rows > columns and (driver == "gels" or is_full(rank, columns)):
        return squared_lengths(F, F.matmul(input, solution) - b)
    return F.reshape(squared_lengths(F, solution), (-1,))[:0]


def is_full(rank, columns: int) -> bool:
    """Whether all matrices have full rank, as those without numbers do."""
    return rank.is_meta or all(each == columns for each in every_sample(rank).reshape(-1).tolist())


def squared_lengths(F, columns):
    """The squared lengths of the columns of matrices."""
    squares = columns * F.conj(columns)
    return F.sum(F.real(squares) if is_complex(columns) else squares, -2)


def check_least_squares(input, b, driver) -> bool:
    """Raises unless the equations make sense; whether the right-hand sides are vectors."""
    name = "torch.linalg.lstsq"
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if raw_dtype(input) != raw_dtype(b):
        one, two = scalar_names(input, b)
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype {one} and other's dtype "
            f"{two}"
        )
    if not 0 <= input.ndim - b.ndim <= 1:
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    side = -1 if is_vector(input.shape, b.shape) else -2
    if input.shape[-2] != b.shape[side]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({side})")
    check_doubles(input)
    if driver is not None and driver not in DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    vector = b.ndim < input.ndim
    broadcast((input.shape[:-2], b.shape[:-1] if vector else b.shape[:-2]))
    return vector
