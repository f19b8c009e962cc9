"""Exceptions that PyTorch has beside Python's own."""

from __future__ import annotations


class _LinAlgError(RuntimeError):
    """A matrix has no inverse, no factorization, or no solution: `torch.linalg.LinAlgError`."""


# The class has the name that PyTorch's has, which tracebacks show.
LinAlgError = _LinAlgError
