"""Checks of `rounding.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.tensor import Tensor


def no_derivative(F, g):
    raise RuntimeError("derivative for aten::heaviside is not implemented")


def check_frexp_dtype(input) -> None:
    if input.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")


def check_heaviside_dtypes(input, values) -> None:
    different = isinstance(input, Tensor) and isinstance(values, Tensor) and input.dtype is not values.dtype
    if different and not (input.is_complex() or values.is_complex()):
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
