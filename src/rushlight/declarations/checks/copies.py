"""Checks of `copies.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.traced import BatchedArray


def check_src(name: str, part, src) -> None:
    if tuple(part.shape) != tuple(src.shape):
        raise RuntimeError(
            f"expected src to have a size equal to the {name} of self. src size = {list(src.shape)}, {name} size = "
            f"{list(part.shape)}"
        )


def check_narrow_copy(input, dim, start, length) -> None:
    if dim >= max(input.ndim, 1):
        raise RuntimeError("Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.")
    if length < 0:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({input.shape[dim]}).")


def check_slice_copy(step) -> None:
    if step <= 0:
        raise RuntimeError("slice step must be positive")


def check_unsafe_chunk(chunks) -> None:
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")


def check_slice_scatter(step) -> None:
    if step <= 0:
        raise RuntimeError("slice step must be positive")


def check_strided_scatter_shared(input, src) -> None:
    """Raises RuntimeError under `vmap`, as PyTorch does."""
    if BatchedArray in (type(input._array), type(src._array)):
        raise RuntimeError(
            "Error: aten::as_strided_scatter requires special handling, and does not yet have a batching rule. "
            "Feel free to file a github issue!"
        )
