"""Checks of `extreme.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import C_NAMES
from rushlight.core.errors import type_name


def check_ordered(name: str, input) -> None:
    """Raises for complex numbers, which have no order."""
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")


def check_aminmax(out) -> None:
    if out is not None and not isinstance(out, (tuple, list)):
        raise TypeError(f"aminmax(): argument 'out' must be tuple of Tensors, not {type_name(out)}")


def check_aminmax_input(input, each) -> None:
    if each.dtype is not input.dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {C_NAMES[input.dtype]}, but got {C_NAMES[each.dtype]} instead"
        )


def check_aminmax_not_empty(input, dim) -> None:
    if dim is None and not input.size:
        words = "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        raise RuntimeError(words)
