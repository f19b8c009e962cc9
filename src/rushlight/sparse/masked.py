"""Reductions of `torch.masked` over sparse tensors: over the elements that a mask keeps, whether stored or not."""

from __future__ import annotations

import numpy as np

import rushlight._generated.functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.shape_queries import SPARSE_COO, SPARSE_CSR, STRIDED
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import wrap as dense
from rushlight.sparse.array import SparseArray
from rushlight.sparse.compressed import as_coo, compressed
from rushlight.sparse.convert import to_sparse
from rushlight.sparse.coordinates import coalesced, coo, grouped, indices_of, keys_of, taken
from rushlight.sparse.tensor import SparseTensor, wrap

LAYOUTS = {"mean": (SPARSE_CSR,)}
ARTICLES = {SPARSE_COO: "sparse_coo", SPARSE_CSR: "sparse_csr"}


def reduced(name: str, input: SparseTensor, dims: tuple[int, ...], keepdim: bool, dtype, mask, identity) -> Tensor:
    """Returns the reduction `name` along dimensions, in the layout of the input: without entry where nothing is kept.

    Without a mask the stored elements are summed; other reductions need one, as the others may count or not.
    """
    layouts = LAYOUTS.get(name, (SPARSE_COO, SPARSE_CSR))
    if input.layout not in layouts:
        if mask is not None and name != "mean":
            raise ValueError(f"_input_mask expects strided or sparse COO or sparse CSR tensor but got {input.layout}")
        words = "strided, sparse_coo or sparse_csr" if len(layouts) > 1 else "strided or sparse_csr"
        raise ValueError(f"masked {name} expects {words} tensor (got {input.layout} tensor)")
    if mask is None and name != "sum":
        name = "amax" if name == "amin" and input.layout is SPARSE_COO else name  # PyTorch's words
        raise ValueError(f"masked {name} expects explicit mask for {ARTICLES[input.layout]} tensor input")
    if input.layout is SPARSE_CSR and not keepdim:
        kind = RuntimeError if name in ("sum", "prod") else AssertionError
        raise kind("reduction operations on CSR tensors with keepdim=False is unsupported")
    array = as_coo(input._array)
    array = array if mask is None else kept(coalesced(array), mask_of(input, mask), identity)
    array = array.with_values(array.values.to(dtype))
    dims = tuple(dim for dim in dims if dim < input.ndim)  # without dimensions 0 means all
    if input.layout is SPARSE_CSR:
        return wrap(compressed(reduced_matrix(name, array, dims), SPARSE_CSR))
    return wrap(reduced_along(name, array, dims, keepdim, identity))


def mask_of(input: SparseTensor, mask: Tensor) -> SparseArray:
    """Returns a mask of the shape of a tensor, with as many sparse dimensions."""
    if mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if mask.layout is STRIDED or mask.shape != input.shape or mask.dense_dim() != input.dense_dim():
        whole = F.expand(mask.to_dense(), tuple(input.shape))
        mask = to_sparse(whole.ne(0), input.ndim - input.dense_dim())
    array = coalesced(as_coo(mask._array))
    return array.with_values(array.values.to(dtypes.bool))


def kept(array: SparseArray, mask: SparseArray, identity) -> SparseArray:
    """Returns the elements that a mask keeps, zeros included; `identity` for others in their dense dimensions."""
    sizes = array.shape[: array.sparse_dim]
    marks = F.any(mask.values, tuple(range(1, mask.values.ndim))) if mask.dense_dim else mask.values
    wanted = keys_of(mask.index_arrays()[0], sizes)[marks._array]
    stored = keys_of(array.index_arrays()[0], sizes)
    at = np.searchsorted(stored, wanted)
    absent = np.append(stored, -1)[at] != wanted
    zero = F.new_zeros_of(array.values.detach(), (1, *array.values.shape[1:]))
    values = F.index_select(F.cat([array.values, zero]), 0, dense(np.where(absent, len(stored), at)))
    if array.dense_dim:
        values = F.where(mask.values[marks], values, identity)
    return coo(indices_of(wanted, sizes), values, array.shape, True)


def reduced_along(name: str, array: SparseArray, dims: tuple[int, ...], keepdim: bool, identity) -> SparseArray:
    """Returns the reduction of the entries of an array of layout COO."""
    sparse, values = array.sparse_dim, array.values
    for dim in sorted((dim - sparse + 1 for dim in dims if dim >= sparse), reverse=True):
        values = getattr(F, name)(values, dim, keepdim)
    left = [dim for dim in range(sparse) if dim not in dims]
    shape = tuple(1 if dim in dims else size for dim, size in enumerate(array.shape) if keepdim or dim not in dims)
    sizes = [array.shape[dim] for dim in left]
    if not left:
        if not len(values):
            values = F.new_zeros_of(values.detach(), (1, *values.shape[1:])).fill_(identity)
        return to_sparse(getattr(F, name)(values, 0).reshape(shape))._array
    keys, order, groups = grouped(keys_of(array.index_arrays()[0][left], sizes))
    values = combined_groups(name, taken(values, order), groups, len(keys))
    indices = indices_of(keys, sizes)
    if keepdim:
        indices = np.stack([indices[left.index(dim)] if dim in left else np.zeros_like(keys) for dim in range(sparse)])
    return coo(indices, values, shape, True)


def reduced_matrix(name: str, array: SparseArray, dims: tuple[int, ...]) -> SparseArray:
    """Returns the reduction of a matrix, with two dimensions; all of it has an entry, even for zero."""
    if len(dims) < 2:
        return reduced_along(name, array, dims, True, None)
    if not array.entries:
        return coo(np.zeros((2, 0), np.int64), array.values, (1, 1), True)
    return coo(np.zeros((2, 1), np.int64), getattr(F, name)(array.values, 0, True), (1, 1), True)


def combined_groups(name: str, values: Tensor, groups: np.ndarray, count: int) -> Tensor:
    """Returns one value for each group of entries."""
    positions = dense(groups).reshape(-1, *(1,) * (values.ndim - 1)).expand(values.shape)
    start = F.new_zeros_of(values.detach(), (count, *values.shape[1:]))
    return F.scatter_reduce(start, 0, positions, values, name, include_self=False)
