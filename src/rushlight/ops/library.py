"""Every family of declarations, in the order in which they are read."""

from __future__ import annotations

from rushlight.ops import matmul, pointwise, reduce, view

FAMILIES = (pointwise, reduce, view, matmul)


def load() -> tuple:
    """The families; importing this module has declared them."""
    return FAMILIES
