"""Methods of Tensor that make sparse tensors or belong to them: `rushlight.sparse` is imported when one is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rushlight.core.shape_queries import SPARSE_COO, SPARSE_CSC, SPARSE_CSR
from rushlight.core.tensor import Tensor

NAMES = (
    "to_sparse", "to_sparse_coo", "to_sparse_csr", "to_sparse_csc", "to_sparse_bsr", "to_sparse_bsc", "_to_sparse",
    "sparse_mask", "sparse_dim", "dense_dim", "coalesce", "is_coalesced", "_coalesced_", "indices", "values",
    "crow_indices", "col_indices", "ccol_indices", "row_indices", "_indices", "_values", "_nnz", "smm", "sspaddmm",
    "sparse_resize_", "sparse_resize_and_clear_", "resize_as_sparse_",
)  # fmt: skip


def method_of(name: str):
    """Returns the method of that name."""

    def method(self, *arguments: Any, **keywords: Any) -> Any:
        import_module("rushlight.sparse")
        return import_module("rushlight.sparse.table").FUNCTIONS[name](self, *arguments, **keywords)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"See https://docs.pytorch.org/docs/stable/generated/torch.Tensor.{name}.html"
    return method


SPARSE = (SPARSE_COO, SPARSE_CSR, SPARSE_CSC)  # of which zeros can be made: blocks have a size


def without_entries(size: tuple, dtype, device, requires_grad: bool, layout) -> Tensor:
    """Returns the zeros of a sparse layout."""
    return import_module("rushlight.sparse.construct").zeros(size, dtype, device, requires_grad, layout)


def created_in(out: Tensor, name: str, size: tuple) -> Tensor:
    """Makes a sparse tensor the result of a constructor."""
    return import_module("rushlight.sparse.table").FUNCTIONS["created_in"](out, name, size)


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for name in NAMES:
        setattr(Tensor, name, method_of(name))
