"""Checks of `triangular.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.traced import every_sample
from rushlight.declarations.checks.matrices import (
    check_floating,
    check_kernel,
    check_matrix,
    check_one_dtype,
    check_sides,
    check_sizes,
    check_square,
)
from rushlight.declarations.dtype_rules import INT32, raw_dtype, scalar_names
from rushlight.declarations.shapes import broadcast


def check_pair(kernel: str, b, A) -> None:
    """Raises unless the operands of a function from before `torch.linalg` fit."""
    check_sides("", A)
    if A.shape[-1] != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {kernel}: each A matrix is {A.shape[-1]} by {A.shape[-1]} but each b matrix"
            f" is {b.shape[-2]} by {b.shape[-1]}"
        )
    if raw_dtype(b) != raw_dtype(A):
        one, two = scalar_names(b, A)
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {one} and A of type {two} instead."
        )
    broadcast((b.shape[:-2], A.shape[:-2]))
    check_kernel(f"{kernel}_cpu", b)


def check_factors(LU, pivots, B, left: bool) -> None:
    """Raises unless equations can be solved with an LU factorization."""
    name = "linalg.lu_solve"
    check_floating(f"torch.{name}", LU, low_precision=True)
    check_one_dtype(name, ("LU", LU), ("B", B))
    if raw_dtype(pivots) != INT32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_square(f"torch.{name}", LU)
    check_matrix(name, B, "B")
    if pivots.shape[-1] != LU.shape[-1]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if tuple(pivots.shape) != tuple(LU.shape[:-1]):
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    check_sizes(name, LU.shape, B.shape, left=left)
    check_pivots(pivots, LU.shape[-2])


def check_pivots(pivots, rows: int) -> None:
    """Raises unless each pivot is the number of a row."""
    if pivots.is_meta or not pivots.numel():
        return
    pivots = every_sample(pivots)
    for wrong, words in ((pivots < 1, "greater or equal to 1"), (pivots > rows, "smaller or equal to LU.size(-2)")):
        if wrong.any().item():
            raise RuntimeError(
                f"Pivots given to lu_solve must all be {words}. Did you properly pass the result of lu_factor?"
            )


def check_triangular_solve_rank(each, name) -> None:
    if each.ndim < 2:
        raise RuntimeError(
            f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {each.ndim} "
            "dimensions instead"
        )


def check_cholesky_solve_rank(each, name) -> None:
    if each.ndim < 2:
        raise RuntimeError(f"{name} should have at least 2 dimensions, but has {each.ndim} dimensions instead")
