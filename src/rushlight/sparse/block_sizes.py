"""The sizes of the blocks of BSR and BSC that conversions take, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.errors import type_name
from rushlight.core.shape_queries import SPARSE_BSC, SPARSE_BSR, SPARSE_COO, SPARSE_CSC, SPARSE_CSR, STRIDED
from rushlight.core.tensor import Tensor
from rushlight.sparse.array import BLOCKS

SHOWN = {
    STRIDED: "Strided", SPARSE_COO: "Sparse", SPARSE_CSR: "SparseCsr", SPARSE_CSC: "SparseCsc",
    SPARSE_BSR: "SparseBsr", SPARSE_BSC: "SparseBsc",
}  # fmt: skip


def block_size(tensor: Tensor, layout: Any, size: Any, dense_dim: int | None, called: str) -> tuple[int, int] | None:
    """Returns the height and width of blocks; None for a layout without blocks.

    `size` is two numbers, or one for both, and `called` the beginning of errors about its type. Raises TypeError for
    other types, RuntimeError for a size that is missing or has no place in the layout, and for one that is not positive
    or does not divide the matrix.
    """
    source = tensor.layout
    if (size is None) is (layout in BLOCKS):
        kinds = {STRIDED: "dense_to_sparse", SPARSE_COO: "sparse_coo_to_sparse"}
        name = "to_sparse" if source is layout else kinds.get(source, "sparse_compressed_to_sparse")
        word = "without" if size is None else "with"
        pair = f"{SHOWN[source]} to {SHOWN[layout]}"
        raise RuntimeError(f"{name}: conversion from {pair} {word} blocksize argument given is not supported")
    if size is None:
        return None
    numbers = [size, size] if is_number(size) else size
    if not isinstance(numbers, list | tuple) or not all(map(is_number, numbers)):
        raise TypeError(f"{called} must be tuple of ints, not {type_name(size)}")
    to = f"to_{str(layout).removeprefix('torch.')}"
    kinds = {layout: "", STRIDED: "dense_", SPARSE_COO: "coo_"}
    name = f"{kinds.get(source, 'sparse_compressed_')}{to}"
    if len(numbers) != 2:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of size 2, but got {len(numbers)}")
    height, width = map(int, numbers)
    if min(height, width) < 1:
        raise RuntimeError(f"{name}: blocksize needs to be positive, but got [{height}, {width}]")
    rows, columns = ((1, 1) + tuple(tensor.shape[: tensor.ndim - (dense_dim or 0)]))[-2:]
    if rows % height or columns % width:
        block = f"must be divisible by given blocksize ({height},{width})"
        raise RuntimeError(f"{name}: tensor sparse size ({rows},{columns}) {block}")
    return height, width


def is_number(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
