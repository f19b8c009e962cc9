"""Norms of matrices, and the condition numbers that they give."""

from __future__ import annotations

import math

from rushlight.core.dtype import BY_NUMPY
from rushlight.declarations.checks import matrix_norm as checks
from rushlight.declarations.checks.arguments import check_norm_dtype, check_real_order
from rushlight.declarations.checks.matrices import check_floating, check_matrix, check_square
from rushlight.declarations.declare import composite, face
from rushlight.declarations.dtype_rules import raw_dtype
from rushlight.declarations.shapes import wrap_dim

SPECTRAL = ("nuc", 2, -2)  # those of the singular values
NAMES = ("fro", "nuc")


@composite(
    samples=lambda r: [
        *((r(3, 4), order) for order in checks.ORDERS),
        *((r(2, 3, 4), order, (0, -1), True) for order in checks.ORDERS),
        *((r(0, 3), order) for order in ("fro", "nuc", 2, math.inf)),
    ]
)
def linalg_matrix_norm(F, A, ord: Number | str = "fro", dim: Ints = (-2, -1), keepdim=False, *, dtype=None):
    """The norm of the matrices in two dimensions.

    "fro" is that of all elements as a vector, "nuc" the sum of the singular values, 2 and -2 the largest and the
    smallest of them, 1 and -1 the largest and the smallest sum of a column's absolute values, inf and -inf of a row's.
    """
    rows, columns = check_matrix_norm(A, ord, dim)
    if dtype is not None:
        check_norm_dtype("linalg.matrix_norm", BY_NUMPY[raw_dtype(A)], dtype)
        A = F.cast(A, dtype.numpy)
    if ord == "fro":
        return F.linalg_vector_norm(A, 2, (rows, columns), keepdim)
    if ord in SPECTRAL:
        return spectral_norm(F, A, ord, rows, columns, keepdim)
    summed, reached = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = F.linalg_vector_norm(A, 1, (summed,), keepdim)
    if not keepdim and summed < reached:
        reached -= 1
    return extreme(F, sums, reached, keepdim, largest=ord > 0)


face(
    linalg_matrix_norm,
    method=None,
    out=True,
    out_same_dtype="linalg.matrix_norm expected out tensor dtype {result} but got: {out}",
)


def extreme(F, sizes, dim: int, keepdim: bool, *, largest: bool):
    """The largest of sizes along a dimension, 0 if there are none, or the smallest."""
    if not largest:
        return F.amin(sizes, dim, keepdim)
    return F.amax(sizes, dim, keepdim) if sizes.shape[dim] else F.sum(sizes, (dim,), keepdim)


def spectral_norm(F, A, order, rows: int, columns: int, keepdim: bool):
    """A norm of the singular values."""
    rest = [dim for dim in range(A.ndim) if dim not in (rows, columns)]
    values = F.linalg_svdvals(F.permute(A, (*rest, rows, columns)))
    norm = F.sum(values, (-1,)) if order == "nuc" else extreme(F, values, -1, False, largest=order > 0)
    if keepdim:
        for dim in sorted((rows, columns)):
            norm = F.unsqueeze(norm, dim)
    return norm


def check_matrix_norm(A, order, dim) -> tuple[int, int]:
    """Raises unless there is such a norm; the two dimensions, counted from the front."""
    name = "linalg.matrix_norm"
    if isinstance(dim, int) or dim is None or order is None:
        raise TypeError("linalg_matrix_norm() received an invalid combination of arguments")
    if not isinstance(order, str):  # PyTorch checks first whether a name is known
        check_matrix(name, A)
        check_real_order(name, order)
    if order not in checks.ORDERS:
        raise RuntimeError(f"{name}: Order {order} not supported.")
    check_matrix(name, A)
    if len(dim) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    rows, columns = (wrap_dim(each, A.ndim) for each in dim)
    if rows == columns:
        raise RuntimeError(f"{name}: dims must be different. Got ({rows}, {columns})")
    check_floating(name, A, low_precision=order not in SPECTRAL)
    return rows, columns


@composite(
    samples=lambda r: [
        (r(3, 4),),
        (r(2, 3, 4),),
        (r(3), 3),
        (r(3, 4), "nuc"),
        (r(3, 4), 1),
        (r(2, 3, 4), 2, (0, 2)),
        (r(2, 3), 2, 0, True),
        (r(),),
    ]
)
def linalg_norm(F, input, ord: Number | str = None, dim=None, keepdim=False, *, dtype=None):
    """The norm of vectors along one dimension, or of the matrices in two.

    Without `dim` that of all elements as a vector if `ord` is None; else `input` is a vector or a matrix itself.
    """
    dim = (dim,) if isinstance(dim, int) else dim
    checks.check_linalg_norm_dims(dim)
    if ord is None:
        return F.linalg_vector_norm(input, 2, dim, keepdim, dtype=dtype)
    if dim is None:
        checks.check_linalg_norm_rank(input)
        dim = tuple(range(input.ndim))
    if len(dim) == 2 or isinstance(ord, str):
        return F.linalg_matrix_norm(input, ord, dim, keepdim, dtype=dtype)
    return F.linalg_vector_norm(input, ord, dim, keepdim, dtype=dtype)


face(linalg_norm, method=None, out=True, out_same_dtype="linalg.norm expected out tensor dtype {result} but got: {out}")


# ---- condition numbers


@composite(
    samples=lambda r: [*((r.invertible(2, 3, 3), order) for order in (None, *checks.ORDERS)), (r(3, 4),), (r(0, 0),)]
)
def linalg_cond(F, A, p: Number | str = None):
    """The condition numbers of matrices: the norm times that of the inverse, inf for a singular matrix.

    For the norms None, 2 and -2 it is the quotient of the largest and the smallest singular value, or the reverse, and
    the matrices need not be square.
    """
    checks.check_condition(A, p)
    if not math.prod(A.shape):
        return F.new_zeros_of(F.abs(A), tuple(A.shape[:-2]))
    if p in (2, -2, None):
        values = F.linalg_svdvals(A)
        largest, smallest = values[..., 0], values[..., -1]
        return smallest / largest if p == -2 else largest / smallest
    check_square(f"linalg.cond(ord={p})", A)
    if p == "nuc":
        values = F.linalg_svdvals(A)
        return F.sum(values, (-1,)) * F.sum(1 / values, (-1,))
    product = F.linalg_matrix_norm(A, p) * F.linalg_matrix_norm(F.inverse_and_info(A)[0], p)
    return F.nan_to_num(product, math.inf, math.inf, -math.inf)


face(linalg_cond, method=None, out=True, castable=("linalg.cond", "result"))
