"""What PyTorch refuses in `norm.py`, in its words."""

from __future__ import annotations

from rushlight.core.dtype import FLOAT, SCALAR_NAMES


def check_norm_order(p) -> None:
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")


def check_cosine_similarity_dtype(kind) -> None:
    if kind.category != FLOAT:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {SCALAR_NAMES[kind]}")


def check_pdist(input, p) -> None:
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
