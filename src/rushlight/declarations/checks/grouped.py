"""Checks of `grouped.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY
from rushlight.declarations.dtype_rules import INT32, cpp_names, raw_dtype, scalar_names

ALIGNMENT = 16  # bytes


def check_matrices(mat_a, mat_b) -> None:
    """Matrices, or batches of them, of one floating dtype, that can be multiplied."""
    for name, each in (("mat_a", mat_a), ("mat_b", mat_b)):
        if raw_dtype(mat_a).kind not in "fV" or raw_dtype(mat_a).itemsize not in (2, 4):
            kind = scalar_names(mat_a)[0]
            raise RuntimeError(f"Expected mat_a to be Float32, BFloat16 or Float16 matrix, got {kind}")
        if each.ndim not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    if mat_a.shape[-1] != mat_b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    if raw_dtype(mat_a) != raw_dtype(mat_b):
        one, other = cpp_names(mat_a, mat_b)
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {one} != {other}")


def check_alignment(matrix) -> None:
    """Raises unless rows, or columns, are contiguous and start at multiples of 16 bytes."""
    rows, columns = matrix.shape[-2:]
    down, across = matrix.stride()[-2:]
    if across == 1 and down >= max(1, columns):
        step = down
    elif down == 1 and across >= max(1, rows):
        step = across
    else:
        strides, sizes = list(matrix.stride()), list(matrix.shape)
        raise RuntimeError(f"Invalid strides/sizes, got {strides} for strides and {sizes} for sizes")
    if step * raw_dtype(matrix).itemsize % ALIGNMENT:
        raise RuntimeError("strides should be multiple of 16 bytes")


def check_ends(mat_a, mat_b, offs) -> None:
    """Where groups end, as far as there are groups."""
    batches = mat_a.ndim == mat_b.ndim == 3
    if (offs is None) != batches:
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d")
    if batches:
        if mat_a.shape[0] != mat_b.shape[0]:
            raise RuntimeError("batched dimension has to match")
        return
    if offs.ndim != 1:
        raise RuntimeError("offs has to be 1D")
    if raw_dtype(offs) != INT32:
        raise RuntimeError("Offsets have to be int32")
    groups = mat_a.shape[0] if mat_a.ndim == 3 else mat_b.shape[0] if mat_b.ndim == 3 else offs.shape[0]
    if groups != offs.shape[0]:
        raise RuntimeError("matrix batch sizes have to match")


def check_grouped_mm(mat_a, bias, out_dtype) -> None:
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype is not None and out_dtype != BY_NUMPY[raw_dtype(mat_a)]:
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")
