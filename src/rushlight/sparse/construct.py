"""Constructors of sparse tensors.

https://docs.pytorch.org/docs/stable/sparse.html#construction-of-sparse-coo-tensors
"""

from __future__ import annotations

from itertools import accumulate
from operator import index, mul
from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.device import CPU, resolved
from rushlight.core.errors import noted, type_name
from rushlight.core.shape_queries import SPARSE_BSC, SPARSE_BSR, SPARSE_COO, SPARSE_CSC, SPARSE_CSR
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import wrap as dense
from rushlight.create.from_data import tensor as tensor_of
from rushlight.sparse.array import BLOCKS, BY_ROWS, COMPRESSED, SparseArray
from rushlight.sparse.coordinates import coo
from rushlight.sparse.invariants import ENABLED, check_compressed, check_coo
from rushlight.sparse.tensor import SparseTensor, result, wrap

ONLY_CPU = "Sparse tensors are on the CPU here: leave `device` out, and move dense results."


def _values(name: str, values, dtype, device) -> Tensor:
    """Returns the values of a constructor as a tensor that shares memory with those expected, if they are one."""
    if device is not None and resolved(device).type != "cpu":
        raise noted(NotImplementedError(f"{name}(): rushlight has no sparse tensors on {resolved(device)}"), ONLY_CPU)
    if not isinstance(values, Tensor):
        return tensor_of(values, dtype=dtype)
    if isinstance(values, SparseTensor):
        raise TypeError(f"{name}(): the values of a sparse tensor are dense")
    if values.device != CPU:
        raise noted(NotImplementedError("Cannot copy out of meta tensor; no data!"), ONLY_CPU)
    return values if dtype is None else values.to(dtype)


def _indices(indices) -> Tensor:
    """Returns indices as a tensor of integers."""
    if not isinstance(indices, Tensor):
        indices = np.asarray(indices)
        return dense(indices.astype(np.int64) if indices.dtype.kind in "biuf" else indices)
    return indices.detach()


def _finished(array: SparseArray, requires_grad: bool, node: str) -> SparseTensor:
    """Returns the tensor on an array whose values the program has expected."""
    values = array.values
    check_numel(array.shape)
    if requires_grad:
        made = wrap(array.with_values(values.detach()))
        return made.requires_grad_()
    if values.requires_grad:
        return result(array, node)
    return wrap(array.with_values(values.detach()))


def _lengths(size) -> tuple[int, ...]:
    """Returns a size of Python's integers: NumPy's and tensors of one element count as integers."""
    return tuple(map(index, size))


def check_numel(size) -> None:
    """Raises RuntimeError for a size with more elements than an int64 counts."""
    if max(accumulate(size, mul), default=0) >= 2**63:
        raise RuntimeError("numel: integer multiplication overflow")


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype=None,
    device=None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:
    """Returns a tensor of layout COO with `values` (entries, *dense dims) at `indices` (sparse dims, entries).

    Values at the same index add up. `sparse_coo_tensor(size)` has no entries. Without `size`, dimensions are as large
    as the indices need. Raises RuntimeError for indices out of range.

    >>> import rushlight as torch
    >>> torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse_coo_tensor.html
    """
    if values is None:
        return zeros(indices if size is None else size, dtype, device, requires_grad, SPARSE_COO)
    values = _values("sparse_coo_tensor", values, dtype, device)
    positions = _indices(indices)
    positions = positions if positions.dtype is dtypes.int64 else positions.to(dtypes.int64)
    if values.ndim == 0:
        values = F.reshape(values, (1,))
    if positions.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(positions.shape)}")
    if positions.shape[1] != values.shape[0]:
        counts = f"nnz from indices: {positions.shape[1]}, nnz from values: {values.shape[0]}"
        raise RuntimeError(f"indices and values must have same nnz, but got {counts}")
    size = _size_of(positions, values) if size is None else _lengths(size)
    sparse, rest = positions.shape[0], values.ndim - 1
    if len(size) != sparse + rest:
        parts = f"len(size) = {len(size)}, sparse_dim = {sparse}, dense_dim = {rest}"
        raise RuntimeError(f"'len(size) == sparse_dim + dense_dim' is not satisfied: {parts}")
    if size[sparse:] != tuple(values.shape[1:]):
        expected = [len(positions.numpy()[0]) if sparse else values.shape[0], *size[sparse:]]
        raise RuntimeError(f"values has incorrect size, expected {expected}, got {list(values.shape)}")
    array = coo(positions, values, size, bool(is_coalesced) or values.shape[0] < 2)
    check_coo(array)
    return _finished(array, requires_grad, "SparseCooTensorWithDimsAndTensorsBackward0")


def _size_of(indices: Tensor, values: Tensor) -> tuple:
    """Returns the smallest size that has all indices."""
    if indices.shape[1] == 0:
        return (0,) * indices.shape[0] + tuple(values.shape[1:])
    indices_array = np.asarray(indices._array)
    if (least := indices_array.min(1, initial=0)).min(initial=0) < 0:
        dim = int(np.flatnonzero(least < 0)[0])
        raise RuntimeError(f"found negative index {least[dim]} for dim {dim}")
    return (*map(int, indices_array.max(1) + 1), *values.shape[1:])


