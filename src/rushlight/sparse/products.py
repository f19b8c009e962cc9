"""Products of sparse matrices with dense and sparse ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.core.errors import type_name
from rushlight.core.shape_queries import SPARSE_COO, SPARSE_CSR
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import wrap as dense
from rushlight.sparse.array import BLOCKS, SparseArray
from rushlight.sparse.compressed import as_coo, as_stored, starts_of
from rushlight.sparse.convert import to_sparse
from rushlight.sparse.coordinates import added_up, coo, grouped, indices_of, keys_of, order_of, taken
from rushlight.sparse.errors import not_run
from rushlight.sparse.pointwise import added, in_layout_of
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import SparseTensor, dense_result, result


def positions(array: SparseArray) -> tuple[Tensor, Tensor]:
    """Returns the rows and the columns of the entries of a matrix, which are kept with the array."""
    if array.rows is None:
        rows, columns = as_stored(array).index_arrays()[0]
        array.rows = dense(np.ascontiguousarray(rows)), dense(np.ascontiguousarray(columns))
    return array.rows


def check_shapes(first: Tensor, second: Tensor, name: str) -> None:
    """Raises RuntimeError for matrices that have no product."""
    if first.ndim != 2 or second.ndim != 2:
        raise RuntimeError(f"{name}: expected matrices, got {first.ndim}D and {second.ndim}D tensors")
    if first.shape[1] != second.shape[0]:
        if isinstance(first, SparseTensor) and first.layout is SPARSE_COO and not isinstance(second, SparseTensor):
            sizes = f"Expected dim 0 size {first.shape[1]}, got {second.shape[0]}"
            raise RuntimeError(f"addmm: Argument #3 (dense): {sizes}")
        sizes = " and ".join("x".join(map(str, each.shape)) for each in (first, second))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({sizes})")
    if first.dtype is not second.dtype:
        names = [SCALAR_NAMES[each.dtype] for each in (first, second)]
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    for each in (first, second):
        if isinstance(each, SparseTensor) and each._array.sparse_dim != 2:
            raise RuntimeError(f"addmm: expected a tensor with 2 sparse dimensions, got {each._array.sparse_dim}")


def check_tensor(name: str, value, argument: str = "mat2", position: int = 2) -> None:
    """Raises TypeError for an operand that is no tensor."""
    if not isinstance(value, Tensor):
        words = f"argument '{argument}' (position {position}) must be Tensor, not {type_name(value)}"
        raise TypeError(f"{name}(): {words}")


def product_with_dense(sparse: SparseTensor, matrix: Tensor) -> Tensor:
    """Returns the product of a sparse matrix with a dense one."""
    array = sparse._array
    return F.sparse_matmul(array.values, matrix, *positions(array), array.shape[0])


def without_blocks(matrix: Tensor) -> Tensor:
    """Returns a matrix of blocks in the layout CSR; others as they are."""
    return to_sparse(to_sparse(matrix), layout=SPARSE_CSR) if matrix.layout in BLOCKS else matrix


def product_of(first: Tensor, second: Tensor, name: str = "mm") -> Tensor:
    """Returns the product of two matrices of which at least one is sparse."""
    check_tensor(name, second)
    if second.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    check_shapes(first, second, name)
    first, second = without_blocks(first), without_blocks(second)
    if not isinstance(second, SparseTensor):
        assert isinstance(first, SparseTensor)
        return product_with_dense(first, second)
    if not isinstance(first, SparseTensor):
        array = second._array
        rows, columns = positions(array)
        turned = F.sparse_matmul(array.values, F.t(first), columns, rows, array.shape[1])
        return F.t(turned)
    return product_of_sparse(first, second)


def product_of_sparse(first: SparseTensor, second: SparseTensor) -> SparseTensor:
    """Returns the product of two sparse matrices, in the layout of the first."""
    left, right = as_coo(first._array), as_coo(second._array)
    rows, inner = left.index_arrays()[0]
    other_rows, columns = right.index_arrays()[0]
    order = order_of(other_rows)
    starts = starts_of(other_rows[order], right.shape[0])
    counts = np.diff(starts)[inner]
    # Each entry of the left with all entries in the row of the right that it meets.
    lefts = np.repeat(np.arange(len(inner)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    rights = order[starts[inner][lefts] + within]
    terms = F.mul(taken(left.values, lefts), taken(right.values, rights))
    sizes = (left.shape[0], right.shape[1])
    keys, order, groups = grouped(keys_of(np.stack([rows[lefts], columns[rights]]), sizes))
    values = added_up(taken(terms, order), groups, len(keys))
    return result(in_layout_of(first, coo(indices_of(keys, sizes), values, sizes, True)), "MmBackward0")


@computes("mm", "spmm", "dsmm", "hsmm", "_sparse_mm")
def mm(input, mat2, reduce=None) -> Tensor:
    """Returns the product of two matrices; `reduce` combines rows otherwise than by their sum."""
    if reduce is not None:
        return reduced_product(input, mat2, reduce)
    return product_of(input, mat2)


@computes("matmul", "__matmul__")
def matmul(input, other) -> Tensor:
    """Returns the product of a matrix with a vector, with a matrix, or with each of a batch."""
    check_tensor("matmul", other, "other")
    if not isinstance(input, SparseTensor) and input.ndim == 1:
        return F.reshape(product_of(F.unsqueeze(input, 0), other, "matmul"), (other.shape[1],))
    if other.ndim == 1:
        return mv(input, other)
    if input.ndim == 2 == other.ndim:
        return product_of(input, other, "matmul")
    if isinstance(input, SparseTensor) and input.ndim == 2 and not isinstance(other, SparseTensor):
        moved = F.movedim(other, -2, 0)  # (inner, *batch, width)
        made = product_of(input, F.reshape(moved, (other.shape[-2], -1)), "matmul")
        return F.movedim(F.reshape(made, (input.shape[0], *moved.shape[1:])), 0, -2)
    if isinstance(input, SparseTensor) and input.ndim == 3 == other.ndim:
        return bmm(input, other)
    raise not_run("matmul", (input, other))


@computes("mv")
def mv(input, vec) -> Tensor:
    """Returns the product of a matrix with a vector."""
    if not isinstance(input, SparseTensor) or isinstance(vec, SparseTensor):
        raise not_run("mv", (input, vec))
    if input.ndim != 2 or vec.ndim != 1 or input.shape[1] != vec.shape[0]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    made = F.reshape(product_of(input, F.unsqueeze(vec, 1), "mv"), (input.shape[0],))
    return dense_result(made, "MvBackward0")


@computes("addmv")
def addmv(input, mat, vec, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Returns `beta * input + alpha * (mat @ vec)` for a sparse matrix."""
    product = mv(mat, vec)
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else input * beta + product


