"""Checks of `low_rank.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations


def check_iteration_count(niter) -> None:
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")


def check_direction_count(input, count) -> None:
    if count < 0:
        shape = [input.shape[-1], count]
        raise RuntimeError(f"Trying to create tensor with negative dimension {count}: {shape}")
