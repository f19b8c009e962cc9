"""What PyTorch refuses in `low_rank.py`, in its words."""

from __future__ import annotations


def check_iteration_count(niter) -> None:
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
