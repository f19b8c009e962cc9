"""Checks of `recurrence.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.declarations.checks.products import mismatch, not_one_dtype
from rushlight.declarations.dtype_rules import is_complex, scalar_names


def check_products(input, weight_ih, hidden, weight_hh, *biases) -> None:
    """Raises unless inputs and states can be multiplied by their weights, and biases added."""
    for value, weight in zip(biases, (weight_ih, weight_hh), strict=True):
        if value is not None and value.dtype != weight.dtype:
            one, other = scalar_names(value, weight)
            raise not_one_dtype(f"self and mat2 must have the same dtype, but got {one} and {other}")
    for value, weight in ((input, weight_ih), (hidden, weight_hh)):
        if value.dtype != weight.dtype:
            one, other = scalar_names(value, weight)
            raise not_one_dtype(f"mat1 and mat2 must have the same dtype, but got {one} and {other}")
        if value.shape[1] != weight.shape[1]:
            raise mismatch(value, weight.T)


def check_rnn_dtype(relu, input) -> None:
    if relu and is_complex(input):
        raise NotImplementedError("clamp is not supported for complex types")
    if not relu and input.dtype.kind in "iu":
        raise not_one_dtype("mat1 and mat2 must have the same dtype, but got Float and Long")
