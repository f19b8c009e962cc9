"""Checks of `signs.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.declarations.dtype_rules import is_complex


def check_abs_inplace(input) -> None:
    if is_complex(input):
        raise RuntimeError("In-place abs is not supported for complex tensors.")
