"""`torch.functional`: functions of the root that PyTorch has in a separate module."""

from __future__ import annotations

from rushlight._generated.functions import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    cdist,
    chain_matmul,
    einsum,
    meshgrid,
    norm,
    split,
    tensordot,
    unravel_index,
)  # fmt: skip
from rushlight._generated.functions_of_fourier import istft, stft
from rushlight._generated.functions_of_linalg import lu, pca_lowrank, svd_lowrank
from rushlight._generated.functions_of_sorting import unique, unique_consecutive

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors", "cartesian_prod",
    "cdist", "chain_matmul", "einsum", "istft", "lu", "meshgrid", "norm", "pca_lowrank", "split", "stft",
    "svd_lowrank", "tensordot", "unique", "unique_consecutive", "unravel_index",
]  # fmt: skip
