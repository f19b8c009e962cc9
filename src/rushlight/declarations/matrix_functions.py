"""Functions of square matrices, and the matrices that powers make."""

from __future__ import annotations

from rushlight.core.dtype import INTEGER
from rushlight.declarations import results
from rushlight.declarations.checks import matrix_functions as checks
from rushlight.declarations.checks.matrices import check_floating, check_square
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import INT64

# ---- exponential


@op
class linalg_matrix_exp:
    """The exponentials of square matrices (..., n, n): the sums of `A^k / k!`."""

    def forward(xp, A: Tensor):
        check_square("linalg.matrix_exp", A)
        check_floating("linalg.matrix_exp", A, low_precision=True)
        return xp.matrix_exponential(A)

    def d_A(F, g, A):
        # exp([[M, G], [0, M]]) holds the derivative of exp at M along G (Mathias, "A chain rule for matrix functions
        # and applications", 1996); the adjoint of that derivative is the derivative at the adjoint of A
        count, M = A.shape[-1], F.mH(A)
        above = F.cat((M, g), -1)
        below = F.cat((F.zeros_of(M), M), -1)
        return F.linalg_matrix_exp(F.cat((above, below), -2))[..., :count, count:]

    def shape(A):
        check_square("linalg.matrix_exp", A)
        return results.like(A)

    samples = lambda r: [(r(3, 3),), (r(2, 2, 2),), (r(0, 0),), (r(0, 2, 2),), (r(1, 1),)]


face(linalg_matrix_exp, method=None, out=False)


@composite(samples=lambda r: [(r(3, 3),), (r(2, 2, 2),)])
def matrix_exp(F, input):
    """The exponentials of square matrices: `linalg.matrix_exp`."""
    return F.linalg_matrix_exp(input)


face(matrix_exp, documented_names={"input": "A"})


# ---- powers

POWERS = lambda r: [(r.invertible(3, 3), n) for n in (0, 1, 2, 3, 5, 8, -1, -2, -3)] + [(r(2, 2, 2), 3), (r(0, 0), 2)]


@composite(samples=POWERS)
def linalg_matrix_power(F, A, n):
    """Square matrices multiplied `n` times with themselves; those of a negative power are inverted first."""
    checks.check_power_is_int(n)
    check_square("linalg.matrix_power", A)
    if n == 0:
        return F.copy_values(A, identity(F, A))
    if n < 0:
        A, n = F.linalg_inv(A), -n
    return F.clone(A) if n == 1 else repeated(F, A, n)


face(linalg_matrix_power, method=None, out=True, out_same_dtype=True, castable=("matrix_power", "result"))


def identity(F, matrices):
    """The identity matrix of the size, dtype and device of square matrices."""
    return F.diag_embed(F.new_zeros_of(matrices, (matrices.shape[-1],)) == 0)


def repeated(F, A, n: int):
    """`A` to the power of `n` >= 1 in about log2(n) products: those of squares that n's binary digits name."""
    if n == 1:
        return A
    half = repeated(F, A, n // 2)
    square = F.matmul(half, half)
    return F.matmul(square, A) if n % 2 else square


@composite(samples=POWERS)
def matrix_power(F, input, n):
    """Square matrices multiplied `n` times with themselves: `linalg.matrix_power`."""
    return F.linalg_matrix_power(input, n)


face(matrix_power, out=True, out_same_dtype=True, castable=("matrix_power", "result"))


# ---- matrices of powers


@composite(samples=lambda r: [(r(3),), (r(2, 3), {"N": 4}), (r(), {"N": 2})])
def linalg_vander(F, x, N=None):
    """The powers 0 to `N` - 1 of each element, in a new last dimension; by default as many as the last one has."""
    checks.check_linalg_vander_dtype(x)
    count = N if N is not None else x.shape[-1] if x.ndim else 1
    checks.check_linalg_vander_columns(count)
    return powers(F, x if x.ndim else F.unsqueeze(x, 0), count)


face(linalg_vander, method=None)


def powers(F, x, count: int):
    """The powers 0 to `count` - 1 of each element, in a new last dimension; int64 for integers."""
    x = x if x.dtype.category > INTEGER else F.cast(x, INT64)
    ones = F.new_zeros_of(x, (*x.shape, min(count, 1))) + 1
    repeats = F.expand(F.unsqueeze(x, -1), (*x.shape, max(count - 1, 0)))
    return F.cat((ones, F.cumprod(repeats, -1)), -1)


@composite(samples=lambda r: [(r(3),), (r(3), 2), (r(3), 4, True), (r(3), 0)])
def vander(F, x, N=None, increasing=False):
    """The powers `N` - 1 to 0 of each element of a vector, or 0 to `N` - 1 if `increasing`, in a new last dimension."""
    checks.check_vander_vector(x)
    count = x.shape[0] if N is None else N
    checks.check_vander_columns(count)
    result = powers(F, x, count)
    return result if increasing else F.flip(result, (1,))


face(vander, method=None)


# ---- names that PyTorch has twice


@composite(samples=lambda r: [(r(2, 3), r(3)), (r(2, 3, 2), r(2, 2))])
def linalg_matmul(F, input, other):
    """The product of vectors, matrices, or batches of matrices: `torch.matmul`."""
    return F.matmul(input, other)


face(linalg_matmul, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 3),), (r(2, 3, 4), {"offset": 1, "dim1": 0})])
def linalg_diagonal(F, A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of matrices, as a last dimension: `torch.diagonal`, of the last two dimensions by default."""
    return F.diagonal(A, offset, dim1, dim2)


face(linalg_diagonal, method=None)
