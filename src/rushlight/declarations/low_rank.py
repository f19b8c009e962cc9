"""The largest singular values of a matrix, from a random sample of its columns.

Halko, Martinsson and Tropp, "Finding structure with randomness" (2009), algorithms 4.4 and 5.1. The numbers drawn are
PyTorch's, and so are the results for the same seed, but for the signs of vectors.
"""

from __future__ import annotations

from rushlight.arrays import mt19937
from rushlight.arrays.draws import draw_of
from rushlight.core.generator import generator_of
from rushlight.core.traced import with_level_of_draws
from rushlight.declarations.checks.low_rank import check_direction_count, check_iteration_count
from rushlight.declarations.declare import composite, face, op


@op(internal=True, exact=True)
class random_directions:
    """`count` random vectors, as columns, of the length of the rows of `input`."""

    def forward(xp, input: Constant, count):
        check_direction_count(input, count)
        kind = input.dtype if input.dtype.kind in "fc" else "float32"
        generator = generator_of(input)
        return draw_of(generator, mt19937.normal)(generator, (input.shape[-1], count), kind)


def approximate_basis(F, A, count: int, niter: int):
    """An orthonormal basis, (..., rows, count), of nearly the range of A; each of `niter` turns brings it nearer."""
    basis = F.linalg_qr(F.matmul(A, F.random_directions(with_level_of_draws(A), count)))[0]
    for _ in range(niter):
        rows = F.linalg_qr(F.matmul(F.adjoint(A), basis))[0]
        basis = F.linalg_qr(F.matmul(A, rows))[0]
    return basis


@composite(samples=lambda r: [(r(5, 3), 2), (r(2, 3, 5).detach(), 3, 1), (r(4, 4), 2, 0, r(4, 4))])
def svd_lowrank(F, A, q: int | None = 6, niter=2, M=None):
    """About the `q` largest of U, S and V of `A = U diag(S) V^H`, or of `A - M`: (..., m, q), (..., q), (..., n, q).

    `niter` is how often the random basis is improved. Worth it for large matrices whose singular values fall quickly.
    """
    count = 6 if q is None else q
    rows, columns = A.shape[-2:]
    A = A if M is None else A - M
    if rows < columns:
        V, S, U = tall_svd(F, F.adjoint(A), count, niter)
        return U, S, V
    return tall_svd(F, A, count, niter)


face(svd_lowrank, method=None)


def tall_svd(F, A, count: int, niter) -> tuple:
    """U, S and V of a matrix that is not wider than it is tall."""
    basis = approximate_basis(F, A, count, 2 if niter is None else niter)
    U, S, Vh = F.linalg_svd(F.matmul(F.adjoint(basis), A), False)
    return F.matmul(basis, U), S, F.adjoint(Vh)


@composite(samples=lambda r: [(r(5, 3), 2), (r(2, 3, 5),), (r(4, 4), 2, False)])
def pca_lowrank(F, A, q: int | None = None, center=True, niter=2):
    """About the first `q` principal components of the rows of A: U, S and V of A, less the means of its columns.

    Without `q`, 6 or as many as there are. `torch.matmul(A, V[:, :k])` projects the rows to k components.
    """
    most = min(A.shape[-2:])
    if q is None:
        q = min(6, most)
    elif not 0 <= q <= most:
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={most}")
    check_iteration_count(niter)
    return F.svd_lowrank(A - F.mean(A, -2, True) if center else A, q, niter)


face(pca_lowrank, method=None)
