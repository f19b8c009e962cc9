"""Every family of declarations, in the order in which they are read."""

from __future__ import annotations

from rushlight.ops import (
    activation,
    arithmetic,
    arrange,
    bitwise,
    compare,
    complex_numbers,
    conv,
    copies,
    exponential,
    fill,
    index,
    join,
    matmul,
    powers,
    reduce,
    rounding,
    special_functions,
    trigonometry,
    view,
)

FAMILIES = (
    arithmetic,
    powers,
    exponential,
    trigonometry,
    rounding,
    special_functions,
    complex_numbers,
    compare,
    bitwise,
    fill,
    activation,
    reduce,
    view,
    matmul,
    conv,
    index,
    join,
    arrange,
    copies,
)


def load() -> tuple:
    """The families; importing this module has declared them."""
    return FAMILIES
