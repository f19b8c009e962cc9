"""Checks of `fourier.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import SCALAR_NAMES
from rushlight.declarations.fourier_arguments import FLOATS


def reduced_precision(input):
    """Returns the error for half precision."""
    dtype = input.dtype
    return None if dtype in FLOATS else RuntimeError(f"MKL FFT doesn't support tensors of type: {real_name(dtype)}")


def real_name(kind) -> str:
    """PyTorch's name of the scalar type of the real part."""
    return SCALAR_NAMES[kind.to_real()]
