"""The standard's extension `linalg`: `rushlight.linalg` where it conforms, other functions below.

https://data-apis.org/array-api/2024.12/extensions/linear_algebra_functions.html
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight._generated import functions as F
from rushlight._generated.names_of_linalg import (
    cholesky, det, diagonal, eigh, eigvalsh, inv, matrix_power, matrix_rank, pinv, qr, slogdet, svd, svdvals,
)  # fmt: skip
from rushlight.array_api.arranging import matrix_transpose
from rushlight.array_api.promotion import product, together
from rushlight.array_api.reductions import sum as _sum
from rushlight.core.dtype import FLOAT, dtype
from rushlight.core.tensor import Tensor

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
    "trace", "vecdot", "vector_norm",
]  # fmt: skip


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Returns the cross products of vectors of three elements."""
    return F.linalg_cross(*F.broadcast_tensors(*together(x1, x2)), dim=axis)


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Returns the products of matrices and vectors."""
    return product(F.matmul, x1, x2)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | str | None = "fro") -> Tensor:
    """Returns the norms of the matrices in the last two dimensions; `ord=None` means the default."""
    return F.linalg_matrix_norm(x, "fro" if ord is None else ord, (-2, -1), keepdims)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Returns the outer product of two vectors."""
    return F.outer(*together(x1, x2))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Solves systems of linear equations; `x2` is a vector only if it has one dimension.

    PyTorch treats `x2` as a batch of vectors if the shape allows it.
    """
    matrices, sides = together(x1, x2)
    if sides.ndim > 1 and sides.ndim < matrices.ndim:
        sides = sides.unsqueeze(0)
    return F.linalg_solve(matrices, sides)


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Sums products over pairs of axes: the last and first `axes`, or the given ones."""
    return product(lambda a, b: F.tensordot(a, b, axes), x1, x2)


def trace(x: Tensor, /, *, offset: int = 0, dtype: dtype | None = None) -> Tensor:
    """Returns the sums along a diagonal of the matrices in the last two dimensions."""
    return _sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Returns the dot products of vectors, the first one conjugated; also of integers, unlike PyTorch."""
    first, second = together(x1, x2)
    if first.dtype.category >= FLOAT:
        return F.linalg_vecdot(first, second, dim=axis)
    return F.sum(F.mul(first, second), axis, dtype=first.dtype)


def vector_norm(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """Returns the vector norm of the elements along axes, by default of all."""
    if axis == ():  # PyTorch would take all axes: each element is a vector instead
        return F.linalg_vector_norm(x.unsqueeze(-1), ord, -1)
    return F.linalg_vector_norm(x, ord, axis, keepdims)
