"""The standard's extension `linalg`: `rushlight.linalg` where they agree, the rest below.

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
    """The vector products of vectors of three elements."""
    return F.linalg_cross(*F.broadcast_tensors(*together(x1, x2)), dim=axis)


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of matrices, or of vectors with them."""
    return product(F.matmul, x1, x2)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | str | None = "fro") -> Tensor:
    """The norms of the matrices in the last two dimensions."""
    return F.linalg_matrix_norm(x, ord, (-2, -1), keepdims)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of each element of one vector with each of another."""
    return F.outer(*together(x1, x2))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solutions of systems of equations; `x2` is a vector only if it has one dimension.

    PyTorch reads `x2` as a batch of vectors where its shape fits one.
    """
    matrices, sides = together(x1, x2)
    if sides.ndim > 1 and sides.ndim < matrices.ndim:
        sides = sides.unsqueeze(0)
    return F.linalg_solve(matrices, sides)


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """The sums of products over pairs of axes: the last and first so many, or those named."""
    return product(lambda one, other: F.tensordot(one, other, axes), x1, x2)


def trace(x: Tensor, /, *, offset: int = 0, dtype: dtype | None = None) -> Tensor:
    """The sums along a diagonal of the matrices in the last two dimensions."""
    return _sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The scalar products of vectors, the first of them conjugated; of whole numbers too, which PyTorch refuses."""
    one, other = together(x1, x2)
    if one.dtype.category >= FLOAT:
        return F.linalg_vecdot(one, other, dim=axis)
    return F.sum(F.mul(one, other), axis, dtype=one.dtype)


def vector_norm(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """The norm of the elements along axes as a vector, of all of them by default."""
    return F.linalg_vector_norm(x, ord, axis, keepdims)
