"""What indices must fulfil. Their bounds are always checked here; PyTorch checks only if the program enables it.

https://docs.pytorch.org/docs/stable/generated/torch.sparse.check_sparse_tensor_invariants.html
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np

from rushlight.core.dtype import SCALAR_NAMES, int32, int64
from rushlight.core.tensor import Tensor
from rushlight.sparse.array import BLOCKS, BY_ROWS, SparseArray
from rushlight.sparse.coordinates import keys_of

ENABLED = [False]


class check_sparse_tensor_invariants:
    """A context, a decorator and a switch for checks of sparse tensors: `enable()`, `disable()`, `is_enabled()`.

    Shapes and bounds of indices are checked anyway when a tensor is made, as an index out of range would read foreign
    memory. With checks, the indices of CSR and CSC must also be sorted and distinct.

    >>> import rushlight as torch
    >>> with torch.sparse.check_sparse_tensor_invariants():
    ...     torch.sparse.check_sparse_tensor_invariants.is_enabled()
    True
    """

    __module__ = "torch.sparse"

    def __init__(self, enable: bool = True):
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether checks are on."""
        return ENABLED[0]

    @staticmethod
    def enable() -> None:
        """Turns checks on."""
        ENABLED[0] = True

    @staticmethod
    def disable() -> None:
        """Turns checks off."""
        ENABLED[0] = False

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for "
                "context nesting."
            )
        self.saved_state, ENABLED[0] = ENABLED[0], self.state

    def __exit__(self, *exception) -> None:
        assert self.saved_state is not None
        ENABLED[0], self.saved_state = self.saved_state, None

    def __call__(self, function: Callable) -> Callable:
        @wraps(function)
        def checked(*arguments, **keywords):
            with type(self)(self.state):
                return function(*arguments, **keywords)

        return checked


def check_coo(array: SparseArray) -> None:
    """Raises RuntimeError for indices out of range, or in no order where they claim one."""
    (indices,) = array.index_arrays()
    if indices.size:
        for dim, (least, most) in enumerate(zip(indices.min(1), indices.max(1), strict=True)):
            if least < 0:
                raise RuntimeError(f"found negative index {least} for dim {dim}")
            if most >= array.shape[dim]:
                raise RuntimeError(
                    f"size is inconsistent with indices: for dim {dim}, size is {array.shape[dim]} but found index "
                    f"{most}"
                )
    if array.coalesced and array.entries > 1:
        keys = keys_of(indices, array.shape[: len(indices)])
        if not (keys[1:] > keys[:-1]).all():
            raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


def check_compressed(starts: Tensor, others: Tensor, values: Tensor, shape: tuple, layout, ordered: bool) -> None:
    """Raises RuntimeError for indices that give no matrix of layout CSR or CSC, or with `ordered` are not sorted."""
    by_rows, blocks = layout in BY_ROWS, 2 if layout in BLOCKS else 0
    first, second = ("crow_indices", "col_indices") if by_rows else ("ccol_indices", "row_indices")
    count, other = ("nrows", "ncols") if by_rows else ("ncols", "nrows")
    batch, dense_dim = starts.ndim - 1, values.ndim - starts.ndim - blocks
    if starts.ndim != others.ndim:
        dims = f"{starts.ndim} and {others.ndim}"
        raise RuntimeError(f"{first} and {second} dimensionalities must be equal but got {dims}, respectively")
    if dense_dim < 0 or len(shape) != batch + 2 + dense_dim:
        parts = f"(={batch} + 2 + {dense_dim}) but got {len(shape)}"
        raise RuntimeError(f"tensor dimensionality must be sum of batch, base, and dense dimensionalities {parts}")
    if starts.dtype is not others.dtype:
        names = " and ".join(SCALAR_NAMES[each.dtype] for each in (starts, others))
        raise RuntimeError(f"{first} and {second} must have the same dtype, bot got {names}, respectively")
    if starts.dtype is not int32 and starts.dtype is not int64:
        raise RuntimeError(f"{first} and {second} must be an int32 or int64 type, but got {SCALAR_NAMES[starts.dtype]}")
    counts = block_counts(shape[batch : batch + 2], values.shape[batch + 1 : batch + 3] if blocks else (1, 1))
    rows, columns = counts if by_rows else counts[::-1]
    entries = values.shape[batch]
    if starts.shape[-1] != rows + 1:
        what = f"the number of {'rows' if by_rows else 'columns'} + 1 (={rows + 1})"
        raise RuntimeError(f"{first}.shape[-1] must be equal to {what}, but got {starts.shape[-1]}")
    if others.shape[-1] != entries:
        what = f"nnz (={entries}) as defined by values.shape[{batch}]"
        raise RuntimeError(f"{second}.shape[-1] must be equal to {what}, but got {others.shape[-1]}")
    if not starts.shape[:-1] == others.shape[:-1] == values.shape[:batch] == tuple(shape[:batch]):
        raise RuntimeError(
            f"all batch dimensions of {first} (={list(starts.shape[:-1])}), {second} (={list(others.shape[:-1])}), "
            f"values (={list(values.shape[:batch])}), and size (={list(shape[:batch])}) must be equal"
        )
    begins = np.asarray(starts._array).reshape(-1, rows + 1)
    plain = np.asarray(others._array).reshape(len(begins), entries)
    check = _unsatisfied
    check(f"{first}[..., 0] == 0", (begins[:, 0] == 0).all())
    check(f"{first}[..., -1] == nnz", (begins[:, -1] == entries).all())
    lengths = np.diff(begins)
    bounds = f"0 <= {first}[..., 1:] - {first}[..., :-1] <= {other}"
    check(bounds, ((lengths >= 0) & (lengths <= columns)).all())
    check(f"0 <= {second} < {other}", ((plain >= 0) & (plain < columns)).all())
    if ordered and entries > 1:
        same_row = np.ones((len(begins), entries + 1), bool)
        np.put_along_axis(same_row, begins.astype(np.int64), False, 1)
        is_next = (plain[:, 1:] > plain[:, :-1]) | ~same_row[:, 1:-1]
        part = f"{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., {count}"
        check(f"{part} are sorted and distinct along the last dimension values", is_next.all())


def block_counts(sizes: tuple, blocksize: tuple) -> tuple[int, ...]:
    """Returns how many blocks are in each dimension. Raises RuntimeError if they do not fill it."""
    for dim, (size, length) in enumerate(zip(sizes, blocksize, strict=True)):
        if length < 1 or size % length:
            raise RuntimeError(f"tensor shape[{dim}] (={size}) must be divisible with blocksize[{dim}] (={length}) as "
                               "defined by values shape")  # fmt: skip
    return tuple([size // length for size, length in zip(sizes, blocksize, strict=True)])


def _unsatisfied(condition: str, holds) -> None:
    if not holds:
        raise RuntimeError(f"`{condition}` is not satisfied.")
