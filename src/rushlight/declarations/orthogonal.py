"""`A = Q R`, and products of the reflections whose product is Q.

The derivative of QR is that of Walter and Lehmann, "Algorithmic differentiation of linear algebra functions with
application in optimum experimental design" (2010), for square R; columns beyond those depend on Q through `R = Q^H A`.
"""

from __future__ import annotations

import warnings

from rushlight.declarations import results
from rushlight.declarations.checks import orthogonal as checks
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.factors import solved, triangle_reflected

MATRICES = lambda r: [(r(3, 3),), (r(4, 2),), (r(2, 4),), (r(2, 3, 2),), (r(0, 3),), (r(3, 0),), (r(0, 2, 2),)]


@op(exact=True, no_fp_errors=False)
class linalg_qr:
    """Q with orthonormal columns and upper triangular R of `A = Q R`; "complete": square Q; "r": R alone."""

    returns = "Q, R"

    def forward(xp, A: Tensor, mode: str = "reduced"):
        checks.check_qr(A, mode)
        return xp.qr(A, mode)

    def shape(A, mode):
        checks.check_qr(A, mode)
        *batch, rows, columns = A.shape
        inner = rows if mode == "complete" else min(rows, columns)
        Q = (0,) if mode == "r" else (*batch, rows, inner)
        return results.MetaArray(Q, A.dtype), results.MetaArray((*batch, inner, columns), A.dtype)

    def d_A(F, g_Q, g_R, Q, R, mode):
        checks.check_qr_differentiable(Q, R, mode)
        return qr_gradient(F, g_Q, g_R, Q, R)

    samples = lambda r: [*MATRICES(r), (r(2, 4), "complete")]


face(linalg_qr, out_same_dtype=True, named_tuple=results.linalg_qr)


def qr_gradient(F, g_Q, g_R, Q, R):
    """The gradient of a matrix, given those of Q and R."""
    count = R.shape[-2]
    if R.shape[-1] == count:
        return square_qr_gradient(F, g_Q, g_R, Q, R)
    g_rest = g_R[..., count:]
    g_Q = g_Q + Q @ R[..., count:] @ F.adjoint(g_rest)
    first = square_qr_gradient(F, g_Q, g_R[..., :count], Q, R[..., :count])
    return F.cat([first, Q @ g_rest], -1)


def square_qr_gradient(F, g_Q, g_R, Q, R):
    """The gradient of a matrix of which R is square."""
    inner = triangle_reflected(F, R @ F.adjoint(g_R) - F.adjoint(g_Q) @ Q)
    return solved(F, F.adjoint(R), g_Q + Q @ inner, upper=False, left=False)


@composite(samples=lambda r: [(r(3, 3),), (r(4, 2),), (r(2, 4), False)])
def qr(F, input, some=True):
    """Q with orthonormal columns and upper triangular R of `input = Q R`; square Q unless `some`. Deprecated."""
    warnings.warn(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
        "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\n"
        "should be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
        stacklevel=3,
    )
    return results.qr(*F.linalg_qr(input, "reduced" if some else "complete"))


face(qr, out=True, out_same_dtype=True)


# ---- reflections


@op(exact=True, no_fp_errors=False)
class geqrf:
    """R in the upper triangle, below it the vectors of the reflections whose product is Q, and their factors `tau`."""

    returns = "a, tau"

    def forward(xp, input: Tensor):
        checks.check_reflected(input)
        return xp.geqrf(input)

    def shape(input):
        checks.check_reflected(input)
        count = min(input.shape[-2:])
        return results.like(input), results.MetaArray((*input.shape[:-2], count), input.dtype)

    def d_input(F, g_a):
        raise NotImplementedError("the derivative for 'geqrf' is not implemented.")

    samples = lambda r: [(each.detach(),) for (each,) in MATRICES(r)]


face(geqrf, named_tuple=results.geqrf, castable=("torch.geqrf", "a", "tau"))


PACKED = lambda r: [(r(4, 3), r(3)), (r(4, 3), r(2)), (r(2, 3, 3), r(2, 3)), (r(3, 0), r(0)), (r(3, 2), r(0))]


@op(exact=True, no_fp_errors=False)
class linalg_householder_product:
    """The first columns of `H_1 ... H_k`, `H_i = 1 - tau_i v_i v_i^H`, v_i below the diagonal of A."""

    def forward(xp, A: Tensor, tau: Tensor):
        checks.check_reflections("torch.linalg.householder_product", A, tau)
        return xp.householder_product(A, tau)

    def shape(A, tau):
        checks.check_reflections("torch.linalg.householder_product", A, tau)
        return results.like(A)

    def common(F, g, A, tau):
        return reflected_gradients(F, g, A, tau, identity_like(F, A), False)

    def d_A(F, common):
        return common[0]

    def d_tau(F, common):
        return common[1]

    samples = PACKED


