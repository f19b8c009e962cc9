"""Exceptions that PyTorch has beside Python's own."""

from __future__ import annotations


class LinAlgError(RuntimeError):
    """A matrix has no inverse, no factorisation, or no solution: https://docs.pytorch.org/docs/stable/generated/torch.linalg.LinAlgError.html"""

    __module__ = "torch.linalg"
