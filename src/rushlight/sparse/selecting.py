"""Parts, permutations and concatenations: what changes indices and moves entries."""

from __future__ import annotations

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.shape_queries import SPARSE_COO, SPARSE_CSC, SPARSE_CSR
from rushlight.core.tensor import Tensor, look_at
from rushlight.sparse.array import SparseArray
from rushlight.sparse.compressed import as_coo
from rushlight.sparse.coordinates import coo, order_of, taken
from rushlight.sparse.errors import not_run
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import SparseTensor, result


def counted(dim: int, ndim: int) -> int:
    """Returns a dimension counted from the front. Raises IndexError if there is none."""
    if not -max(ndim, 1) <= dim < max(ndim, 1):
        span = f"[{-max(ndim, 1)}, {max(ndim, 1) - 1}]"
        raise IndexError(f"Dimension out of range (expected to be in range of {span}, but got {dim})")
    return dim % max(ndim, 1)


# ---- order of dimensions


@computes("t")
def t(input) -> SparseTensor:
    """Returns the transposed matrix."""
    if input.sparse_dim() > 2 or input.dense_dim():
        dims = f"{input.sparse_dim()} sparse and {input.dense_dim()} dense dimensions"
        raise RuntimeError(f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {dims}")
    return transposed(input, 0, 1, "TBackward0") if input.ndim == 2 else input


@computes("transpose", "swapaxes", "swapdims")
def transpose(input, dim0, dim1) -> SparseTensor:
    """Returns the tensor with two dimensions exchanged; both are sparse, or both dense."""
    return transposed(input, dim0, dim1, "TransposeBackward0")


@computes("adjoint", "H")
def adjoint(input) -> SparseTensor:
    """Returns the conjugate of the transposed matrix."""
    made = transposed(input, -2, -1, "TransposeBackward0")
    return made if not made.is_complex() else made.conj_physical()


def transposed(tensor: SparseTensor, dim0: int, dim1: int, node: str) -> SparseTensor:
    """Returns a tensor with two dimensions exchanged."""
    first, second = counted(dim0, tensor.ndim), counted(dim1, tensor.ndim)
    array = tensor._array
    if array.layout is SPARSE_COO:
        if max(first, second) >= array.sparse_dim:
            dims = f"Got sparse_dim: {array.sparse_dim}, d0: {first}, d1: {second}"
            raise RuntimeError(f"sparse transpose: transposed dimensions must be sparse {dims}")
        order = list(range(tensor.ndim))
        order[first], order[second] = second, first
        return result(permuted(array, order), node)
    start = array.batch_dim
    if {first, second} != {start, start + 1}:
        raise RuntimeError("transpose(): can only transpose the two sparse dimensions of a sparse compressed tensor")
    layout = SPARSE_CSC if array.layout is SPARSE_CSR else SPARSE_CSR
    shape = (*array.shape[:start], array.shape[start + 1], array.shape[start], *array.shape[start + 2 :])
    return result(SparseArray(layout, array.indices, array.values, shape), node)


def permuted(array: SparseArray, order: list[int]) -> SparseArray:
    """Returns an array of layout COO with its dimensions in another order."""
    sparse = array.sparse_dim
    if any(dim >= sparse for dim in order[:sparse]):
        raise RuntimeError(
            f"permute(sparse): sparse and dense dimensions cannot change positions (sparse_dim is {sparse})"
        )
    shape = [array.shape[dim] for dim in order]
    values = array.values
    if order[sparse:] != list(range(sparse, len(order))):
        values = F.permute(values, (0, *[dim - sparse + 1 for dim in order[sparse:]]))
    moved = order[:sparse] != list(range(sparse))
    indices = array.index_arrays()[0][order[:sparse]]
    return coo(indices, values, shape, array.coalesced and (not moved or array.entries < 2))


def in_place(name: str, function) -> None:
    """Enters the in-place variant of a function that changes the order of dimensions."""

    def method(self, *arguments):
        look_at(self, function(self, *arguments)._array)
        return self

    computes(name)(method)


in_place("t_", t)
in_place("transpose_", transpose)


@computes("movedim", "moveaxis")
def movedim(input, source, destination) -> SparseTensor:
    """Returns the tensor with dimensions moved."""
    pairs = [[each] if isinstance(each, int) else list(each) for each in (source, destination)]
    before, after = ([counted(dim, input.ndim) for dim in each] for each in pairs)
    order = [dim for dim in range(input.ndim) if dim not in before]
    for place, dim in sorted(zip(after, before, strict=True)):
        order.insert(place, dim)
    return permute(input, order)


@computes("mT")
def last_exchanged(input) -> SparseTensor:
    """Returns the tensor with its last two dimensions exchanged."""
    return transposed(input, -2, -1, "TransposeBackward0")


@computes("permute", "T")
def permute(input, *order, dims=None) -> SparseTensor:
    """Returns the tensor with its dimensions in another order; without `dims` reversed."""
    dims = order if dims is None else (dims,)
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    positions = list(reversed(range(input.ndim))) if not dims else [counted(dim, input.ndim) for dim in dims]
    if len(positions) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(positions)}"
        )
    if len(set(positions)) != len(positions):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    if input.layout is not SPARSE_COO:
        return transposed(input, 0, 1, "TransposeBackward0") if positions == [1, 0] else input
    return result(permuted(input._array, positions), "PermuteBackward0")


