"""How sparse tensors print, as in PyTorch."""

from __future__ import annotations

from rushlight.core.dtype import DEFAULTS, int64
from rushlight.core.dtype import bool as torch_bool
from rushlight.core.printing import CURRENT, contents, with_suffixes
from rushlight.core.shape_queries import SPARSE_BSC, SPARSE_BSR, SPARSE_COO, SPARSE_CSC, SPARSE_CSR
from rushlight.core.tensor import Tensor
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import SparseTensor

NAMES = {
    SPARSE_COO: ("indices",),
    SPARSE_CSR: ("crow_indices", "col_indices"),
    SPARSE_CSC: ("ccol_indices", "row_indices"),
    SPARSE_BSR: ("crow_indices", "col_indices"),
    SPARSE_BSC: ("ccol_indices", "row_indices"),
}
OPENING = "tensor("


def part(name: str, tensor: Tensor) -> str:
    """Returns one of the dense tensors of a sparse one, after its name."""
    opening = f"{name}=tensor("
    text = opening + contents(tensor.detach(), len(OPENING) + len(opening), CURRENT.options)
    return text + (")" if tensor.numel() else f", size={tuple(tensor.shape)})")


@computes("__repr__")
def text(tensor: SparseTensor) -> str:
    """Returns the text of a sparse tensor."""
    array, indent = tensor._array, len(OPENING)
    parts = [part(name, each) for name, each in zip(NAMES[array.layout], array.indices, strict=True)]
    body = OPENING + (",\n" + " " * indent).join([*parts, part("values", array.values)])
    suffixes = [f"size={array.shape}", f"nnz={array.entries}"]
    if tensor.dtype not in (DEFAULTS.floating, DEFAULTS.complex, int64, torch_bool):
        suffixes.append(f"dtype={tensor.dtype}")
    suffixes.append(f"layout={array.layout}")
    if (node := tensor.grad_fn) is not None:
        suffixes.append(f"grad_fn=<{type(node).__name__}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return with_suffixes(body, suffixes, indent, CURRENT.options.linewidth, new_line=array.layout is SPARSE_COO)
