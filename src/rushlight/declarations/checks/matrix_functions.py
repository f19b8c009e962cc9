"""Checks of `matrix_functions.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BOOL, REDUCED, SCALAR_NAMES
from rushlight.core.errors import type_name


def check_power_is_int(n) -> None:
    if type(n) is not int:
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type_name(n)}")


def check_linalg_vander_dtype(x) -> None:
    dtype = x.dtype
    if dtype.category == BOOL or dtype in REDUCED:
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {SCALAR_NAMES[dtype]}"
        )


def check_linalg_vander_columns(count) -> None:
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")


def check_vander_vector(x) -> None:
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")


def check_vander_columns(count) -> None:
    if count < 0:
        raise RuntimeError("N must be non-negative.")
