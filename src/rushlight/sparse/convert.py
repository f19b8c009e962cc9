"""Conversions between layouts, and methods that read what a sparse tensor consists of."""

from __future__ import annotations

from operator import is_
from typing import Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import CPU
from rushlight.core.dtype import dtype as Dtype
from rushlight.core.errors import noted
from rushlight.core.shape_queries import SPARSE_BSC, SPARSE_BSR, SPARSE_COO, SPARSE_CSC, SPARSE_CSR, STRIDED
from rushlight.core.tensor import Tensor, look_at
from rushlight.create.conversion import conversion_of, device_of_type, dtype_of_type
from rushlight.sparse.array import BLOCKS, BY_ROWS, COMPRESSED, SparseArray
from rushlight.sparse.block_sizes import SHOWN, block_size
from rushlight.sparse.compressed import as_coo, compressed, in_own_order, of_batch, of_dense
from rushlight.sparse.construct import ONLY_CPU, refuse_layout
from rushlight.sparse.coordinates import coalesced, coo, gathered, indices_of, keys_of, looked_up, scattered, taken
from rushlight.sparse.errors import not_run
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import SparseTensor, dense_result, result, wrap

# PyTorch's names of the nodes of conversions.
TO_LAYOUT = {layout: f"To{SHOWN[layout]}Backward0" for layout in COMPRESSED}


# ---- parts


def coo_array(name: str, tensor: Tensor) -> SparseArray:
    """Returns the array of a tensor of layout COO. Raises RuntimeError for another layout."""
    if tensor.layout is not SPARSE_COO:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got {SHOWN[tensor.layout]}")
    return tensor._array


@computes("indices")
def indices(self) -> Tensor:
    """Returns the indices (sparse dims, entries) of a coalesced tensor."""
    if not coo_array("indices", self).coalesced:
        raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
    return self._array.indices[0]


@computes("values")
def values(self) -> Tensor:
    """Returns the values (entries, *dense dims), with their history; of layout COO, those of a coalesced tensor."""
    if self.layout is STRIDED:
        raise RuntimeError("values expected sparse tensor layout but got Strided")
    if self.layout is SPARSE_COO and not self._array.coalesced:
        raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
    return result(self._array, "ValuesBackward0")._array.values


@computes("_indices")
def _indices(self) -> Tensor:
    """Returns the indices as they are stored."""
    if self.layout is not SPARSE_COO:
        raise not_run("_indices", (self,))
    return self._array.indices[0]


@computes("_values")
def _values(self) -> Tensor:
    """Returns the values as they are stored, without history."""
    if self.layout is not SPARSE_COO:
        raise not_run("_values", (self,))
    return self._array.values.detach()


def _part(by_rows: bool, number: int, name: str):
    direction = "row" if by_rows else "column"

    def read(self) -> Tensor:
        if self.layout not in COMPRESSED or (self.layout in BY_ROWS) is not by_rows:
            raise RuntimeError(
                f"{name} expected sparse {direction} compressed tensor layout but got {SHOWN[self.layout]}"
            )
        return self._array.indices[number]

    computes(name)(read)
    return read


crow_indices, col_indices = _part(True, 0, "crow_indices"), _part(True, 1, "col_indices")
ccol_indices, row_indices = _part(False, 0, "ccol_indices"), _part(False, 1, "row_indices")


@computes("_nnz")
def entries(self) -> int:
    """Raises NotImplementedError: a dense tensor has no entries."""
    raise not_run("_nnz", (self,))


@computes("sparse_dim")
def sparse_dim(self) -> int:
    """Returns the number of sparse dimensions of a dense tensor."""
    return 0


@computes("dense_dim")
def dense_dim(self) -> int:
    """Returns the number of dimensions of a dense tensor."""
    return self.ndim


@computes("is_coalesced")
def is_coalesced(self) -> bool:
    """Whether the indices of a tensor of layout COO are sorted and distinct, as far as it is known."""
    return coo_array("is_coalesced", self).coalesced


@computes("_coalesced_")
def set_coalesced(self, coalesced: bool) -> SparseTensor:
    """Sets what `is_coalesced` returns."""
    self._array.coalesced = coalesced
    return self