@computes("unsqueeze")
def unsqueeze(input, dim) -> SparseTensor:
    """Returns the tensor with a new dimension of size 1."""
    dim, array = counted(dim, input.ndim + 1), as_coo(input._array)
    shape = (*array.shape[:dim], 1, *array.shape[dim:])
    if dim <= array.sparse_dim:
        made = coo(np.insert(array.index_arrays()[0], dim, 0, 0), array.values, shape, array.coalesced)
    else:
        values = F.unsqueeze(array.values, dim - array.sparse_dim + 1)
        made = coo(array.indices[0], values, shape, array.coalesced)
    return result(made, "UnsqueezeBackward0")


# ---- parts


@computes("select")
def select(input, dim, index) -> Tensor:
    """Returns the part at one index of a dimension; dense if no sparse dimension is left."""
    dim, array = counted(dim, input.ndim), as_coo(input._array)
    size = array.shape[dim]
    if not -size <= index < size:
        words = f"index {index} out of range for tensor of size {list(array.shape)} at dimension {dim}"
        raise IndexError(f"select(): {words}")
    index %= size
    shape = (*array.shape[:dim], *array.shape[dim + 1 :])
    if dim >= array.sparse_dim:
        values = F.select(array.values, dim - array.sparse_dim + 1, index)
        return result(coo(array.indices[0], values, shape, array.coalesced), "SelectBackward0")
    indices = array.index_arrays()[0]
    positions = np.flatnonzero(indices[dim] == index)
    values = taken(array.values, positions)
    if array.sparse_dim == 1:
        return F.sum(values, 0, dtype=values.dtype)
    left = np.delete(indices[:, positions], dim, 0)
    return result(coo(left, values, shape, array.coalesced or len(positions) < 2), "SelectBackward0")


@computes("index_select")
def index_select(input, dim, index) -> SparseTensor:
    """Returns the parts at the indices of a dimension, in that order."""
    if input.ndim == 0:
        raise IndexError("index_select() cannot be applied to a 0-dim tensor.")
    dim, array = counted(dim, input.ndim), as_coo(input._array)
    chosen = np.asarray(index._array)
    if index.ndim != 1 or chosen.dtype.kind != "i":
        raise IndexError("index_select() argument index must be 1-D long-tensor.")
    size, shape = array.shape[dim], (*array.shape[:dim], len(chosen), *array.shape[dim + 1 :])
    if ((chosen < -size) | (chosen >= size)).any():
        raise RuntimeError(f"index_select(): index contains {chosen.max()} that is out of range for tensor of size "
                           f"{list(array.shape)} at dimension {dim}")  # fmt: skip
    chosen = chosen % max(size, 1)
    if dim >= array.sparse_dim:
        values = F.index_select(array.values, dim - array.sparse_dim + 1, index)
        return result(coo(array.indices[0], values, shape, array.coalesced), "IndexSelectBackward0")
    indices = array.index_arrays()[0]
    # Entries sorted by this index; each chosen index takes the range that has it.
    order = order_of(indices[dim])
    ordered = indices[dim][order]
    begins, ends = np.searchsorted(ordered, chosen), np.searchsorted(ordered, chosen, "right")
    counts = ends - begins
    starts = np.repeat(begins - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) if len(chosen) else begins
    positions = order[np.arange(counts.sum()) + starts]
    moved = indices[:, positions]
    moved[dim] = np.repeat(np.arange(len(chosen)), counts)
    made = coo(moved, taken(array.values, positions), shape, array.coalesced and dim == 0)
    return result(made, "IndexSelectBackward0")


@computes("narrow_copy")
def narrow_copy(input, dim, start, length) -> SparseTensor:
    """Returns a range of indices of a dimension."""
    if not 0 <= dim < input.ndim:
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {input.ndim}.")
    array = as_coo(input._array)
    shape = (*array.shape[:dim], length, *array.shape[dim + 1 :])
    if start < 0 or length < 0 or start + length > array.shape[dim]:
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {array.shape[dim]})."
        )
    if dim >= array.sparse_dim:
        values = F.narrow(array.values, dim - array.sparse_dim + 1, start, length)
        return result(coo(array.indices[0], values, shape, array.coalesced), "NarrowCopyBackward0")
    indices = array.index_arrays()[0]
    positions = np.flatnonzero((indices[dim] >= start) & (indices[dim] < start + length))
    moved = indices[:, positions]
    moved[dim] -= start
    return result(coo(moved, taken(array.values, positions), shape, array.coalesced), "NarrowCopyBackward0")


