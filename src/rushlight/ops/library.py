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
    extreme,
    fill,
    index,
    join,
    matmul,
    norm,
    pad,
    powers,
    reduce,
    rounding,
    scan,
    scatter,
    signs,
    softmax,
    sort,
    special_functions,
    statistics,
    trigonometry,
    view,
)

FAMILIES = (
    arithmetic,
    signs,
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
    pad,
    index,
    join,
    arrange,
    copies,
    extreme,
    scan,
    sort,
    softmax,
    norm,
    statistics,
    scatter,
)


def load() -> tuple:
    """The families; importing this module has declared them."""
    return FAMILIES