@computes("coalesce")
def coalesce(self) -> SparseTensor:
    """Returns the tensor with sorted, distinct indices: values at the same index are added."""
    array = coo_array("coalesce", self)
    return self if array.coalesced else result(coalesced(array), "CoalesceBackward0")


# ---- layouts


@computes("to_dense")
def to_dense(self, dtype=None, *, masked_grad=None) -> Tensor:
    """Returns the dense tensor with these elements. The gradient of the tensor has its entries only."""
    made = dense_result(scattered(as_coo(self._array)), "ToDenseBackward0")
    return made if dtype is None else made.to(dtype)


def layout_of(name: str, tensor: Tensor, layout, sparse_dim, dense_dim, blocksize=None) -> SparseArray:
    """Returns the elements of any tensor in a layout."""
    if isinstance(tensor, SparseTensor):
        array = tensor._array
        if layout is array.layout and sparse_dim is None and blocksize in (None, array.blocksize):
            return array
        if sparse_dim not in (None, array.sparse_dim) and array.layout is not SPARSE_COO:
            words = f"conversion from {SHOWN[array.layout]} to Sparse with sparse_dim argument !=2 is not supported"
            raise RuntimeError(f"sparse_compressed_to_sparse: {words}")
        if sparse_dim not in (None, array.sparse_dim):
            words = "conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is not supported"
            raise RuntimeError(f"to_sparse: {words}")
        if layout is SPARSE_COO:
            return as_coo(array)
        if array.batch_dim:
            return of_batch(scattered(as_coo(array)), layout, array.dense_dim, blocksize)
        return compressed(as_coo(array), layout, blocksize)
    if layout is SPARSE_COO:
        sparse_dim = tensor.ndim if sparse_dim is None else sparse_dim
        if not 0 <= sparse_dim <= tensor.ndim or (sparse_dim == 0 and tensor.ndim):
            bounds = f"must be in [0,{tensor.ndim}] range, but {sparse_dim} is given"
            raise RuntimeError(f"dense_to_sparse: sparse_dim argument {bounds}")
        return of_dense(tensor, sparse_dim)
    if tensor.ndim - (dense_dim or 0) < 2:
        raise IndexError(f"{name}: a matrix has two dimensions besides those that are dense")
    if tensor.ndim - (dense_dim or 0) > 2:
        return of_batch(tensor, layout, dense_dim or 0, blocksize)
    return compressed(of_dense(tensor, 2), layout, blocksize)


@computes("to_sparse", "_to_sparse")
def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None) -> Any:
    """Returns the elements that are not zero in the layout COO, with `sparse_dim` sparse dimensions, or another.

    The layouts BSR and BSC have blocks of a size, two numbers.
    """
    layout = SPARSE_COO if layout is None else layout
    if layout is STRIDED:
        return self.to_dense() if isinstance(self, SparseTensor) else self
    if layout is not SPARSE_COO and layout not in COMPRESSED:
        refuse_layout("to_sparse", layout)
    return in_layout(self, layout, blocksize, dense_dim, "to_sparse(): argument 'blocksize'", sparse_dim)


def check_conversion(array: SparseArray, layout, blocksize, dense_dim, method: str) -> None:
    """Raises RuntimeError for what PyTorch does not convert from one sparse layout to another."""
    source = array.layout
    name = method if source is layout else f"sparse_compressed_{method}"
    if source is SPARSE_COO is not layout:
        name = "sparse_coo_to_sparse" if method == "to_sparse" else f"coo_{method}"
    pair = f"conversion from {SHOWN[source]} to {SHOWN[layout]}"
    if dense_dim is not None:
        raise RuntimeError(f"{name}: {pair} with dense_dim argument given is not supported")
    if source is layout and blocksize != array.blocksize:
        sizes = f"{list(array.blocksize or ())} to {list(blocksize or ())}"
        raise RuntimeError(f"{name}: {pair} with blocksize changed from {sizes} is not supported")
    if source is SPARSE_COO is not layout and array.sparse_dim != 2:
        raise noted(
            RuntimeError(f"{name}: {pair} for input tensors with sparse_dim()!=2 is not supported"),
            "Make it dense first.",
        )
    if source in BLOCKS and layout in (SPARSE_CSR, SPARSE_CSC):
        kind = str(layout).removeprefix("torch.")
        words = f"sparse_compressed_to_{kind}: expected SparseCsr or SparseCsc layout but got {SHOWN[source]}"
        raise noted(RuntimeError(words), "Make it COO first: x.to_sparse_coo().")
    if source in (SPARSE_CSR, SPARSE_CSC) and layout in BLOCKS and array.batch_dim:
        raise RuntimeError(f"{name}: {pair} for batched inputs is not supported")


