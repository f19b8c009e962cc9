"""Checks of `few_eigenpairs.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.declarations.dtype_rules import raw_dtype, scalar_names

EPSILON = {"f": 1.2e-07, "d": 2.23e-16}


def check_pencil(A, B, X) -> None:
    """Raises unless A holds square matrices of real floating-point numbers, B is like it, and X has columns as long."""
    if A.ndim < 2:
        raise IndexError("tuple index out of range")
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    if raw_dtype(A).char not in EPSILON:
        raise RuntimeError(f"lobpcg takes Float and Double, but A is of type {scalar_names(A)[0]}")
    if X is not None and X.shape[-2] != A.shape[-1]:
        raise AssertionError(f"X shape mismatch: got {X.shape}, expected {(A.shape[-1], X.shape[-1])}")


def check_lobpcg(tracker) -> None:
    if tracker is not None:
        raise NotImplementedError("lobpcg: the steps are SciPy's, and cannot be tracked")


def check_lobpcg_n(n, rows) -> None:
    if rows < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n})"
        )
