"""Checks of `fill.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from numbers import Number

from rushlight.core.dtype import BOOL, C_NAMES


def check_where(input, other) -> None:
    if input is None or other is None:
        raise TypeError("where() received an invalid combination of arguments - got (Tensor, Tensor)")


def check_masked_fill(mask) -> None:
    if mask.dtype.category != BOOL:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {C_NAMES[mask.dtype]}")


def check_masked_fill_value(value) -> None:
    if value.dim():
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.dim()} dimension(s)."
        )


def check_fill_with_tensor(value) -> None:
    if value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")


def check_fill_value(value) -> None:
    if not isinstance(value, Number):
        name = type(value).__name__
        raise TypeError(f"fill_() received an invalid combination of arguments - got ({name}), but expected one of:")