def with_indices_of(source: SparseArray, array: SparseArray) -> SparseArray:
    """Returns a compressed array with indices of the dtype that those of another have."""
    wanted = source.indices[0].dtype
    if SPARSE_COO in (source.layout, array.layout) or wanted is array.indices[0].dtype:
        return array
    indices = tuple([each.to(wanted) for each in array.indices])
    return SparseArray(array.layout, indices, array.values, array.shape, array.coalesced)


def in_layout(tensor: Tensor, layout, blocksize, dense_dim, called: str, sparse_dim=None) -> SparseTensor:
    """Returns a tensor in a sparse layout; errors about the type of `blocksize` begin with `called`."""
    inner = tensor._array.dense_dim if isinstance(tensor, SparseTensor) else dense_dim
    blocksize = block_size(tensor, layout, blocksize, inner, called)
    if isinstance(tensor, SparseTensor):
        check_conversion(tensor._array, layout, blocksize, dense_dim, called.partition("(")[0])
    if isinstance(tensor, SparseTensor) and layout is tensor.layout and sparse_dim in (None, tensor.sparse_dim()):
        if blocksize == tensor._array.blocksize:
            return tensor
    array = layout_of("to_sparse", tensor, layout, sparse_dim, dense_dim, blocksize)
    if isinstance(tensor, SparseTensor):
        array = with_indices_of(tensor._array, array)
    return result(array, TO_LAYOUT.get(layout, "ToSparseBackward1" if sparse_dim is None else "ToSparseBackward0"))


@computes("to_sparse_coo")
def to_sparse_coo(self) -> SparseTensor:
    """Returns the tensor in the layout COO."""
    return to_sparse(self)


@computes("to_sparse_csr")
def to_sparse_csr(self, dense_dim=None) -> SparseTensor:
    """Returns the tensor in the layout CSR: entries by rows."""
    return in_layout(self, SPARSE_CSR, None, dense_dim, "to_sparse_csr(): argument 'blocksize'")


@computes("to_sparse_csc")
def to_sparse_csc(self, dense_dim=None) -> SparseTensor:
    """Returns the tensor in the layout CSC: entries by columns."""
    return in_layout(self, SPARSE_CSC, None, dense_dim, "to_sparse_csc(): argument 'blocksize'")


@computes("to_sparse_bsr")
def to_sparse_bsr(self, blocksize, dense_dim=None) -> SparseTensor:
    """Returns the tensor in the layout BSR: blocks of a size, by rows."""
    return in_blocks("to_sparse_bsr", self, SPARSE_BSR, blocksize, dense_dim)


@computes("to_sparse_bsc")
def to_sparse_bsc(self, blocksize, dense_dim=None) -> SparseTensor:
    """Returns the tensor in the layout BSC: blocks of a size, by columns."""
    return in_blocks("to_sparse_bsc", self, SPARSE_BSC, blocksize, dense_dim)


def in_blocks(name: str, tensor: Tensor, layout, blocksize, dense_dim) -> SparseTensor:
    """Returns a tensor in a layout of blocks; `name` is that of the method."""
    called = f"{name}(): argument 'blocksize' (position 1)"
    if blocksize is None:
        raise TypeError(f"{called} must be tuple of ints, not NoneType")
    return in_layout(tensor, layout, blocksize, dense_dim, called)


# ---- dtypes, copies


@computes("to")
def to(self, *arguments, **keywords) -> SparseTensor:
    """Converts the values to a dtype, as `Tensor.to` does. Raises NotImplementedError for another device."""
    device, wanted, _, _ = conversion_of(arguments, keywords)
    copies = keywords.get("copy", False)
    if device is not None and device != CPU:
        raise noted(NotImplementedError(f"rushlight has no sparse tensors on {device}"), ONLY_CPU)
    if wanted is None or wanted is self.dtype:
        return clone(self) if copies else self
    return result(self._array.with_values(self._array.values.to(wanted)), "ToCopyBackward0")


