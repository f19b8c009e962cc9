"""Checks of `sort.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BOOL, COMPLEX, SCALAR_NAMES
from rushlight.declarations.dtype_rules import category_of
from rushlight.declarations.promote import number_dtype


def refusal_of_inputs(elements, test_elements):
    """Returns the error for bools and complex numbers."""
    for each in (elements, test_elements):
        if category_of(each) in (BOOL, COMPLEX):
            kind = each.dtype if hasattr(each, "dtype") else number_dtype(each)
            return RuntimeError(f"Unsupported input type encountered for isin(): {SCALAR_NAMES[kind]}")
    return None


def check_unique_sizes(input, axis) -> None:
    if axis is not None and not input.size and [n for at, n in enumerate(input.shape) if not n and at != axis]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
