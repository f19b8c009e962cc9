"""Checks of `reduce.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import FLOAT, SCALAR_NAMES
from rushlight.core.errors import noted
from rushlight.declarations.checks.arguments import TO_FLOAT


def check_sum_to_size(size, extra, shape) -> None:
    if extra < 0 or [n for n, length in zip(size, shape[extra:], strict=True) if n not in (1, length)]:
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")


def check_nansum_dtype(input) -> None:
    if input.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")


def check_trace_rank(input) -> None:
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")


def check_nanmean_dtype(input) -> None:
    if input.dtype.category < FLOAT:
        name = SCALAR_NAMES[input.dtype]
        raise noted(
            RuntimeError(f"nanmean(): expected input to have floating point or complex dtype but got {name}"), TO_FLOAT
        )
