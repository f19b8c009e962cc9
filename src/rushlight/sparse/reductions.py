"""Sums, norms and softmax of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.shape_queries import SPARSE_COO, SPARSE_CSR
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import wrap as dense
from rushlight.sparse.array import SparseArray
from rushlight.sparse.compressed import as_coo, compressed
from rushlight.sparse.coordinates import added_up, coalesced, coo, indices_of, keys_of, with_entries_added
from rushlight.sparse.errors import not_run
from rushlight.sparse.selecting import counted
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import SparseTensor, dense_result, result


def dims_of(dim, ndim: int) -> list[int]:
    """Returns dimensions counted from the front, all without any."""
    dims = range(ndim) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
    counted_dims = [counted(each, ndim) for each in dims]
    if len(set(counted_dims)) < len(counted_dims):
        twice = next(each for each in counted_dims if counted_dims.count(each) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return counted_dims


@computes("sum")
def sum_(input, dim: Any = None, keepdim: bool = False, *, dtype=None) -> Tensor:
    """Returns the sum of all elements, or along dimensions: sparse while a sparse dimension is left."""
    array = input._array
    wanted = dtype or (dtypes.int64 if input.dtype.category < dtypes.FLOAT else input.dtype)
    if dim is None and not keepdim:
        return F.sum(array.values, dtype=wanted)
    dims = dims_of(dim, input.ndim)
    if array.layout is not SPARSE_COO:
        return sum_of_rows(array, dims, keepdim, wanted)
    return along(array, dims, keepdim, wanted, "SumBackward1")


@computes("sparse_sum")
def sparse_sum(input, dim=None, dtype=None) -> Tensor:
    """Returns `torch.sparse.sum`."""
    if dim is None:
        return sum_(input, dtype=dtype)
    if input.layout is not SPARSE_COO:
        raise not_run("_indices", (input,))
    return along(input._array, dims_of(dim, input.ndim), False, dtype or input.dtype, "SparseSumBackward0")


def along(array: SparseArray, dims: list[int], keepdim: bool, dtype, node: str) -> Tensor:
    """Returns the sums of an array of layout COO along dimensions."""
    sparse, values = array.sparse_dim, array.values.to(dtype)
    inner = [dim - sparse + 1 for dim in dims if dim >= sparse]
    if inner:
        values = F.sum(values, tuple(inner), keepdim)
    left = [dim for dim in range(sparse) if dim not in dims]
    shape = [1 if dim in dims else size for dim, size in enumerate(array.shape) if keepdim or dim not in dims]
    if len(left) == sparse:
        made = coo(array.indices[0], values, shape, array.coalesced)
        return result(coalesced(made), node)
    if not left:
        return dense_result(F.reshape(F.sum(values, 0), tuple(shape)), node)
    sizes = [array.shape[dim] for dim in left]
    keys, values = with_entries_added(values, keys_of(array.index_arrays()[0][left], sizes))
    indices = indices_of(keys, sizes)
    if keepdim:
        kept = np.zeros((sparse, len(keys)), np.int64)
        kept[left] = indices
        return result(coo(kept, values, shape, False), node)
    return result(coo(indices, values, shape, True), node)


def sum_of_rows(array: SparseArray, dims: list[int], keepdim: bool, dtype) -> SparseTensor:
    """Returns the sums of a matrix of layout CSR or CSC along rows or columns, in its layout."""
    if not keepdim:
        name = "CSR" if array.layout is SPARSE_CSR else "CSC"
        raise RuntimeError(f"reduction operations on {name} tensors with keepdim=False is unsupported")
    if array.batch_dim or array.dense_dim:
        raise RuntimeError("reduction operations on sparse compressed tensors with batch or dense dimensions are "
                           "unsupported")  # fmt: skip
    made = along(as_coo(array), dims, True, dtype, "SumBackward1")
    if isinstance(made, SparseTensor):
        return result(compressed(made._array, array.layout), "SumBackward1")
    whole = coo(np.zeros((2, 1), np.int64), F.reshape(made, (1,)), (1, 1), True)
    return result(compressed(whole, array.layout), "SumBackward1")


@computes("any")
def any_(input, *arguments, **keywords) -> Tensor:
    """Returns whether any element is not zero."""
    if arguments or keywords or input.layout is not SPARSE_COO:
        raise not_run("any", (input,))
    return F.any(coalesced(input._array).values)


@computes("norm")
def norm(input, p: Any = "fro", dim=None, keepdim: bool = False, dtype=None) -> Tensor:
    """Returns the norm of all elements."""
    if input.layout is not SPARSE_COO:
        raise not_run("norm.out", (input,))
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"only valid string values are 'fro' and 'nuc', found {p}")
    if p == "nuc":
        raise not_run("_linalg_svd", (input,))
    if dtype is not None:
        if p == "fro":
            raise ValueError("dtype argument is not supported in frobenius norm")
        raise RuntimeError("norm_sparse currently does not support 'dtype' argument")
    whole = [*range(input.ndim)]
    if sorted([dim] if isinstance(dim, int) else dim or whole) != whole:
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all "
            "dimensions of the input"
        )
    if keepdim:
        raise RuntimeError("norm_sparse currently does not support keepdim=True")
    order = 2 if p in ("fro", None) else p
    return dense_result(F.linalg_vector_norm(coalesced(input._array).values, order), "NormBackward1")


# ---- softmax


def groups_along(array: SparseArray, dim: int) -> tuple[np.ndarray, int]:
    """Returns the group of each entry, of those that differ in one sparse dimension only, and how many there are."""
    others = [each for each in range(array.sparse_dim) if each != dim]
    keys = keys_of(array.index_arrays()[0][others], [array.shape[each] for each in others])
    distinct, groups = np.unique(keys, return_inverse=True)
    return groups, len(distinct)


@computes("sparse_softmax", "_sparse_softmax")
def softmax(input, dim: int, dtype=None) -> SparseTensor:
    """Returns the softmax along a dimension: elements without an entry count as minus infinity."""
    return normalized(input, dim, dtype, "_sparse_softmax", "SparseSoftmaxBackward0", logarithm=False)


@computes("sparse_log_softmax", "_sparse_log_softmax")
def log_softmax(input, dim: int, dtype=None) -> SparseTensor:
    """Returns the logarithm of the softmax along a dimension."""
    return normalized(input, dim, dtype, "_sparse_log_softmax", "SparseLogSoftmaxBackward0", logarithm=True)


def normalized(input, dim: int, dtype, name: str, node: str, *, logarithm: bool) -> SparseTensor:
    """Returns the softmax or its logarithm."""
    if not isinstance(input, SparseTensor) or input.layout is not SPARSE_COO:
        raise not_run(name, (input,))
    if not input.is_floating_point():
        raise RuntimeError(
            f"\"{name.removeprefix('_sparse_')}\" not implemented for '{dtypes.SCALAR_NAMES[input.dtype]}'"
        )
    dim, array = counted(dim, input.ndim), coalesced(input._array)
    values = array.values if dtype is None else array.values.to(dtype)
    if dim >= array.sparse_dim:
        function = F.log_softmax if logarithm else F.softmax
        return result(array.with_values(function(values, dim - array.sparse_dim + 1)), node)
    groups, count = groups_along(array, dim)
    index = dense(groups)
    positions = F.reshape(index, (-1, *[1] * (values.ndim - 1))).expand(values.shape)
    start = F.new_zeros_of(values.detach(), (count, *values.shape[1:]))
    highest = F.scatter_reduce(start, 0, positions, values.detach(), "amax", include_self=False)
    shifted = values - F.index_select(highest, 0, index)
    exponentials = F.exp(shifted)
    totals = F.index_select(added_up(exponentials, groups, count), 0, index)
    made = shifted - F.log(totals) if logarithm else exponentials / totals
    return result(array.with_values(made), node)