face(linalg_householder_product, castable=("torch.linalg.householder_product", "result"))


@composite(samples=PACKED)
def orgqr(F, input, input2):
    """`torch.linalg.householder_product`."""
    return F.linalg_householder_product(input, input2)


face(
    orgqr, documented_names={"input2": "tau"}, method_names={"input2": "input2"}, out=True,
    castable=("torch.linalg.householder_product", "result"),
)  # fmt: skip


@op(exact=True, no_fp_errors=False)
class ormqr:
    """`Q other`, or `other Q` unless `left`, with the adjoint of Q if `transpose`; Q as `geqrf` packs it."""

    def forward(xp, input: Tensor, tau: Tensor, other: Tensor, left=True, transpose=False):
        checks.check_product(input, tau, other, left)
        return xp.ormqr(input, tau, other, left, transpose)

    shape = lambda input, tau, other, left, transpose: results.like(other)

    def d_input(F, g, input, tau, other, left, transpose):
        return product_gradients(F, g, input, tau, other, left, transpose)[0]

    def d_tau(F, g, input, tau, other, left, transpose):
        return product_gradients(F, g, input, tau, other, left, transpose)[1]

    def d_other(F, g, input, tau, left, transpose):
        return F.ormqr(input, tau, g, left, not transpose)

    samples = lambda r: [
        (r(4, 3), r(3), r(4, 2)),
        (r(4, 3), r(3), r(2, 4), False),
        (r(4, 3), r(3), r(4, 2), True, True),
        (r(2, 3, 2), r(2, 2), r(2, 2, 3), False, True),
        (r(3, 0), r(0), r(3, 2)),
    ]


face(
    ormqr,
    method_names={"tau": "input2", "other": "input3"},
    out_same_dtype=(
        "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{result} "
        "and result has dtype {out}"
    ),
)


def product_gradients(F, g, input, tau, other, left: bool, transpose: bool) -> tuple:
    """The gradients of the packed reflections and of their factors, given that of a product with Q."""
    if left:
        return reflected_gradients(F, g, input, tau, other, transpose)
    # `other Q` is the adjoint of `Q^H other^H`.
    return reflected_gradients(F, F.adjoint(g), input, tau, F.adjoint(other), not transpose)


def reflected_gradients(F, g, input, tau, other, transpose: bool) -> tuple:
    """The gradients of the packed reflections and of their factors, for `Q @ other`, or `Q^H @ other` if `transpose`.

    Each step makes `X - t v (v^H X)` of X, so that v has the gradient `-(conj(t) g (v^H X)^H + t X g^H v)` and t
    `-conj(v^H X g^H v)`, where g is that of the result; that of X is `g - conj(t) v (v^H g)`.
    """
    count = tau.shape[-1]
    if not count:
        return F.zeros_of(input), F.zeros_of(tau)
    steps, whole = [], F.tril(input, -1) + identity_like(F, input)
    for at in range(count) if transpose else reversed(range(count)):
        vector, factor = reflection(F, whole, tau, at, transpose)
        steps.append((at, vector, factor, other))
        other = reflected(F, other, vector, factor)
    results = {}
    for at, vector, factor, before in reversed(steps):
        row, g_row = F.adjoint(vector) @ before, F.adjoint(g) @ vector  # (..., 1, width), (..., width, 1)
        results[at] = -(g @ F.adjoint(row) * F.conj(factor) + before @ g_row * factor), -F.conj(row @ g_row)[..., 0]
        g = reflected(F, g, vector, F.conj(factor))
    g_vectors, g_factors = zip(*(results[at] for at in range(count)), strict=True)
    g_input, g_tau = F.tril(F.cat(g_vectors, -1), -1), F.cat(g_factors, -1)
    if input.shape[-1] > count:
        g_input = F.cat([g_input, F.zeros_of(input)[..., count:]], -1)
    return g_input, F.conj(g_tau) if transpose else g_tau


def reflection(F, vectors, tau, at: int, transpose: bool) -> tuple:
    """The vector of one reflection as a column, and its factor as a matrix of one element."""
    factor = F.unsqueeze(tau[..., at : at + 1], -1)
    return vectors[..., at : at + 1], F.conj(factor) if transpose else factor


def reflected(F, matrix, vector, factor):
    """A matrix after one reflection."""
    return matrix - factor * vector @ (F.adjoint(vector) @ matrix)


def identity_like(F, input):
    """Ones on the diagonals of matrices of this shape, zeros elsewhere."""
    return F.tril(F.triu(F.zeros_of(input) + 1))
