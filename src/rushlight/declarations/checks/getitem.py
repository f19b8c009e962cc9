"""Checks of `getitem.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from numbers import Number

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.declarations.dtype_rules import raw_dtype


def check_narrow_input(input, start) -> None:
    if not input.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start.ndim or raw_dtype(start).kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")


def check_narrow_range(start, length, size) -> None:
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [-{size}, {size}], but got {start})")


def check_narrow_end(start, length, size) -> None:
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")


def check_iterable(input) -> None:
    if not input.ndim:
        raise TypeError("iteration over a 0-d tensor")


def check_element(element) -> None:
    if not isinstance(element, (Tensor, Number)):
        words = f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        raise noted(RuntimeError(words), "A tensor holds numbers only.")
