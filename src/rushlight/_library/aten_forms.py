"""The operators of aten that stand behind brackets and conversions: no functions of PyTorch have their names."""

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
    """`self[..., start:end:step, ...]` in one dimension."""
    places: list[Any] = [EVERYTHING] * self.dim()
    places[dim] = builtins.slice(start, end, step)
    return self[tuple(places)]


def index(self: Tensor, indices: list[Tensor | None]) -> Tensor:
    """`self[indices]`; None is a dimension that is left as it is."""
    return self[tuple([EVERYTHING if x is None else x for x in indices])]


def _softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """`softmax`; of half precision in float32 if `half_to_float`."""
    return functions.softmax(self, dim, dtype=float32 if half_to_float else None)


def _log_softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """`log_softmax`; of half precision in float32 if `half_to_float`."""
    return functions.log_softmax(self, dim, dtype=float32 if half_to_float else None)


def _local_scalar_dense(self: Tensor) -> Any:
    """The number in a tensor of one element."""
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
    """A copy, in another dtype and on another device if they are given."""
    place = self.device if device is None else device
    return to(self, place, self.dtype if dtype is None else dtype, copy=True, memory_format=memory_format)


def alias(self: Tensor) -> Tensor:
    """A view of everything."""
    return self.view_as(self)


def _pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """A copy in memory that a GPU reads quickly, where there is one."""
    return self.pin_memory(device)


def _sparse_addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """`addmm`, under the name that it has for sparse matrices."""
    return functions.addmm(self, mat1, mat2, beta=beta, alpha=alpha)


def _sparse_mm_reduce_impl(self: Tensor, other: Tensor, reduce: str) -> tuple[Tensor, Tensor]:
    """The product of a sparse matrix and a dense one, with another reduction than the sum. Tensors are dense here."""
    raise noted(
        NotImplementedError(
            "Could not run 'aten::_sparse_mm_reduce_impl' with arguments from the 'CPU' backend. This could be because "
            "the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if "
            "using custom build)."
        ),
        "It takes a sparse matrix, and every tensor is dense: torch.scatter_reduce reduces what an index selects.",
    )
