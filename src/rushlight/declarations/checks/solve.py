"""Checks of `solve.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations


def check_tensorinv_ind(A, ind) -> None:
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if A.ndim < ind:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {A.ndim}")


def check_tensorinv_square(rows, columns) -> None:
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )


def check_tensorsolve_square(rows, columns) -> None:
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {columns} != {rows}"
        )
