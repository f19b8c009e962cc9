"""Checks of `view.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.lazy_conj_neg import marks_of


def refusal_of_lazy_view(input):
    """Returns the error for a conjugate or negative that is not materialized."""
    conj, neg = marks_of(input._array)
    if not (conj or neg):
        return None
    what = "conjugate view tensors" if conj else "tensors with negative bit set"
    return RuntimeError(f"torch.Tensor.view is not supported for {what} when converting to a different dtype.")


def check_flatten_dims(start, end) -> None:
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")


def check_unflatten_rank(input) -> None:
    if not input.ndim:
        raise RuntimeError("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")


def check_unflatten_sizes(sizes) -> None:
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if sizes.count(-1) > 1:
        raise RuntimeError("unflatten got an unexpected error:\nonly one dimension can be inferred")


def check_length_not_negative(shape, dim) -> None:
    if shape[dim] < 0:
        raise ValueError("Attempting to broadcast a dimension with negative length!")


def check_broadcast_length(reached, dim, position, shape) -> None:
    if reached[dim] != 1:
        raise RuntimeError(
            f"Attempting to broadcast a dimension of length {shape[dim]} at {dim}! Mismatching argument "
            "at index "
            f"{position} had {shape}; but expected shape should be broadcastable to {reached}"
        )
