"""Tensors of layout COO of another size: resized in place, emptied for `out=`, and broadcast."""

from __future__ import annotations

from math import prod

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.modes import recording
from rushlight.core.shape_queries import SPARSE_COO
from rushlight.core.tensor import Tensor, look_at
from rushlight.create.filled import zeros as dense_zeros
from rushlight.sparse.array import SparseArray
from rushlight.sparse.coordinates import coo, taken
from rushlight.sparse.errors import not_run
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import SparseTensor, result

NOT_RESIZED = """{} on a non-empty sparse tensor is not supported.
You could try the following options:
1. If you need an empty sparse tensor of this size, call `x = torch.sparse_coo_tensor(size)`.
2. If you need to resize this tensor, you have the following options:
    1. For both sparse and dense dimensions, keep the number of them constant and the size of them non-shrinking, and \
then try the same call again.
    2. Or, create a new sparse tensor with the correct indices and values from this sparse tensor."""


@computes("sparse_resize_")
def sparse_resize_(self, size, sparse_dim: int, dense_dim: int) -> SparseTensor:
    """Changes the size, in place: with entries, no dimension may shrink, appear or disappear."""
    check_resized("sparse_resize_", self, size, sparse_dim, dense_dim)
    array, size = self._array, tuple(size)
    if not array.entries:
        return emptied(self, size, sparse_dim)
    dense_sizes = size[sparse_dim:]
    check_growth("sparse", array.shape[: array.sparse_dim], size[:sparse_dim])
    check_growth("dense", array.shape[array.sparse_dim :], dense_sizes)
    values = array.values.detach()
    if dense_sizes != array.shape[array.sparse_dim :]:  # as in PyTorch, the elements keep their places in memory
        kept = F.reshape(values, (-1,))
        rest = dense_zeros(array.entries * prod(dense_sizes) - kept.numel(), dtype=values.dtype)
        values = F.reshape(F.cat([kept, rest]), (array.entries, *dense_sizes))
    look_at(self, coo(array.indices[0], values, size, array.coalesced))
    return self


@computes("sparse_resize_and_clear_")
def sparse_resize_and_clear_(self, size, sparse_dim: int, dense_dim: int) -> SparseTensor:
    """Changes the size and removes the entries, in place."""
    check_resized("sparse_resize_and_clear_", self, size, sparse_dim, dense_dim)
    return emptied(self, tuple(size), sparse_dim)


@computes("resize_as_sparse_")
def resize_as_sparse_(self, the_template) -> SparseTensor:
    """Gives the tensor the size of a sparse one, in place."""
    if not isinstance(the_template, SparseTensor):
        raise not_run("_nnz", (the_template,))
    if the_template.layout is not SPARSE_COO or not isinstance(self, SparseTensor):
        raise not_run("resize_", (self, the_template))
    return sparse_resize_(self, the_template.shape, the_template.sparse_dim(), the_template.dense_dim())


@computes("resize_as_")
def resize_as_(self, the_template, memory_format=None) -> SparseTensor:
    """Gives the tensor the size of a sparse one, in place."""
    both = all(isinstance(each, SparseTensor) and each.layout is SPARSE_COO for each in (self, the_template))
    if not both or memory_format is not None:
        raise not_run("resize_", (self, the_template))
    return resize_as_sparse_(self, the_template)


def check_resized(name: str, tensor: Tensor, size, sparse_dim: int, dense_dim: int) -> None:
    """Raises for a tensor that cannot be resized so."""
    if not isinstance(tensor, SparseTensor) or tensor.layout is not SPARSE_COO:
        raise not_run(name, (tensor,))
    if recording() and tensor.requires_grad and tensor.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if len(size) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{sparse_dim}, dense_dim = {dense_dim}"
        )


def check_growth(kind: str, own: tuple, wanted: tuple) -> None:
    """Raises RuntimeError if sizes shrink, or if their number changes."""
    if len(own) != len(wanted):
        change = f"changing the number of {kind} dimensions (from {len(own)} to {len(wanted)})"
        raise RuntimeError(NOT_RESIZED.format(change))
    if any(size > new for size, new in zip(own, wanted, strict=True)):
        change = f"shrinking the size of {kind} dimensions (from {list(own)} to {list(wanted)})"
        raise RuntimeError(NOT_RESIZED.format(change))


def emptied(tensor: SparseTensor, size: tuple, sparse_dim: int) -> SparseTensor:
    """Makes a tensor one of a size without entries."""
    values = dense_zeros((0, *size[sparse_dim:]), dtype=tensor.dtype)
    look_at(tensor, coo(np.empty((sparse_dim, 0), np.int64), values, size, True))
    return tensor


@computes("created_in")
def created_in(out: SparseTensor, name: str, size: tuple) -> SparseTensor:
    """Makes `out` the result of `torch.zeros` or `empty`. Raises RuntimeError for other functions."""
    if name not in ("zeros", "empty"):
        raise RuntimeError("full(...) is not implemented for sparse layout")
    return sparse_resize_and_clear_(out, size, len(size), 0)


# ---- broadcasting


@computes("_sparse_broadcast_to")
def _sparse_broadcast_to(self, size) -> SparseTensor:
    """Returns the tensor with its entries repeated over larger and new dimensions."""
    size = tuple(size)
    if len(size) < self.ndim:
        raise RuntimeError("the requested broadcast shape has fewer dimensions than the input")
    new = len(size) - self.ndim
    for dim, (own, wanted) in enumerate(zip(self.shape, size[new:], strict=True)):
        if own not in (1, wanted):
            raise RuntimeError(
                f"The input's length {own} at dimension {dim} does not broadcast over the requested shape of length "
                f"{wanted} at dimension {dim + new}"
            )
    return result(broadcast(self._array, size), "SparseBroadcastToBackward0")


def broadcast(array: SparseArray, size: tuple) -> SparseArray:
    """Returns an array of layout COO with its entries repeated; new dimensions in front are sparse."""
    new, sparse = len(size) - array.ndim, array.sparse_dim
    (indices,) = array.index_arrays()
    own = [1] * new + [*array.shape[:sparse]]
    repeated = [dim for dim in range(new + sparse) if dim < new or own[dim] != size[dim]]
    kept = [dim for dim in range(new + sparse) if dim not in repeated]
    times = prod(size[dim] for dim in repeated)
    positions = np.indices([size[dim] for dim in repeated])
    out = np.empty((new + sparse, array.entries, times), np.int64)
    out[new:] = indices[:, :, None]
    if repeated:
        out[repeated] = positions.reshape(len(repeated), 1, times)
    values = taken(array.values, np.repeat(np.arange(array.entries), times))
    if (dense_sizes := size[new + sparse :]) != array.shape[sparse:]:
        values = F.expand(values, (len(values), *dense_sizes))
    in_order = array.coalesced and (not repeated or not kept or max(kept) < min(repeated))
    return coo(out.reshape(new + sparse, -1), values, size, in_order)