@computes("__getitem__", "getitem")
def getitem(input, index) -> Tensor:
    """Returns the part at integers, whole slices and a tensor of indices."""
    items = index if isinstance(index, tuple) else (index,)
    if Ellipsis in [item for item in items if not isinstance(item, Tensor)]:
        place = items.index(Ellipsis)
        items = (*items[:place], *[slice(None)] * (input.ndim - len(items) + 1), *items[place + 1 :])
    if len(items) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim}")
    dim = 0
    for item in items:
        if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            if not -input.shape[dim] <= item < input.shape[dim]:
                size = input.shape[dim]
                raise IndexError(f"index {item} is out of bounds for dimension {dim} with size {size}")
            input = select(input, dim, int(item)) if isinstance(input, SparseTensor) else input.select(dim, int(item))
        elif isinstance(item, slice):
            if item != slice(None):
                raise not_run("as_strided", (input,))
            dim += 1
        else:
            raise not_run("index.Tensor", (input,))
    return input


@computes("unbind")
def unbind(input, dim=0) -> tuple:
    """Returns the parts along a dimension."""
    return tuple([select(input, dim, index) for index in range(input.shape[counted(dim, input.ndim)])])


@computes("__iter__")
def iterate(self):
    """Returns an iterator over the parts along the first dimension."""
    if not self.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(self))


# ---- joined


@computes("cat", "concat", "concatenate")
def cat(tensors, dim=0) -> SparseTensor:
    """Returns tensors joined along a dimension."""
    for position, each in enumerate(tensors):
        if not isinstance(each, SparseTensor):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {position}.")
    arrays = [as_coo(each._array) for each in tensors]
    dim = counted(dim, len(arrays[0].shape))
    first = arrays[0]
    for position, array in enumerate(arrays):
        rest = [shape[:dim] + shape[dim + 1 :] for shape in (array.shape, first.shape)]
        if rest[0] != rest[1]:
            raise RuntimeError(
                f"All tensors must have the same shape: {list(first.shape)} (except in the concatenating dimension), "
                f"but found shape: {list(array.shape)} at position {position}."
            )
        if array.sparse_dim != first.sparse_dim:
            raise RuntimeError(
                f"All tensors must have the same sparse_dim and dense_dim: {first.sparse_dim}, {first.dense_dim}, but "
                f"tensor at position {position} has {array.sparse_dim}, {array.dense_dim}."
            )
    shape = (*first.shape[:dim], sum(array.shape[dim] for array in arrays), *first.shape[dim + 1 :])
    if dim >= first.sparse_dim:
        indices, values = along_dense(arrays, dim, shape)
        return result(coo(indices, values, shape), "CatBackward0")
    parts, start = [], 0
    for array in arrays:
        indices = array.index_arrays()[0].copy()
        indices[dim] += start
        parts.append(indices)
        start += array.shape[dim]
    sorted_ = dim == 0 and all(array.coalesced for array in arrays)
    return result(coo(np.concatenate(parts, 1), F.cat([a.values for a in arrays]), shape, sorted_), "CatBackward0")


def along_dense(arrays: list[SparseArray], dim: int, shape) -> tuple:
    """Returns indices and values of arrays that are joined along a dense dimension: zeros around each."""
    place, values, start = dim - arrays[0].sparse_dim + 1, [], 0
    for array in arrays:
        around = list(array.values.shape)
        before, after = around.copy(), around.copy()
        before[place], after[place] = start, shape[dim] - start - array.shape[dim]
        start += array.shape[dim]
        zeros = [F.new_zeros_of(array.values.detach(), tuple(size)) for size in (before, after)]
        values.append(F.cat([zeros[0], array.values, zeros[1]], place))
    return np.concatenate([array.index_arrays()[0] for array in arrays], 1), F.cat(values)


@computes("stack")
def stack(tensors, dim=0) -> SparseTensor:
    """Returns tensors joined along a new dimension."""
    dim = counted(dim, tensors[0].ndim + 1)
    made = cat([unsqueeze(each, dim) if isinstance(each, SparseTensor) else each for each in tensors], dim)
    return result(made._array, "StackBackward0")


@computes("vstack")
def vstack(tensors) -> SparseTensor:
    """Returns matrices joined along their rows."""
    return cat(tensors, 0)


@computes("hstack")
def hstack(tensors) -> SparseTensor:
    """Returns vectors joined, or matrices joined along their columns."""
    return cat(tensors, min(1, tensors[0].ndim - 1))


@computes("embedding")
def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False) -> Tensor:
    """Returns rows of a sparse table, for a vector of indices."""
    if indices.ndim != 1 or isinstance(indices, SparseTensor):
        raise not_run("embedding", (weight,))
    return index_select(weight, 0, indices)


# ---- refused


@computes("reshape", "flatten", "ravel", "unflatten")
def reshape(input, *arguments, **keywords):
    """Raises RuntimeError."""
    raise RuntimeError("reshape is not implemented for sparse tensors")


@computes("expand", "expand_as", "broadcast_to")
def expand(input, *arguments, **keywords):
    """Raises RuntimeError."""
    raise RuntimeError("expand is unsupported for Sparse tensors")
