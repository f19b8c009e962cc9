"""The functions of `torch.sparse`."""

from __future__ import annotations

from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.dtype import SCALAR_NAMES, int64
from rushlight.core.shape_queries import SPARSE_COO, SPARSE_CSC, SPARSE_CSR
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import wrap as dense
from rushlight.sparse import products, reductions
from rushlight.sparse.convert import SHOWN, to_sparse
from rushlight.sparse.coordinates import coo
from rushlight.sparse.pointwise import written_out
from rushlight.sparse.tensor import SparseTensor, result


def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """Returns the product of two matrices, of which any may be sparse; sparse if both are.

    With `reduce`, "sum", "mean", "amax" or "amin", `mat1` has the layout CSR, and each row of the result is that of the
    rows of `mat2` that its entries meet, times the entries. Raises RuntimeError if shapes or dtypes do not fit.

    >>> import rushlight as torch
    >>> torch.sparse.mm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]]))
    tensor([[1.],
            [2.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse.mm.html
    """
    if not isinstance(mat1, SparseTensor) and not isinstance(mat2, SparseTensor):
        return F.mm(mat1, mat2)
    return products.mm(mat1, mat2, reduce)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    """Returns `beta * mat + alpha * (mat1 @ mat2)`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse.addmm.html
    """
    if not any(isinstance(each, SparseTensor) for each in (mat, mat1, mat2)):
        return F.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)
    return products.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sampled_addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0, out: Tensor | None = None
) -> Tensor:
    """Returns `beta * input + alpha * (mat1 @ mat2)` at the entries of `input`, which has the layout CSR.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse.sampled_addmm.html
    """
    made = products.sampled_addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    return made if out is None else written_out(out, made, "sampled_addmm")


def sum(input: Tensor, dim: Any = None, dtype=None) -> Tensor:
    """Returns the sum of all elements, or along dimensions: sparse while a sparse dimension is left.

    >>> import rushlight as torch
    >>> torch.sparse.sum(torch.eye(3).to_sparse(), 0).to_dense()
    tensor([1., 1., 1.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse.sum.html
    """
    return reductions.sparse_sum(input, dim, dtype)


def softmax(input: Tensor, dim: int, *, dtype=None) -> Tensor:
    """Returns the softmax along a dimension, in which elements without an entry count as minus infinity.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse.softmax.html
    """
    return reductions.softmax(input, dim, dtype)


def log_softmax(input: Tensor, dim: int, *, dtype=None) -> Tensor:
    """Returns the logarithm of the softmax along a dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse.log_softmax.html
    """
    return reductions.log_softmax(input, dim, dtype)


def spdiags(diagonals: Tensor, offsets: Tensor, shape, layout=None) -> Tensor:
    """Returns a matrix of a shape whose diagonals at `offsets` are the rows of `diagonals`.

    Diagonal `k` has its elements in the columns in which they are in the row.

    >>> import rushlight as torch
    >>> torch.sparse.spdiags(torch.tensor([[1, 2, 3]]), torch.tensor([1]), (3, 3)).to_dense()
    tensor([[0, 2, 0],
            [0, 0, 3],
            [0, 0, 0]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse.spdiags.html
    """
    layout = SPARSE_COO if layout is None else layout
    rows, diagonal_numbers = F.atleast_2d(diagonals), np.asarray(offsets._array).reshape(-1)
    if rows.ndim != 2:
        raise RuntimeError("Diagonals must be vector or matrix")
    if offsets.ndim > 1:
        raise RuntimeError("Offsets must be scalar or vector")
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if len(diagonal_numbers) != rows.shape[0]:
        raise RuntimeError(
            f"Number of diagonals ({rows.shape[0]}) does not match the number of offsets ({len(diagonal_numbers)})"
        )
    if layout not in (SPARSE_COO, SPARSE_CSC, SPARSE_CSR):
        raise RuntimeError(f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {SHOWN[layout]}")
    if offsets.dtype is not int64:
        raise RuntimeError(f"Offset Tensor must have dtype Long but got {SCALAR_NAMES[offsets.dtype]}")
    if len(np.unique(diagonal_numbers)) != len(diagonal_numbers):
        raise RuntimeError("Offset tensor contains duplicate values")
    number, column = np.divmod(np.arange(rows.numel()), max(rows.shape[1], 1))
    row = column - diagonal_numbers[number]
    kept = np.flatnonzero((row >= 0) & (row < shape[0]) & (column < shape[1]))
    values = F.index_select(F.reshape(rows, (-1,)), 0, dense(kept))
    array = coo(np.stack([row[kept], column[kept]]), values, shape)
    made = result(array, "SpdiagsBackward0")
    return made if layout is SPARSE_COO else to_sparse(made, layout=layout)
