"""Copies and pickles of sparse tensors, in the form in which PyTorch stores them in checkpoints."""

from __future__ import annotations

import copy

from rushlight.core.shape_queries import SPARSE_COO
from rushlight.core.tensor import Parameter, rebuild_parameter
from rushlight.sparse.array import COMPRESSED, SparseArray
from rushlight.sparse.construct import sparse_compressed_tensor, sparse_coo_tensor
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import SparseTensor, wrap


def rebuild(layout, parts) -> SparseTensor:
    """Returns the tensor of a pickle: `parts` are its indices, values and size, and for COO whether it is coalesced."""
    if layout is SPARSE_COO:
        indices, values, size, *coalesced = parts
        return sparse_coo_tensor(indices, values, size, is_coalesced=coalesced[0] if coalesced else None)
    if layout in COMPRESSED:
        starts, others, values, size = parts
        return sparse_compressed_tensor(starts, others, values, size, layout=layout)
    raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")


def unchecked(layout, parts) -> SparseTensor:
    """The same without a look at the indices. The caller checks them before the program gets the tensor."""
    count = 1 if layout is SPARSE_COO else 2
    values, size, *coalesced = parts[count:]
    return wrap(SparseArray(layout, parts[:count], values, tuple(size), bool(coalesced and coalesced[0])))


@computes("__reduce_ex__")
def reduce_ex(tensor: SparseTensor, protocol):
    """Returns the parts of a tensor, and the function that makes it of them again."""
    array = tensor._array
    if isinstance(tensor, Parameter):
        return rebuild_parameter, (tensor.detach(), tensor.requires_grad)
    parts = (*array.indices, array.values.detach(), tensor.shape)
    if array.layout is SPARSE_COO:
        parts = (*parts, array.coalesced)
    return rebuild, (array.layout, parts)


@computes("__deepcopy__")
def deepcopy(tensor: SparseTensor, memo: dict) -> SparseTensor:
    """Returns a copy with its own memory. Raises RuntimeError for a tensor that is no leaf."""
    array = tensor._array
    values = copy.deepcopy(array.values, memo)
    indices = tuple([copy.deepcopy(each, memo) for each in array.indices])
    copied = wrap(SparseArray(array.layout, indices, values, array.shape, array.coalesced))
    vars(copied).update({name: copy.deepcopy(value, memo) for name, value in vars(tensor).items()})
    return copied
