"""`torch._validate_sparse_*_tensor_args`: the checks of the constructors, without a tensor as result."""

from __future__ import annotations

from typing import Any

from rushlight.core.shape_queries import SPARSE_BSC, SPARSE_BSR, SPARSE_CSC, SPARSE_CSR
from rushlight.core.tensor import Tensor
from rushlight.dispatch.message import type_name
from rushlight.sparse.array import COMPRESSED
from rushlight.sparse.block_sizes import SHOWN
from rushlight.sparse.construct import sparse_compressed_tensor, sparse_coo_tensor
from rushlight.sparse.table import computes


@computes("_validate_sparse_coo_tensor_args")
def _validate_sparse_coo_tensor_args(
    indices: Tensor, values: Tensor, size: Any, is_coalesced: bool | None = None, check_pinning: bool | None = None
) -> None:
    """Raises what `sparse_coo_tensor` raises for these arguments; all memory is pinned alike without a GPU."""
    check_tensors("_validate_sparse_coo_tensor_args", indices=indices, values=values)
    sparse_coo_tensor(indices, values.detach(), size, is_coalesced=is_coalesced, check_invariants=True)


@computes("_validate_sparse_compressed_tensor_args")
def _validate_sparse_compressed_tensor_args(
    compressed_indices: Tensor,
    plain_indices: Tensor,
    values: Tensor,
    size: Any,
    layout: Any,
    check_pinning: bool | None = None,
) -> None:
    """Raises what `sparse_compressed_tensor` raises for these arguments."""
    parts = {"compressed_indices": compressed_indices, "plain_indices": plain_indices, "values": values}
    check_tensors("_validate_sparse_compressed_tensor_args", **parts)
    if layout not in COMPRESSED:
        raise RuntimeError(
            "validate_sparse_compressed_tensor_args expected sparse compressed tensor layout but got "
            f"{SHOWN.get(layout, layout)}"
        )
    sparse_compressed_tensor(
        compressed_indices, plain_indices, values.detach(), size, layout=layout, check_invariants=True
    )


def check_tensors(name: str, **arguments: Any) -> None:
    """Raises TypeError for an argument that is no tensor."""
    for position, (argument, value) in enumerate(arguments.items(), 1):
        if not isinstance(value, Tensor):
            kind = type_name(value)
            raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {kind}")


def of_layout(kind: str, layout: Any, compressed: str, plain: str) -> None:
    """Enters the check of one layout."""
    name = f"_validate_sparse_{kind}_tensor_args"

    def validate(compressed_indices, plain_indices, values, size, check_pinning=None) -> None:
        check_tensors(name, **{compressed: compressed_indices, plain: plain_indices, "values": values})
        _validate_sparse_compressed_tensor_args(compressed_indices, plain_indices, values, size, layout)

    validate.__name__ = validate.__qualname__ = name
    validate.__doc__ = f"Raises what `sparse_{kind}_tensor` raises for these arguments."
    globals()[name] = computes(name)(validate)


of_layout("csr", SPARSE_CSR, "crow_indices", "col_indices")
of_layout("csc", SPARSE_CSC, "ccol_indices", "row_indices")
of_layout("bsr", SPARSE_BSR, "crow_indices", "col_indices")
of_layout("bsc", SPARSE_BSC, "ccol_indices", "row_indices")