@computes("addmv_")
def addmv_(self, mat, vec, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Adds the product of a matrix and a vector, in place."""
    return self.copy_(addmv(self, mat, vec, beta=beta, alpha=alpha))


@computes("addmm", "saddmm", "_sparse_addmm")
def addmm(input, mat1, mat2, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Returns `beta * input + alpha * (mat1 @ mat2)`."""
    check_tensor("addmm", mat1, "mat1")
    product = product_of(mat1, mat2, "addmm")
    if isinstance(product, SparseTensor) or isinstance(input, SparseTensor):
        if not (isinstance(product, SparseTensor) and isinstance(input, SparseTensor)):
            return added(product, input * beta, 1, "AddmmBackward0") if alpha == 1 else product * alpha + input * beta
        return added(input * beta, product, alpha, "AddmmBackward0")
    scaled = product if alpha == 1 else product * alpha
    made = scaled if beta == 0 else F.add(scaled, input if beta == 1 else input * beta)
    return dense_result(made, "AddmmBackward0")


spmm = dsmm = hsmm = mm
saddmm = addmm


@computes("addmm_")
def addmm_(self, mat1, mat2, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Adds a product, in place."""
    return self.copy_(addmm(self, mat1, mat2, beta=beta, alpha=alpha))


@computes("linear")
def linear(input, weight, bias=None) -> Tensor:
    """Returns `input @ weight.T + bias`, for a dense input of any rank."""
    check_tensor("linear", weight, "weight")
    if isinstance(input, SparseTensor) or input.ndim == 2 or not input.ndim:
        product = product_of(input, weight.t(), "linear")
    else:
        rows = F.reshape(input, (math.prod(input.shape[:-1]), input.shape[-1]))
        product = F.reshape(product_of(rows, weight.t(), "linear"), (*input.shape[:-1], weight.shape[0]))
    return product if bias is None else F.add(product, bias)


@computes("bmm")
def bmm(input, mat2) -> Tensor:
    """Returns the products of a batch of sparse matrices, of layout COO, with one of dense ones."""
    if isinstance(mat2, SparseTensor):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    if input.layout is not SPARSE_COO or input.sparse_dim() != 3:
        raise not_run("bmm", (input, mat2))
    size, rows, inner = input.shape
    if mat2.ndim != 3 or tuple(mat2.shape[:2]) != (size, inner):
        raise RuntimeError(f"bmm: sizes {list(input.shape)} and {list(mat2.shape)} do not fit")
    batch, row, column = input._array.index_arrays()[0]
    matrices = F.reshape(mat2, (size * inner, mat2.shape[2]))
    indices = dense(batch * rows + row), dense(batch * inner + column)
    made = F.sparse_matmul(input._array.values, matrices, *indices, size * rows)
    return F.reshape(made, (size, rows, mat2.shape[2]))


# ---- products with sparse results


@computes("smm")
def smm(input, mat) -> SparseTensor:
    """Returns the product of a sparse matrix with a dense one, as a tensor of layout COO."""
    check_tensor("smm", mat)
    empty = np.empty((2, 0), np.int64)
    values = F.new_zeros_of(mat.detach(), (0,))
    return sspaddmm(result(coo(empty, values, (input.shape[0], mat.shape[1]), True), ""), input, mat)


@computes("sspaddmm")
def sspaddmm(input, mat1, mat2, *, beta: Any = 1, alpha: Any = 1) -> SparseTensor:
    """Returns `beta * input + alpha * (mat1 @ mat2)` in the layout COO, with entries for whole rows."""
    rows, product = rows_of_product(mat1, mat2)
    width = product.shape[1]
    indices = np.stack([np.repeat(rows, width), np.tile(np.arange(width), len(rows))])
    values = F.reshape(product if alpha == 1 else product * alpha, (-1,))
    before = as_coo(input._array)
    joined = F.cat([before.values if beta == 1 else before.values * beta, values])
    return result(coo(np.concatenate([before.index_arrays()[0], indices], 1), joined, input.shape), "SspaddmmBackward0")


@computes("hspmm")
def hspmm(mat1, mat2) -> SparseTensor:
    """Returns the product as a hybrid tensor: one sparse dimension, whose entries are whole rows."""
    rows, product = rows_of_product(mat1, mat2)
    return result(coo(rows[None], product, (mat1.shape[0], mat2.shape[1]), False), "HspmmBackward0")


def rows_of_product(mat1: SparseTensor, mat2: Tensor) -> tuple[np.ndarray, Tensor]:
    """Returns the rows of a sparse matrix that have entries, and these rows of the product with a dense one."""
    check_tensor("hspmm", mat1, "mat1", 1)
    check_tensor("hspmm", mat2)
    check_shapes(mat1, mat2, "hspmm")
    row, column = positions(mat1._array)
    rows, indices = np.unique(np.asarray(row._array), return_inverse=True)
    return rows, F.sparse_matmul(mat1._array.values, mat2, dense(indices), column, len(rows))


@computes("sampled_addmm")
def sampled_addmm(input, mat1, mat2, *, beta: Any = 1.0, alpha: Any = 1.0) -> SparseTensor:
    """Returns `alpha * (mat1 @ mat2) + beta * input` at the entries of `input`, which has the layout CSR."""
    if input.layout is not SPARSE_CSR:
        raise RuntimeError(f"Expected input to have sparse csr layout, but got {input.layout}")
    if mat1.shape[-1] != mat2.shape[-2]:
        sizes = " and ".join("x".join(map(str, each.shape[-2:])) for each in (mat1, mat2))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({sizes})")
    if (mat1.shape[-2], mat2.shape[-1]) != tuple(input.shape[-2:]) or input._array.batch_dim:
        raise RuntimeError("sampled_addmm: input must be a matrix of the shape of the product")
    array = input._array
    sampled = F.entry_products(mat1, F.t(mat2), *positions(array))
    values = sampled if alpha == 1 else sampled * alpha
    values = values + (array.values if beta == 1 else array.values * beta)
    return result(array.with_values(values), "SparseSampledAddmmBackward0")


def reduced_product(input, mat2, reduce: str) -> Tensor:
    """Returns, for each row of a matrix of layout CSR, the sum, mean, minimum or maximum of its entries times rows."""
    if not isinstance(input, SparseTensor) or input.layout is not SPARSE_CSR:
        raise not_run("_sparse_mm_reduce_impl", (input, mat2))
    check_shapes(input, mat2, "mm")
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduce == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    if reduce not in ("sum", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    array = input._array
    rows, columns = positions(array)
    counts = np.diff(array.index_arrays()[0])
    if reduce in ("sum", "mean"):
        total = product_with_dense(input, mat2)
        if reduce == "sum":
            return total
        return total / dense(np.maximum(counts, 1)[:, None]).to(total.dtype)
    terms = F.index_select(mat2, 0, columns) * F.unsqueeze(array.values, 1)
    index = F.unsqueeze(rows, 1).expand(terms.shape)
    start = F.new_zeros_of(mat2.detach(), (array.shape[0], mat2.shape[1]))
    return F.scatter_reduce(start, 0, index, terms, reduce, include_self=False)
