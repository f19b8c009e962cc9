"""Checks of `triangular_factors.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.declarations.checks.matrices import check_kernel, check_square
from rushlight.declarations.dtype_rules import INT32, scalar_names
from rushlight.declarations.shapes import wrap_dim


def check_lu(name: str, A) -> None:
    """Raises unless there are matrices of a dtype that LAPACK has."""
    if A.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")
    check_kernel("lu_cpu", A)


def check_packed(LU_data, LU_pivots, unpack_pivots: bool) -> None:
    """Raises unless these are factors and the rows that were exchanged."""
    if LU_data.ndim < 2:
        raise RuntimeError(
            f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data.shape)} instead"
        )
    if unpack_pivots and LU_pivots.dtype != INT32:
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.")
    count = min(LU_data.shape[-2:])
    wanted = (*LU_data.shape[:-2], count)
    inside = LU_pivots.shape == wanted and ((LU_pivots >= 1) & (LU_pivots <= LU_data.shape[-2])).all()
    if unpack_pivots and not inside:
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result "
            "of lu_factor?"
        )


def check_ldl_solve(LD, pivots, B) -> None:
    """Raises unless these are factors, their pivots and right sides that fit."""
    name = "torch.linalg.ldl_solve"
    check_square(name, LD)
    wrap_dim(-2, B.ndim)  # raises unless there are matrices
    if LD.shape[-1] != B.shape[-2]:
        sizes = "{} by {}".format(*LD.shape[-2:]), "{} by {}".format(*B.shape[-2:])
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {sizes[0]} but each b matrix is {sizes[1]}"
        )
    if LD.shape[:-1] != pivots.shape:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {scalar_names(pivots)[0]}")
    if LD.dtype != B.dtype:
        one, two = scalar_names(B, LD)
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {one} and A of type {two} "
                           "instead.")  # fmt: skip
    check_kernel("ldl_solve_kernel_cpu", B)
