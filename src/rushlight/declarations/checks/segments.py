"""Checks of `segments.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

REDUCTIONS = ("sum", "prod", "mean", "max", "min")


def check_segmented(reduce, lengths, indices, offsets) -> None:
    """Raises for a reduction or a description of segments that is not known."""
    if reduce not in REDUCTIONS and reduce not in ("amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")


def check_axis(data, axis: int, bounds, are_offsets: bool) -> None:
    """Raises unless lengths or offsets have the dimensions of `data` up to `axis`."""
    name = "offsets" if are_offsets else "lengths"
    if data.ndim < bounds.ndim:
        raise RuntimeError(f"Expected data.dim() >= {name}_value.dim() to be true, but got false.")
    if axis != bounds.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}.")
    if bounds.shape[:-1] != data.shape[:axis]:
        raise RuntimeError(
            f"segment_reduce(): Expected {name} of shape {tuple(bounds.shape)} to have the leading dimensions of data, "
            f"of shape {tuple(data.shape)}."
        )


def check_lengths(data, axis: int, lengths, unsafe: bool) -> None:
    """Raises for negative lengths, and unless `unsafe` for lengths that do not add up to the size of `data`."""
    if lengths.numel() and lengths.min() < 0:
        raise RuntimeError("lengths contains negative value!")
    if not unsafe and not (lengths.sum(-1) == data.shape[axis]).all():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis "
            "to sum to data.size(lengths.dim()-1) when !unsafe."
        )


def check_bounds(lengths) -> None:
    """Raises for bounds that are not in ascending order."""
    if lengths.numel() and lengths.min() < 0:
        raise RuntimeError("Expected segment_length >= 0 to be true, but got false.")
