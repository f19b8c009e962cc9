"""What PyTorch refuses in `reduce.py`, in its words."""

from __future__ import annotations


def check_sum_to_size(size, extra, shape) -> None:
    if extra < 0 or [n for n, length in zip(size, shape[extra:], strict=True) if n not in (1, length)]:
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")


def check_nansum_dtype(input) -> None:
    if input.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")


def check_trace_rank(input) -> None:
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
