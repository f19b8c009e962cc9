"""Exceptions that PyTorch has beside Python's own."""

from __future__ import annotations


class LinAlgError(RuntimeError):
    """A matrix has no inverse, no factorization, or no solution: `torch.linalg.LinAlgError`."""


# What PyTorch calls it; tracebacks show it, and pickles find it there.
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"
