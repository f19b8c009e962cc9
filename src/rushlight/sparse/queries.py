"""Constructors that take a sparse tensor for their shape, and methods that have no meaning for one."""

from __future__ import annotations

import rushlight._generated.functions as F
from rushlight.core.dtype import dtype as Dtype
from rushlight.core.formats import PRESERVE
from rushlight.core.shape_queries import SPARSE_COO, STRIDED
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros as dense_zeros
from rushlight.create.random import rand_like, randn_like
from rushlight.sparse.array import BLOCKS, BY_ROWS, SparseArray
from rushlight.sparse.construct import zeros
from rushlight.sparse.convert import SHOWN
from rushlight.sparse.errors import not_run
from rushlight.sparse.table import FUNCTIONS, computes
from rushlight.sparse.tensor import SparseTensor, wrap


@computes("zeros_like", "empty_like")
def zeros_like(input, *, dtype: Dtype | None = None, layout=None, device=None, requires_grad: bool = False,
               memory_format=None) -> Tensor:  # fmt: skip
    """Returns a tensor of the shape and layout without entries."""
    layout, wanted = layout or input.layout, dtype or input.dtype
    if layout is STRIDED:
        made = dense_zeros(tuple(input.shape), dtype=wanted, requires_grad=requires_grad)
        return made if memory_format in (None, PRESERVE) else made.to(memory_format=memory_format)
    if memory_format is not None:
        raise RuntimeError("memory format option is only supported by strided tensors")
    if layout in BLOCKS and input.layout in BLOCKS:
        return without_blocks(input._array, layout, wanted, requires_grad)
    dense_dim = input.dense_dim() if isinstance(input, SparseTensor) else 0
    return zeros(tuple(input.shape), wanted, device, requires_grad, layout, dense_dim)


def without_blocks(array: SparseArray, layout, dtype: Dtype, requires_grad: bool) -> SparseTensor:
    """Returns a tensor of the shape and blocks of an array in a layout of blocks, without any block."""
    starts, others = array.indices
    batch, dim = array.batch_dim, 0 if layout in BY_ROWS else 1
    count = array.shape[batch + dim] // array.values.shape[batch + 1 + dim]
    begins = dense_zeros((*starts.shape[:-1], count + 1), dtype=starts.dtype)
    values = F.narrow(array.values.detach(), batch, 0, 0).to(dtype)
    made = wrap(SparseArray(layout, (begins, F.narrow(others, batch, 0, 0)), values, array.shape))
    return made.requires_grad_(requires_grad)


@computes("new_zeros", "new_empty")
def new_zeros(self, *size, dtype=None, device=None, requires_grad: bool = False, layout=None, pin_memory=False):
    """Returns a tensor of a shape without entries, of the dtype and layout of this one."""
    size = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    return zeros(tuple(size), dtype or self.dtype, device, requires_grad, layout or self.layout)


def drawing(name: str, draw) -> None:
    """Enters a function that draws the values of a tensor with the same indices; of layout COO there is none."""

    def like(input, *, requires_grad: bool = False, **options):
        if input.layout is SPARSE_COO:
            raise not_run(name, (input,))
        made = wrap(input._array.with_values(draw(input._array.values.detach(), **options)))
        return made.requires_grad_(requires_grad)

    computes(name)(like)


drawing("rand_like", rand_like)
drawing("randn_like", randn_like)


def refusing(error: type[Exception], words: str, *names: str) -> None:
    """Enters methods that raise."""

    def refuse(self, *arguments, **keywords):
        raise error(words.format(SHOWN[self.layout]))

    computes(*names)(refuse)


refusing(TypeError, "can't convert {} layout tensor to numpy. Use Tensor.to_dense() first.", "numpy", "__array__")
refusing(RuntimeError, "Cannot access data pointer of Tensor that doesn't have storage", "tolist", "data_ptr")
refusing(RuntimeError, "unsupported memory format option Contiguous", "masked_fill")
refusing(NotImplementedError, "Cannot access storage of {}TensorImpl", "storage", "untyped_storage", "_typed_storage")


@computes("stride")
def stride(self, dim=None):
    """Returns zeros for the layout COO. Raises RuntimeError for another."""
    if self.layout is not SPARSE_COO:
        raise RuntimeError("Sparse CSR tensors do not have strides")
    return (0,) * self.ndim if dim is None else 0


@computes("dim_order")
def dim_order(self, *, ambiguity_check=False):
    """Raises AttributeError: elements are not in memory in an order of dimensions."""
    raise AttributeError(
        f"Can't get dim order on sparse type: {self.type()} Use Tensor.to_dense() to convert to a dense tensor first."
    )


@computes("is_contiguous")
def is_contiguous(self, memory_format=None) -> bool:
    """Returns False for the layout COO. Raises RuntimeError for another."""
    if self.layout is not SPARSE_COO:
        name = str(self.layout).rpartition("_")[2].upper()
        raise RuntimeError(f"Sparse {name} tensors do not have is_contiguous")
    return False


@computes("contiguous")
def contiguous(self, memory_format=None) -> SparseTensor:
    """Raises RuntimeError."""
    is_contiguous(self)
    raise RuntimeError("unsupported memory format option Contiguous")


@computes("is_shared", "is_pinned")
def is_shared(self, device=None) -> bool:
    """Returns False."""
    return False


@computes("storage_offset")
def storage_offset(self) -> int:
    """Returns 0."""
    return 0


@computes("item")
def item(self):
    """Returns the only element."""
    if self.numel() != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    return self.to_dense().item()


@computes("__bool__", "is_nonzero")
def is_true(self) -> bool:
    """Returns whether the only element is not zero."""
    if self.numel() != 1:
        many = "more than one value" if self.numel() else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(self.to_dense())


@computes("is_same_size")
def is_same_size(input, other) -> bool:
    """Returns whether two tensors have the same shape."""
    return input.shape == other.shape


@computes("resolve_conj", "resolve_neg")
def resolved(input) -> SparseTensor:
    """Returns the tensor: conjugates and negatives of sparse tensors are computed at once."""
    return input


@computes("conj")
def conj(input) -> SparseTensor:
    """Returns the tensor with conjugate values."""
    return FUNCTIONS["conj_physical"](input) if input.is_complex() else input
