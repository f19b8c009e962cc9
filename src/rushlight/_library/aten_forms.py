"""Operators of aten for indexing and conversions, which have no function in PyTorch."""

from __future__ import annotations

import builtins
from typing import Any

from rushlight._generated import functions
from rushlight.core.dtype import float32
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.conversion import to

EVERYTHING = builtins.slice(None)


def slice(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """Returns `self[..., start:end:step, ...]` in one dimension."""
    slices: list[Any] = [EVERYTHING] * self.dim()
    slices[dim] = builtins.slice(start, end, step)
    return self[tuple(slices)]


def index(self: Tensor, indices: list[Tensor | None]) -> Tensor:
    """Returns `self[indices]`; None keeps a dimension."""
    return self[tuple([EVERYTHING if x is None else x for x in indices])]


def sym_size(self: Tensor, dim: int) -> int:
    """Returns the size of a dimension; a node of exported graphs where it may change."""
    return self.shape[dim]


def _softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """Returns `softmax`; in float32 for half precision if `half_to_float`."""
    return functions.softmax(self, dim, dtype=float32 if half_to_float else None)


def _log_softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """Returns `log_softmax`; in float32 for half precision if `half_to_float`."""
    return functions.log_softmax(self, dim, dtype=float32 if half_to_float else None)


def _local_scalar_dense(self: Tensor) -> Any:
    """Returns the number in a tensor of one element."""
    return self.item()


def _to_copy(
    self: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Returns a copy, optionally in another dtype and on another device."""
    place = self.device if device is None else device
    return to(self, place, self.dtype if dtype is None else dtype, copy=True, memory_format=memory_format)


def alias(self: Tensor) -> Tensor:
    """Returns a view of the whole tensor."""
    return self.view_as(self)


def _pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Returns a copy in pinned memory, if there is a GPU."""
    return self.pin_memory(device)


def _sparse_addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """`addmm` under its name for sparse matrices."""
    return functions.addmm(self, mat1, mat2, beta=beta, alpha=alpha)


def _sparse_mm_reduce_impl(self: Tensor, other: Tensor, reduce: str) -> tuple[Tensor, Tensor]:
    """A sparse-dense product with another reduction than the sum. Tensors are dense here."""
    raise noted(
        NotImplementedError(
            "Could not run 'aten::_sparse_mm_reduce_impl' with arguments from the 'CPU' backend. This could be because "
            "the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if "
            "using custom build)."
        ),
        "It takes a sparse matrix, and every tensor is dense: torch.scatter_reduce reduces what an index selects.",
    )