def zeros(size, dtype, device, requires_grad: bool, layout, dense_dim: int = 0) -> SparseTensor:
    """Returns a tensor without entries; those of layout CSR and CSC have batches in front of two sparse dimensions."""
    if layout is not SPARSE_COO and (layout not in COMPRESSED or layout in BLOCKS):
        refuse_layout("zeros", layout)
    size = (size,) if isinstance(size, int) else _lengths(size)
    if any(length < 0 for length in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(size)}")
    check_numel(size)
    start = len(size) - dense_dim - (len(size) - dense_dim if layout is SPARSE_COO else 2)
    if start < 0:
        raise RuntimeError(f"a tensor of layout {layout} has two sparse dimensions at least, but got size {list(size)}")
    batch, dims, rest = size[:start], size[start : len(size) - dense_dim], size[len(size) - dense_dim :]
    empty = np.empty((*batch, 0, *rest), (dtype or dtypes.DEFAULTS.floating).numpy)
    values = _values(f"{layout.name}_tensor", dense(empty), None, device)
    if layout is SPARSE_COO:
        array = coo(np.empty((len(dims), 0), np.int64), values, size, True)
    else:
        starts = np.zeros((*batch, dims[0 if layout is SPARSE_CSR else 1] + 1), np.int64)
        array = SparseArray(layout, (dense(starts), dense(np.empty((*batch, 0), np.int64))), values, size)
    return _finished(array, requires_grad, "")


def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseTensor:
    """Returns a tensor by rows or columns: `i` has the entries from `compressed_indices[i]` on.

    The layout is CSR, CSC, BSR or BSC, and `plain_indices` are their columns, or rows. In the last two an entry is a
    block, and `values` are (blocks, height, width). Raises RuntimeError for indices that give no such matrix.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse_compressed_tensor.html
    """
    if layout is None:
        raise RuntimeError("sparse_compressed_tensor expected sparse compressed tensor layout but got none")
    if layout not in COMPRESSED:
        refuse_layout("sparse_compressed_tensor", layout)
    values = _values(f"{layout.name}_tensor", values, dtype, device)
    starts, others = _indices(compressed_indices), _indices(plain_indices)
    if size is None:
        along, across = starts.shape[-1] - 1, int(others.max()) + 1 if others.numel() else 0
        pair, dims = (along, across) if layout in BY_ROWS else (across, along), starts.ndim
        if layout in BLOCKS:
            pair = tuple(count * length for count, length in zip(pair, values.shape[dims : dims + 2], strict=False))
            dims += 2
        size = (*starts.shape[:-1], *pair, *values.shape[dims:])
    size = _lengths(size)
    ordered = ENABLED[0] if check_invariants is None else check_invariants
    check_compressed(starts, others, values, size, layout, ordered)
    array = SparseArray(layout, (starts, others), values, size)
    return _finished(array, requires_grad, "SparseCompressedTensorBackward0")


def refuse_layout(name: str, layout) -> None:
    """Raises for what is no layout of sparse tensors here."""
    if not hasattr(layout, "name"):
        raise TypeError(f"{name}(): argument 'layout' must be torch.layout, not {type_name(layout)}")
    raise noted(
        NotImplementedError(f"{name}(): rushlight has no tensors of layout {layout}"),
        "Sparse layouts are torch.sparse_coo, sparse_csr and sparse_csc; sparse_bsr and sparse_bsc are made of blocks.",
    )


def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, **options) -> SparseTensor:
    """Returns a tensor of layout CSR: row `i` has the entries from `crow_indices[i]` to `crow_indices[i + 1]`.

    Options are `dtype`, `device`, `pin_memory`, `requires_grad` and `check_invariants`.

    >>> import rushlight as torch
    >>> torch.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0]).to_dense()
    tensor([[0., 3.],
            [4., 0.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse_csr_tensor.html
    """
    return sparse_compressed_tensor(crow_indices, col_indices, values, size, layout=SPARSE_CSR, **options)


def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, **options) -> SparseTensor:
    """Returns a tensor of layout CSC: column `i` has the entries from `ccol_indices[i]` to `ccol_indices[i + 1]`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse_csc_tensor.html
    """
    return sparse_compressed_tensor(ccol_indices, row_indices, values, size, layout=SPARSE_CSC, **options)


def sparse_bsr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, **options) -> SparseTensor:
    """Returns a tensor of layout BSR: row `i` of blocks has those from `crow_indices[i]` to `crow_indices[i + 1]`.

    `values` are (blocks, height, width).

    >>> import rushlight as torch
    >>> torch.sparse_bsr_tensor([0, 1], [1], [[[1.0, 2.0]]], (1, 4)).to_dense()
    tensor([[0., 0., 1., 2.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse_bsr_tensor.html
    """
    return sparse_compressed_tensor(crow_indices, col_indices, values, size, layout=SPARSE_BSR, **options)


def sparse_bsc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, **options) -> SparseTensor:
    """Returns a tensor of layout BSC: column `i` of blocks has those from `ccol_indices[i]` to `ccol_indices[i + 1]`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse_bsc_tensor.html
    """
    return sparse_compressed_tensor(ccol_indices, row_indices, values, size, layout=SPARSE_BSC, **options)
