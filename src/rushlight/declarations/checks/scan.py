"""Checks of `scan.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations


def check_diff(input, n) -> None:
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")


def check_trapezoid_rank(y) -> None:
    if not y.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