def _caster(name: str, wanted: Dtype) -> None:
    computes(name)(lambda self, memory_format=None: to(self, wanted))


for _name, _wanted in {
    **dtypes.ALIASES,
    "bool": dtypes.bool,
    "bfloat16": dtypes.bfloat16,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
}.items():
    _caster(_name, _wanted)


@computes("cpu")
def cpu(self, memory_format=None) -> SparseTensor:
    """Returns the tensor, which is on the CPU."""
    return self


@computes("cuda")
def cuda(self, device=None, non_blocking=False, memory_format=None) -> SparseTensor:
    """Raises NotImplementedError: sparse tensors are on the CPU."""
    return to(self, "cuda" if device is None else device)


@computes("type_as")
def type_as(self, other) -> Tensor:
    """Returns the tensor in the dtype of another."""
    return to(self, other.dtype)


@computes("type")
def type_(self, dtype=None, non_blocking=False) -> Any:
    """Returns the name of the tensor's type, or the tensor in a dtype."""
    if dtype is not None:
        return to(self, device_of_type(dtype), dtype_of_type(dtype))
    if self.layout is not SPARSE_COO:
        raise RuntimeError("Unimplemented backend SparseCsrCPU")
    return f"torch.sparse.{dtypes.STORAGE_NAMES[self.dtype].removesuffix('Storage')}Tensor"


@computes("clone")
def clone(self, *, memory_format=None) -> SparseTensor:
    """Returns a copy in memory of its own, with the history."""
    array = self._array
    made = array.with_values(array.values.clone())
    made.indices = tuple([each.clone() for each in array.indices])
    return result(made, "CloneBackward0")


@computes("detach")
def detach(self) -> SparseTensor:
    """Returns the same memory without history."""
    return wrap(self._array.with_values(self._array.values.detach()))


@computes("detach_")
def detach_(self) -> SparseTensor:
    """Removes the history of this tensor, in place."""
    look_at(self, self._array.with_values(self._array.values.detach()))
    return self


# ---- elements at entries


@computes("entries_at")
def entries_at(tensor: Tensor, like: SparseTensor) -> Tensor:
    """Returns the elements of a tensor at the entries of a sparse one, in the order of these; 0 where it has none."""
    if tensor.shape != like.shape:
        raise RuntimeError(f"expected a tensor of shape {list(like.shape)}, but got one of {list(tensor.shape)}")
    wanted = like._array
    if isinstance(tensor, SparseTensor):
        array = tensor._array
        if wanted.layout is array.layout and all(map(is_, wanted.indices, array.indices)):
            return array.values
        if as_coo(array).sparse_dim != as_coo(wanted).sparse_dim:  # its entries are rows of elements, or the reverse
            return entries_at(tensor.to_dense(), like)
        return in_own_order(wanted, lambda positions: looked_up(coalesced(as_coo(array)), positions))
    return in_own_order(wanted, lambda positions: gathered(tensor, positions))


@computes("gradient_of")
def gradient_of(tensor: SparseTensor, gradient: Tensor) -> SparseTensor:
    """Returns the gradient of the values of a tensor as one of the tensor, in which an element has one entry."""
    array = tensor._array.with_values(gradient)
    if array.layout is not SPARSE_COO or array.coalesced:
        return wrap(array)
    sizes = array.shape[: array.sparse_dim]
    keys, positions = np.unique(keys_of(array.index_arrays()[0], sizes), return_index=True)
    return wrap(coo(indices_of(keys, sizes), taken(gradient, positions), array.shape, True))


@computes("sparse_mask")
def sparse_mask(self, mask) -> SparseTensor:
    """Returns the elements at the entries of a sparse tensor, with its layout and indices."""
    if not isinstance(mask, SparseTensor):
        raise RuntimeError("sparse_mask(): argument 'mask' (position 1) must be a sparse tensor")
    if self.shape != mask.shape:
        sizes = f"got {list(self.shape)} and {list(mask.shape)}"
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {sizes}")
    return result(mask._array.with_values(entries_at(self, mask.detach())), "SparseMaskBackward0")
