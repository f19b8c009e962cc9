"""Checks of `matrix_norm.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import math

from rushlight.declarations.checks.matrices import check_square

ORDERS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def check_condition(A, order) -> None:
    """Raises unless there is a condition number by this norm."""
    if isinstance(order, str):
        check_square(f"linalg.cond(ord={order})", A)
    elif A.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if order is not None and order not in ORDERS:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {order}")


def check_linalg_norm_dims(dim) -> None:
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")


def check_linalg_norm_rank(input) -> None:
    if input.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.ndim}D."
        )
